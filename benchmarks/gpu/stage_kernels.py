#===- stage_kernels.py - Which kernels the GEMMs are ----------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Why serial times of Braid and PyTorch differ: for each row of the gemms stage
# the kernels of one call, in order, with their times as PyTorch's profiler sees
# them. It sees all kernels of the process. Arms are braid, untuned (the first
# algorithm that cuBLASLt proposes) and torch, all serial and launched one by
# one. Braid takes the algorithms that the gemms stage timed.
#
#===------------------------------------------------------------------------===#

import collections
import json
import os
import re
import statistics
import tempfile

import braid
import programs
import stage
import stage_gemms

ROUNDS = 5
PRODUCTS = "ABCD"
# Names of categories in the profiler's trace.
ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
# What a product launches besides its kernel: before it, and after it.
BEFORE = re.compile(r"convertScales|[Mm]emcpy|[Mm]emset")
AFTER = re.compile(r"splitKreduce|reduce_kernel|elementwise")
LONGEST_NAME = 100


#===------------------------------------------------------------------------===#
# Names
#===------------------------------------------------------------------------===#


def split_arguments(text):
    """`a<b, c>(d)` as 'a', ['b', 'c']; without < the second is None."""
    depth, start, arguments = 0, None, []
    for i, character in enumerate(text):
        if character in "<(" and depth == 0:
            if character == "(":
                return text[:i], None
            name, start = text[:i], i + 1
        if character in "<([":
            depth += 1
        elif character in ">)]":
            depth -= 1
        if start is not None and (depth == 0 or depth == 1 and
                                  character == ","):
            arguments.append(text[start:i].strip())
            start = i + 1
            if depth == 0:
                return name, arguments
    return text, None


def short_name(name):
    """What tells a kernel apart: its name without namespaces, and numbers and
    element types among its template arguments. Kernels of CUTLASS and cuBLASLt
    have it all in one long word."""
    long_words = re.findall(r"\b(?:cutlass|sm|nvjet)\w*_\w*\d+x\d+\w*", name)
    if long_words:
        return re.sub(r"_kernel__5x_cublas$", "", max(
            long_words, key=len))[:LONGEST_NAME]
    text = name.replace("(anonymous namespace)::", "")
    # The type of the result, which may itself have arguments.
    text = re.sub(r"^(void|std::enable_if<.*?>::type) ", "", text)
    head, arguments = split_arguments(text)
    words = [word for word in head.split("::") if word]
    head = "::".join(words[-2:]) if words[-1:] == ["kernel"] else \
        (words or [text])[-1]
    kept = []
    for argument in arguments or []:
        argument = argument.replace("(int)", "")
        argument = {"__nv_bfloat16": "bf16", "__nv_fp8_e4m3": "e4m3",
                    "__half": "f16", "float": "f32",
                    "double": "f64"}.get(argument, argument)
        if re.fullmatch(r"-?\d+|bf16|e4m3|f16|f32|f64|true|false", argument):
            kept.append(argument)
    short = head.strip() + ("<%s>" % ", ".join(kept) if kept else "")
    # Tiles of CUTLASS 3 are types.
    tiles = ["x".join(re.findall(r"\d+", tile)) for tile in re.findall(
        r"tuple<((?:cute::)?C<\d+>(?:, ?(?:cute::)?C<\d+>)+)>",
        name.replace("(int)", "").replace(" >", ">"))]
    return " ".join([short] + tiles[:2])[:LONGEST_NAME]


#===------------------------------------------------------------------------===#
# Traces
#===------------------------------------------------------------------------===#


def device_events(trace):
    """What ran on the GPU, in order, of a trace in Chrome's form."""
    events = [event for event in trace.get("traceEvents", [])
              if event.get("cat") in ON_DEVICE and "dur" in event]
    return sorted(events, key=lambda event: event["ts"])


def pieces(events, marker):
    """The events between kernels of that name; each piece ends with one."""
    result = [[]]
    for event in events:
        if event["name"] == marker:
            result.append([])
        else:
            result[-1].append(event)
    if result.pop():
        raise braid.Error("something ran after the last marker")
    return result


def identity(event):
    """Whole name, and grid as text."""
    grid = event.get("args", {}).get("grid")
    return event["name"], "x".join(map(str, grid)) if grid else ""


def median_kernels(calls):
    """The kernels of one call. `calls` are lists of events of the same call,
    made again and again; those that launched something else than most are left
    out. Returns the kernels, and how many calls were left out."""
    forms = collections.Counter(tuple(map(identity, call)) for call in calls)
    form, count = forms.most_common(1)[0]
    same = [call for call in calls if tuple(map(identity, call)) == form]
    kernels = []
    for (name, grid), events in zip(form, zip(*same)):
        kernel = {"name": short_name(name)}
        if kernel["name"] != name:
            kernel["whole_name"] = name
        if grid:
            kernel["grid"] = grid
        kernel["us"] = round(statistics.median(e["dur"] for e in events), 3)
        kernels.append(kernel)
    return kernels, len(calls) - count


def attribute(kernels):
    """Says of which product each kernel of a whole call is, where that can be
    told: where there are as many products as kernels of one's own."""
    products, waiting = [], False
    current = -1
    for kernel in kernels:
        name = kernel.get("whole_name", kernel["name"])
        if AFTER.search(name) and current >= 0 and not waiting:
            pass
        elif BEFORE.search(name):
            current += not waiting
            waiting = True
        else:
            current += not waiting
            waiting = False
        products.append(current)
    if waiting or current + 1 != len(PRODUCTS):
        return
    for kernel, product in zip(kernels, products):
        kernel["product"] = PRODUCTS[product]


def summarize(steps, events, marker):
    """Kernels by arm, and notes. `steps` are the (arm, product) that ran, one
    after another, each with a marker behind it; product is None for a whole
    call."""
    found = pieces(events, marker)
    if len(found) != len(steps):
        raise braid.Error("the profiler saw %d of %d calls"
                          % (len(found), len(steps)))
    calls = {}
    for step, piece in zip(steps, found):
        calls.setdefault(step, []).append(piece)
    arms, notes = {}, []
    for (arm, product), of_step in calls.items():
        kernels, left_out = median_kernels(of_step)
        if left_out:
            notes.append("%s: %d of %d calls launched other kernels" % (
                arm, left_out, len(of_step)))
        if product:
            for kernel in kernels:
                kernel["product"] = product
        else:
            attribute(kernels)
        arms.setdefault(arm, []).extend(kernels)
    return arms, notes


#===------------------------------------------------------------------------===#
# A row
#===------------------------------------------------------------------------===#


def mark():
    """Launches a short kernel that nothing else launches."""
    import torch
    torch.cuda._sleep(100)


def profile(run):
    """What `run` launches on the GPU, in order."""
    import torch
    from torch.profiler import ProfilerActivity
    with torch.profiler.profile(activities=[ProfilerActivity.CUDA]) as profiler:
        run()
        torch.cuda.synchronize()
    handle, path = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    try:
        profiler.export_chrome_trace(path)
        with open(path, errors="replace") as file:
            return device_events(json.load(file))
    finally:
        os.unlink(path)


def make_steps(row):
    """(arm, product, what enqueues it) for each set of weights."""
    mode = "auxiliary-first", "serial/eager"
    steps = [("braid", None, call) for call in row.calls[mode]]
    steps += [("untuned", None, call) for call in row.untuned]
    if row.device.kind == "cuda":
        for gemms in row.torch_gemms():
            steps += [("torch", product, run) for product, run
                      in zip(PRODUCTS, [gemms.main] + gemms.auxiliary)]
    return steps


def find_marker():
    """The name of the kernel that separates calls; None where the profiler does
    not show it."""
    try:
        events = profile(mark)
    except RuntimeError as error:
        print("kernels: " + stage.one_line(error))
        events = []
    return events[-1]["name"] if events else None


def measure(session, model, scale, tokens, marker):
    row = stage_gemms.Row(
        session, model, scale, tokens,
        {"serial/eager": stage.MODES["serial/eager"]}, ("auxiliary-first",))
    steps = make_steps(row)
    for _, _, run in steps:
        run()
    session.device.synchronize()
    result = {"model": model, "scale": scale, "tokens": tokens,
              "notes": row.notes}
    if session.device.kind != "cuda":
        return dict(result, skipped="needs a GPU")
    if not marker:
        return dict(result, again=True, skipped="PyTorch's profiler sees no "
                    "kernels on this machine")
    rounds = session.options.rounds or ROUNDS

    def run_all():
        for _ in range(rounds):
            for _, _, run in steps:
                run()
                mark()

    arms, notes = summarize([step[:2] for step in steps] * rounds,
                            profile(run_all), marker)
    return dict(result, arms=arms, notes=row.notes + notes)


def run(session):
    session.open()
    session.start_results()
    # Otherwise the rows say what was timed now.
    tuned = session.tuning().exists()
    session.results.run["algorithms"] = (
        "of the gemms stage" if tuned else "timed anew")
    if not tuned and session.device.kind == "cuda":
        print("kernels: %s does not exist; algorithms are timed anew"
              % session.tuning())

    marker = find_marker() if session.device.kind == "cuda" else None

    def measure_row(key):
        model, scale, tokens = key.split("/")
        return measure(session, model, scale, int(tokens), marker)

    finished = session.measure(stage_gemms.keys(session), measure_row)
    print_table(session.results.rows())
    return finished


def print_table(rows):
    lines = []
    for row in rows:
        for arm, kernels in row.get("arms", {}).items():
            lines.append([row["key"], arm,
                          stage.number(sum(k["us"] for k in kernels), 2),
                          "; ".join("%s%s %.2f" % (
                              k["product"] + " " if "product" in k else "",
                              k["name"], k["us"]) for k in kernels)])
    print(stage.table(["row", "arm", "us", "kernels"], lines))
    for reason, count in collections.Counter(
            row["skipped"] for row in rows if "skipped" in row).items():
        print("kernels: %d rows skipped: %s" % (count, reason))
