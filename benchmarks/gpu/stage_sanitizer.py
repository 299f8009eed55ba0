#===- stage_sanitizer.py - Under compute-sanitizer ------------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The backend's tests, a suite at a time, under each tool of compute-sanitizer.
# Where the tool does not run at all, the result says so. A suite that runs out
# of time says which tests finished; when it is tried again the others run.
#
#===------------------------------------------------------------------------===#

import re
import shutil

import braid
import devices
import stage_tests

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
# Under these tools the kernels of cuBLASLt take so long that the products'
# tests do not end: they look at Braid's own. The other two follow memory that
# either may have written.
OWN_KERNELS = re.compile("(racecheck|synccheck)/braid_cuda_gemm_tests/")
# What the tool says when it is the tool that failed.
NO_VERDICT = (("Device not supported|not supported on this",
               "compute-sanitizer does not support this device"),
              ("Internal Sanitizer Error",
               "compute-sanitizer itself failed, with an internal error"))
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


def own_kernels(binary):
    """Mangled names of the kernels in a binary: each has a section."""
    names = set(re.findall(rb"\.nv\.info\.(\w+)", binary.read_bytes()))
    if not names:
        raise braid.Error("%s has no kernels" % binary)
    return sorted(name.decode() for name in names)


def go_on(before, tests, run):
    """Runs the tests that an earlier row, if it ran out of time, did not
    finish. Those at which it stopped have to wait until no others are left."""
    finished = before.get("finished", [])
    stopped = before.get("stopped_at", [])
    left = [test for test in tests if test not in finished]
    now = [test for test in left if test not in stopped] or left
    row = run(now)
    if finished:
        for name in ("passed", "skipped_tests"):
            row[name] += before[name]
    if "finished" in row:
        row["finished"] = finished + row["finished"]
        row["stopped_at"] = stopped + [test for test in row["stopped_at"]
                                       if test not in stopped]
    elif row["status"] == 0 and len(now) < len(left):
        row.update(finished=finished + now, stopped_at=stopped,
                   failed="not done: " + ", ".join(stopped))
    return row


def run(session):
    session.start_results(machine=devices.query_driver())
    found = {suite: [test for test in tests if not LEFT_OUT.search(test)]
             for suite, tests in stage_tests.suites(session).items()}
    found = {suite: tests for suite, tests in found.items() if tests}
    keys = ["%s/%s" % (tool, suite) for tool in TOOLS for suite in found]
    earlier = {row["key"]: row for row in session.results.rows()}

    def measure_row(key):
        tool, suite = key.split("/", 1)
        prefix = [sanitizer(), "--tool", tool, "--error-exitcode", "9",
                  "--print-limit", "20"]
        if tool == "memcheck":
            # Some tests are about calls that fail.
            prefix += ["--report-api-errors", "no"]
        own = OWN_KERNELS.match(key)
        if own:
            for name in own_kernels(session.folder / suite.split("/")[0]):
                prefix += ["--kernel-name", "kernel_substring=" + name]
        tests = [test for test in found[suite] if tool == "memcheck" or own or
                 not MEMCHECK_ONLY.search(test)]
        row = go_on(earlier.get(key, {}), tests, lambda tests:
                    stage_tests.run_suite(session, suite, tests, prefix,
                                          session.options.sanitizer_seconds))
        if own:
            row["only"] = "Braid's own kernels"
        for message, reason in NO_VERDICT:
            if re.search(message, row.get("output", "")):
                row.pop("failed", None)
                row["skipped"] = reason
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
