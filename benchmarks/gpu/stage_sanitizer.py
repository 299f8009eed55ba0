#===- stage_sanitizer.py - Under compute-sanitizer ------------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The backend's tests, a suite at a time, under each tool of compute-sanitizer.
# Where the tool does not run at all, the result says so.
#
#===------------------------------------------------------------------------===#

import re
import shutil

import devices
import stage_tests

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SECONDS = 100
# Tests of large shapes, or of much memory, and one that keeps a stream busy
# until the next launch returns, which the tools hold back.
LEFT_OUT = re.compile("RealSizes|Large|OutOfMemory|Leak|"
                      "CallsOnOtherStreamsComeAfter")
# Tests of hundreds of cases, which take minutes under the other tools.
MEMCHECK_ONLY = re.compile("GemmTest.(Linear|OddSizes|Misaligned)$|"
                           "SmallKernels.(RmsNorm|Copy)$")


def sanitizer():
    return shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin")


def run(session):
    session.start_results(machine=devices.query_driver())
    found = {suite: [test for test in tests if not LEFT_OUT.search(test)]
             for suite, tests in stage_tests.suites(session).items()}
    found = {suite: tests for suite, tests in found.items() if tests}
    keys = ["%s/%s" % (tool, suite) for tool in TOOLS for suite in found]

    def measure_row(key):
        tool, suite = key.split("/", 1)
        prefix = [sanitizer(), "--tool", tool, "--error-exitcode", "9",
                  "--print-limit", "20"]
        if tool == "memcheck":
            # Some tests are about calls that fail.
            prefix += ["--report-api-errors", "no"]
        tests = [test for test in found[suite] if tool == "memcheck" or
                 not MEMCHECK_ONLY.search(test)]
        row = stage_tests.run_suite(session, suite, tests, prefix, SECONDS)
        if re.search("Device not supported|not supported on this",
                     row.get("output", "")):
            # No verdict on the tests, then.
            del row["failed"]
            row["skipped"] = "compute-sanitizer does not support this device"
        return row

    if not sanitizer() or not found:
        reason = ("compute-sanitizer is not installed" if not sanitizer()
                  else "no tests of the CUDA backend were packed")
        session.results.add("all", {"skipped": reason, "again": True})
        print("sanitizer: " + reason)
        return False
    finished = session.measure(keys, measure_row)
    stage_tests.print_table(session.results.rows())
    return finished
