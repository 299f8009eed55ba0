# ===- read_kept.py - Reads every golden file -------------------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# read_kept.py BRAID_OPT GOLDENS GENERIC
#
# Reads each .mlirbc of each version, and compares it with the program that is
# kept as text beside it. Writes all of them to GENERIC in the generic form.
# Schedules on buffers go through braid-lower as well.

import pathlib
import subprocess
import sys

braid_opt, goldens, generic = sys.argv[1:]


def opt(path, *options):
    return subprocess.run([braid_opt, path, *options], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


files = sorted(pathlib.Path(goldens).glob("*/*.mlirbc"))
with open(generic, "w") as out:
    for file in files:
        name = f"{file.parent.name}/{file.stem}"
        text = opt(file)
        if text != opt(file.with_suffix(".mlir")):
            sys.exit(f"{name}.mlirbc and {name}.mlir are different programs")
        lowered = file.stem.startswith("scheduled")
        if lowered:
            opt(file, "--braid-lower")
        out.write(opt(file, "--mlir-print-op-generic",
                      "--mlir-print-local-scope"))
        print(f"{name}: read" + (" and lowered" if lowered else ""))
