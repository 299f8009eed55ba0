#===- results.py - Results that survive the end of a run ------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The JSON file of a stage. It is written after each row, to another name first,
# so that a run that is killed leaves a whole file, and the next one goes on at
# the first row that is not there.
#
#===------------------------------------------------------------------------===#

import json
import os
import pathlib
import time

SCHEMA = 1


class Results:
    def __init__(self, stage, out, resume, header, retry=False):
        self.retry = retry
        self.path = pathlib.Path(out) / (stage + ".json")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.content = {"schema": SCHEMA, "stage": stage, "runs": [],
                        "rows": []}
        previous = pathlib.Path(resume) / (stage + ".json") if resume else None
        if previous and previous.exists():
            self.content = read(previous)
        # Figures of different machines are told apart by their run.
        self.run = dict(header, started=time.strftime(
            "%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        self.content["runs"].append(self.run)
        self.number = len(self.content["runs"]) - 1

    def has(self, key):
        return any(row["key"] == key and not row.get("again") and
                   not (self.retry and "failed" in row)
                   for row in self.content["rows"])

    def add(self, key, row):
        """`again` in a row: it did not get as far as a result, and is measured
        again when the stage is resumed."""
        rows = [other for other in self.content["rows"] if other["key"] != key]
        rows.append(dict(row, key=key, run=self.number))
        self.content["rows"] = rows
        self.write()

    def write(self):
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.content, indent=1) + "\n")
        os.replace(temporary, self.path)

    def rows(self):
        return self.content["rows"]


def read(path):
    with open(path) as file:
        content = json.load(file)
    if content.get("schema") != SCHEMA:
        raise ValueError("%s has schema %s, expected %d"
                         % (path, content.get("schema"), SCHEMA))
    return content


class Budget:
    """Says whether there is time for one more row, judged by the last one."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.last = 0.0

    def left(self):
        return self.end - time.monotonic()

    def allows_another(self):
        return self.left() > 1.3 * self.last

    def took(self, seconds):
        self.last = seconds
