# ===- dialect_versions.py - Versions in a bytecode file --------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# dialect_versions.py FILE                     counts dialects of version 0.1
# dialect_versions.py FILE OUT MAJOR MINOR     makes the first one's another
#
# A dialect's version is a section of its own: id 7, length 2, two numbers. All
# of them are variable-length integers, 2 n + 1 for small n.

import sys


def section(major, minor):
    return bytes([7, 2 * 2 + 1, 2 * major + 1, 2 * minor + 1])


data = open(sys.argv[1], "rb").read()
if len(sys.argv) == 2:
    print(data.count(section(0, 1)))
else:
    major, minor = int(sys.argv[3]), int(sys.argv[4])
    assert section(0, 1) in data
    with open(sys.argv[2], "wb") as out:
        out.write(data.replace(section(0, 1), section(major, minor), 1))
