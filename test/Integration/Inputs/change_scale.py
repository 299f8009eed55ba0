#===- change_scale.py - A checkpoint with a wrong scale -------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
#   change_scale.py FROM TO TENSOR
#     copies a file and doubles the first element of a tensor in F8_E8M0.
#
#===------------------------------------------------------------------------===#

import json
import sys

source, target, name = sys.argv[1:]
with open(source, "rb") as file:
    data = bytearray(file.read())
size = int.from_bytes(data[:8], "little")
entry = json.loads(data[8:8 + size])[name]
assert entry["dtype"] == "F8_E8M0"
data[8 + size + entry["data_offsets"][0]] += 1
with open(target, "wb") as file:
    file.write(data)
