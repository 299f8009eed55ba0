#===- stage_narrow.py - Wide and narrow eager regions ---------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The input part of a layer as an engine first writes it, all in an eager region,
# beside what sched-narrow-eager makes of it: launches, host time and latency.
#
#===------------------------------------------------------------------------===#

import random
import time

import braid
import stage
import stage_tests

TOKENS = {"cuda": (1, 16, 64, 128, 256, 512, 1024, 4096), "host": (1, 16)}
ROUNDS = 25
CALLS = 10


def make_calls(session, model, tokens):
    arrays = stage_tests.input_arrays(session, model, tokens)
    stage_tests.change_contents(arrays, tokens, 1)
    calls = {}
    for form in ("wide", "narrow"):
        function = session.function("input_%s_%s" % (model, form))
        for streams, threshold in (("serial", 0), ("streams", stage.ALWAYS)):
            context = session.context(True, threshold)
            call = braid.Call(context, function, arrays,
                              session.device.stream)
            session.prepare(context, [call])
            call()
            calls["%s/%s" % (form, streams)] = call
    session.device.synchronize()
    return calls


def counters(call, device):
    """What one call adds to the context's counters."""
    before = call.context.statistics()
    call()
    device.synchronize()
    after = call.context.statistics()
    return {name: after[name] - before[name]
            for name in ("launches", "replayed", "replays", "breaks")}


def measure(session, model, tokens):
    calls, device = make_calls(session, model, tokens), session.device
    row = {"model": model, "tokens": tokens,
           "counters": {name: counters(call, device)
                        for name, call in calls.items()}}
    host = {name: [] for name in calls}
    latency = {name: [] for name in calls}
    busy = {name: [] for name in calls}
    order, source = list(calls), random.Random(1)
    for _ in range(session.options.rounds or ROUNDS):
        source.shuffle(order)
        for name in order:
            call = calls[name]
            device.synchronize()
            start = time.perf_counter()
            call()
            enqueued = time.perf_counter()
            device.synchronize()
            end = time.perf_counter()
            host[name].append((enqueued - start) * 1e6)
            latency[name].append((end - start) * 1e6)
            # Without pauses between launches: what the GPU itself takes.
            busy[name].append(device.time(lambda i: call(), CALLS, 400))
    for kind, times in (("host", host), ("latency", latency), ("device", busy)):
        row[kind] = {name: stage.spread(values)
                     for name, values in times.items()}
    return row


def run(session):
    session.open()
    session.start_results()

    def measure_row(key):
        model, tokens = key.split("/")
        return measure(session, model, int(tokens))

    finished = session.measure(
        ["%s/%d" % (model, tokens) for model in session.models()
         for tokens in TOKENS[session.backend]], measure_row)
    print_table(session.results.rows())
    return finished


def print_table(rows):
    lines = []
    for row in rows:
        for name, counts in row.get("counters", {}).items():
            lines.append([row["model"], row["tokens"], name,
                          counts["launches"], counts["replayed"]] +
                         [stage.number(row[kind][name]["median"])
                          for kind in ("host", "latency", "device")])
    print(stage.table(["model", "T", "form", "launched", "replayed", "host us",
                       "latency us", "device us"], lines))
