#===- stage_env.py - The machine and its ceilings -------------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# What there is to measure on: device, driver, versions, clocks, and the rates of
# a large copy and of large GEMMs, which floors are computed from.
#
#===------------------------------------------------------------------------===#

import os
import shutil
import subprocess

import stage
import stage_gemms


def version_of(command):
    if not shutil.which(command[0]):
        return "not installed"
    try:
        output = subprocess.run(command, capture_output=True, text=True,
                                timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return output.splitlines()[-1] if output else "no output"


def run(session):
    session.open()
    session.start_results()

    def measure_row(key):
        if key == "versions":
            return {"runtime": session.runtime.version(),
                    "packed": session.manifest["made"],
                    "cpus": os.cpu_count(),
                    "nvcc": version_of(["nvcc", "--version"]),
                    "compute-sanitizer": version_of(
                        ["compute-sanitizer", "--version"]),
                    "gcc": version_of(["g++", "-dumpfullversion"])}
        ceilings = stage_gemms.measure_ceilings(session.device)
        # Under load: at rest clocks are low.
        return {"ceilings": ceilings, "machine": session.device.describe()}

    finished = session.measure(["versions", "ceilings", "ceilings again"],
                               measure_row)
    print(stage.table(["what", "value"], [
        [name, str(value)[:90]] for row in session.results.rows()
        for part in (row, row.get("ceilings", {}), row.get("machine", {}))
        for name, value in part.items()
        if not isinstance(value, dict) and name not in ("key", "run",
                                                        "seconds")]))
    return finished
