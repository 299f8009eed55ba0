#===- rows.py - Rows that fail and rows that end the process --*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Measures rows of which one fails and one takes the process down; prints which
# rows are measured. usage: rows.py FOLDER [--retry]

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__),
                                "../../../../benchmarks/gpu"))
import results
import stage


class Session(stage.Session):
    def __init__(self, folder, retry):
        self.stage, self.budget = "rows", results.Budget(60)
        self.results = results.Results("rows", folder, folder, {}, retry)


def measure_row(key):
    if key == "fails":
        raise ValueError("no luck")
    if key == "dies":
        sys.stdout.flush()
        os._exit(9)
    return {"value": 1}


session = Session(sys.argv[1], "--retry" in sys.argv)
print("done:", session.measure(["first", "fails", "dies", "last"], measure_row))
