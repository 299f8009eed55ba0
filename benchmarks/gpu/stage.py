#===- stage.py - What all stages of the GPU checks share ------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The folder that was packed, the device, and the loop over rows that saves each
# one and stops in time.
#
#===------------------------------------------------------------------------===#

import ctypes
import json
import pathlib
import shutil
import statistics
import time
import traceback

import braid
import devices
import pack
import results

# More than any T here: a context with this threshold always uses the streams.
ALWAYS = 1 << 30
# Algorithms that were chosen by timing, beside the results.
TUNING = "tuning.txt"
# The ways to run one program. All have to give the same bits.
MODES = {"serial/eager": (False, 0), "streams/eager": (False, ALWAYS),
         "serial/captured": (True, 0), "streams/captured": (True, ALWAYS)}


class Session:
    def __init__(self, options, stage, budget):
        self.options, self.stage, self.budget = options, stage, budget
        self.folder = pathlib.Path(options.pack)
        self.backend = options.backend
        try:
            with open(self.folder / "manifest.json") as file:
                self.manifest = json.load(file)
        except OSError as error:
            raise braid.Error("%s: %s; make it with 'scripts/gpu-checks pack'"
                              % (error.filename, error.strerror))
        pack.unpack(self.folder)
        self.functions, self.open_contexts, self.results = {}, [], None

    def open(self):
        """The device first: PyTorch brings the CUDA libraries that the backend
        then shares with it."""
        self.device = devices.open_device(self.backend)
        self.runtime = braid.Runtime(self.folder)

    def start_results(self, machine=None):
        header = {"machine": machine or self.device.describe(),
                  "commit": self.manifest["commit"], "backend": self.backend}
        self.results = results.Results(self.stage, self.options.out,
                                       self.options.resume, header,
                                       self.options.retry)
        if self.options.resume:
            earlier = pathlib.Path(self.options.resume) / TUNING
            if earlier.exists() and not self.tuning().exists():
                shutil.copyfile(earlier, self.tuning())

    def function(self, name):
        if name not in self.functions:
            if name not in self.manifest["programs"]:
                raise braid.Error("%s has no program '%s'"
                                  % (self.folder, name))
            self.functions[name] = braid.Function(
                self.folder / "programs" / (name + ".so"),
                self.manifest["programs"][name])
        return self.functions[name]

    def models(self):
        return [name for name in ("tiny",) if self.backend == "host"] or \
            ["flash", "pro"]

    def context(self, capture, threshold):
        context = braid.Context(self.runtime, self.backend, capture, threshold)
        context.register("attention_stand_in", self.stand_in())
        self.device.contexts.append(context)
        return context

    def tuning(self):
        return pathlib.Path(self.options.out) / TUNING

    def prepare(self, context, calls):
        """Prepares calls of one context. All contexts use the algorithms that
        were timed first, so that their results have the same bits, and their
        times differ by the schedule alone."""
        path = self.tuning()
        # Of another machine or driver: tune anew.
        if path.exists() and not context.load_tuning(path):
            path.unlink()
        for call in calls:
            call.prepare()
        context.save_tuning(path)

    def stand_in(self):
        if not hasattr(self, "stand_in_library"):
            self.stand_in_library = ctypes.CDLL(
                str(self.folder / "libstand_in.so"))
        return ctypes.cast(self.stand_in_library.stand_in_run,
                           ctypes.c_void_p).value

    def close_contexts(self):
        self.device.synchronize()
        for context in self.device.contexts:
            context.close()
        self.device.contexts.clear()

    def measure(self, keys, measure_row):
        """Measures what is missing, as long as there is time. A row that fails
        says why, and the others go on. Returns whether nothing is left."""
        self.results.write()
        waiting = [key for key in keys if not self.results.has(key)]
        print("%s: %d rows, %d to measure" % (self.stage, len(keys),
                                              len(waiting)), flush=True)
        begin = time.monotonic()
        for done, key in enumerate(waiting, 1):
            if not self.budget.allows_another():
                print("%s: out of time before %s; go on with --resume"
                      % (self.stage, key), flush=True)
                return False
            # What is left of a row that takes the process down.
            self.results.add(key, {"failed": "the process ended here"})
            start = time.monotonic()
            try:
                row = measure_row(key)
            except Exception as error:
                # Whatever it was: the other rows shall have their turn.
                row = {"failed": one_line(error),
                       "trace": traceback.format_exc(limit=4)}
            usable = self.clean_up(row)
            seconds = time.monotonic() - start
            self.budget.took(seconds)
            self.results.add(key, dict(row, seconds=round(seconds, 2)))
            # Rows differ in length; the average is a guess.
            left = (time.monotonic() - begin) / done * (len(waiting) - done)
            print("%s: %s: %.1f s (%d of %d, some %.0f s left)%s" % (
                self.stage, key, seconds, done, len(waiting), left,
                "  FAILED: " + row["failed"] if "failed" in row else ""),
                flush=True)
            if not usable:
                print("%s: the device cannot be used any more by this process; "
                      "go on with --resume" % self.stage, flush=True)
                return False
        return True

    def clean_up(self, row):
        """Closes the row's contexts. Returns whether the device still works."""
        if not hasattr(self, "device"):
            return True
        try:
            self.close_contexts()
            return True
        except Exception as error:
            # After a fault on the device every call fails with it.
            row.setdefault("failed", one_line(error))
            return False


def one_line(error):
    """Some of PyTorch's messages are pages long."""
    lines = str(error).splitlines() or [""]
    return "%s: %s" % (type(error).__name__, lines[0][:300])


def spread(values):
    """Median, and the range in which the middle half lies."""
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return {"median": round(statistics.median(ordered), 3),
            "low": round(ordered[quarter], 3),
            "high": round(ordered[-1 - quarter], 3), "rounds": len(ordered)}


def table(header, rows):
    """A table of text, columns aligned."""
    rows = [[str(cell) for cell in row] for row in [header] + rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width
                               in zip(row, widths)) for row in rows)


def number(value, digits=1):
    return "-" if value is None else "%.*f" % (digits, value)
