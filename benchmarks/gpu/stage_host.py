#===- stage_host.py - What launching costs on the host --------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Host time of enqueueing: chains of small GEMMs launched one by one and replayed
# as a segment, and GEMMs forked off and joined; by Braid, by PyTorch, and by a
# loop of the same CUDA calls written by hand (Handwritten.cpp). Nothing waits
# while the clock runs, and the queues never fill.
#
#===------------------------------------------------------------------------===#

import ctypes
import random
import time

import braid
import pack
import programs
import stage
import stage_gemms

TOKENS = 16
ROUNDS = 201


class Handwritten:
    def __init__(self, session, arrays):
        folder = session.folder
        if not (folder / "libhandwritten.so").exists():
            pack.compile_handwritten(folder)
        self.library = ctypes.CDLL(str(folder / "libhandwritten.so"))
        self.library.handwritten_error.restype = ctypes.c_char_p
        create = self.library.handwritten_create
        create.restype = ctypes.c_void_p
        create.argtypes = [ctypes.c_int64] * 2 + [ctypes.c_void_p] * 5
        for name in ("chain", "capture", "replay", "forks", "destroy"):
            getattr(self.library, "handwritten_" + name).argtypes = \
                [ctypes.c_void_p] + [ctypes.c_int] * (
                    {"chain": 1, "capture": 1, "forks": 2}.get(name, 0))
        self.handles = []
        self.arguments = [TOKENS, programs.CHAIN_WIDTH] + [
            arrays[name].pointer for name in ("x", "weight", "y", "z")] + [
            session.device.stream]

    def open(self):
        handle = self.library.handwritten_create(*self.arguments)
        if not handle:
            raise braid.Error(self.library.handwritten_error().decode())
        self.handles.append(handle)
        return handle

    def function(self, name, *arguments):
        """A function without arguments that enqueues, and checks once."""
        handle = self.open()
        call = getattr(self.library, "handwritten_" + name)
        if name == "replay":
            self.check(self.library.handwritten_capture(handle, *arguments))
            arguments = ()
        self.check(call(handle, *arguments))
        return lambda: call(handle, *arguments)

    def check(self, status):
        if status:
            raise braid.Error(self.library.handwritten_error().decode())

    def close(self):
        for handle in self.handles:
            self.library.handwritten_destroy(handle)


class TorchChains:
    def __init__(self, session, arrays):
        import torch
        self.torch, self.device = torch, session.device
        self.x, self.y, self.z = (arrays[n].tensor for n in "xyz")
        self.w = arrays["weight"].tensor.t()
        self.auxiliary = torch.cuda.Stream()
        self.start, self.done = torch.cuda.Event(), torch.cuda.Event()
        self.kept = []

    def chain(self, length):
        mm, w = self.torch.mm, self.w
        source, results = self.x, (self.y, self.z)
        for i in range(length):
            mm(source, w, out=results[i % 2])
            source = results[i % 2]

    def replay(self, length):
        self.chain(length)
        graph = stage_gemms.captured(self.device, lambda: self.chain(length))
        self.kept.append(graph)
        return graph.replay

    def forks(self, count, forked):
        torch, current = self.torch, self.device.torch_stream
        for i in range(count):
            torch.mm(self.y if i else self.x, self.w, out=self.z)
            if not forked:
                torch.mm(self.z, self.w, out=self.y)
                continue
            self.start.record(current)
            self.auxiliary.wait_event(self.start)
            with torch.cuda.stream(self.auxiliary):
                torch.mm(self.z, self.w, out=self.y)
            self.done.record(self.auxiliary)
            current.wait_event(self.done)


def host_times(session, arms):
    """Microseconds until each arm has enqueued, interleaved."""
    times = {name: [] for name in arms}
    order, source = list(arms), random.Random(1)
    for run in arms.values():
        for _ in range(5):
            run()
        session.device.synchronize()
    for _ in range(session.options.rounds or ROUNDS):
        source.shuffle(order)
        for name in order:
            run = arms[name]
            session.device.synchronize()
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) * 1e6)
    session.device.synchronize()
    return {name: stage.spread(values) for name, values in times.items()}


def make_arrays(session):
    arrays = {}
    for seed, (name, extents, element, _) in enumerate(
            programs.chain_arguments()):
        arrays[name] = session.device.array(
            [TOKENS if e < 0 else e for e in extents], element)
        arrays[name].fill_random(seed)
    return arrays


def run(session):
    session.open()
    session.start_results()

    def braid_call(capture, program, arrays):
        context = session.context(capture, stage.ALWAYS)
        call = braid.Call(context, session.function(program), arrays,
                          session.device.stream)
        session.prepare(context, [call])
        return call

    def make_arms(key, arrays):
        """Arms by name, and what is to be kept until they have run."""
        on_gpu = session.device.kind == "cuda"
        kept, arms = [], {}
        if on_gpu:
            hand, torch_chains = (Handwritten(session, arrays),
                                  TorchChains(session, arrays))
            kept += [hand, torch_chains]
        if key == "forks":
            for name, forked in (("forked", True), ("serial", False)):
                arms["braid/" + name] = braid_call(False, "forks_" + name,
                                                   arrays)
                if on_gpu:
                    arms["handwritten/" + name] = hand.function(
                        "forks", programs.FORKS, int(forked))
                    arms["torch/" + name] = lambda f=forked: \
                        torch_chains.forks(programs.FORKS, f)
            return arms, kept
        for length in programs.CHAIN_LENGTHS:
            program = "chain_%d" % length
            arms["braid/%d" % length] = braid_call(key == "replayed", program,
                                                   arrays)
            if not on_gpu:
                continue
            if key == "replayed":
                arms["handwritten/%d" % length] = hand.function("replay",
                                                                length)
                arms["torch/%d" % length] = torch_chains.replay(length)
            else:
                arms["handwritten/%d" % length] = hand.function("chain",
                                                                length)
                arms["torch/%d" % length] = lambda n=length: \
                    torch_chains.chain(n)
        if on_gpu:
            # What a call through ctypes costs by itself.
            arms["ctypes/0"] = hand.function("chain", 0)
        return arms, kept

    def measure_row(key):
        key = key.split("/")[0]
        arrays = make_arrays(session)
        arms, kept = make_arms(key, arrays)
        session.device.synchronize()
        times = host_times(session, arms)
        row = {"kind": key, "times": times, "summary": summary(key, times)}
        for item in kept:
            if isinstance(item, Handwritten):
                item.close()
        return row

    # All of it twice, since host times vary from run to run.
    finished = session.measure(
        [kind + suffix for suffix in ("", "/again")
         for kind in ("launched", "replayed", "forks")], measure_row)
    print_table(session.results.rows())
    return finished


def summary(key, times):
    """Microseconds per op, per segment of each length, or per fork and join."""
    result, lengths = {}, programs.CHAIN_LENGTHS
    for who in ("braid", "handwritten", "torch"):
        median = {name.split("/")[1]: value["median"]
                  for name, value in times.items()
                  if name.startswith(who + "/")}
        if not median:
            continue
        if key == "forks":
            result[who] = round((median["forked"] - median["serial"]) /
                                programs.FORKS, 3)
        elif key == "launched":
            first, last = lengths[0], lengths[-1]
            result[who] = round((median[str(last)] - median[str(first)]) /
                                (last - first), 3)
        else:
            result[who] = {str(n): round(median[str(n)], 2) for n in lengths}
    return result


def print_table(rows):
    lines = []
    for row in rows:
        for who, value in row.get("summary", {}).items():
            text = value if not isinstance(value, dict) else "  ".join(
                "%s ops: %.1f" % item for item in value.items())
            unit = {"launched": "us an op", "replayed": "us a segment",
                    "forks": "us a fork and join"}[row["kind"]]
            lines.append([row["key"], who, text, unit])
    print(stage.table(["kind", "who", "time", "unit"], lines))
