#===- stage_gemms.py - The four GEMMs beside PyTorch ----------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The four GEMMs that read the hidden states: Braid and PyTorch in one process,
# on one stream, arms interleaved. Weights are rotated through several sets, so
# that they come from the GPU's memory and not from its caches.
#
# An arm is called WHO/STREAMS/HOW. STREAMS is serial, auxiliary-first or
# main-first (the order in which a fork is enqueued), or planned (Braid's own
# choice). HOW is eager, captured (one graph a call) or rotation (one graph
# that holds the calls with all sets of weights). WHO is braid, torch, or untuned:
# Braid with the first algorithm that cuBLASLt proposes.
#
#===------------------------------------------------------------------------===#

import random
import time

import braid
import programs
import stage

TOKENS = (1, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
WEIGHT_SETS = 6
# All that is measured is made anew so often within a row, and measured in so
# many rounds then: which queues the streams of a graph get moves its time by
# 3 %, more than the clock of a short one does.
SETUPS = 9
SETUPS_OF_MANY = 3  # above FEW_TOKENS
FEW_TOKENS = 512
ROUNDS = 15
PLACEMENTS = ("auxiliary-first", "main-first", "planned")
# Microseconds that one measurement of an arm shall take at least.
LONG_ENOUGH = 300.0


def keys(session):
    tokens = (1, 16) if session.backend == "host" else TOKENS
    return ["%s/%s/%d" % (model, scale, t) for model in session.models()
            for scale in programs.SCALES for t in tokens]


def bytes_and_flops(model, scale, tokens):
    """What the four GEMMs have to move and to compute."""
    moved, flops = 0, {"bf16": 0, "fp8": 0}
    for _, extents, element, _ in programs.gemm_arguments(model, scale):
        count = 1
        for extent in extents:
            count *= tokens if extent < 0 else extent
        moved += count * braid.BYTES[element]
    sizes = programs.MODELS[model]
    columns = (programs.COMPRESSOR + programs.INDEX_WEIGHTS +
               programs.INDEX_COMPRESSOR)
    flops["bf16"] = 2 * tokens * sizes["hidden"] * columns
    flops["fp8"] = 2 * tokens * sizes["hidden"] * sizes["attention"]
    return moved, flops


def floor(model, scale, tokens, ceilings):
    """Microseconds that no implementation is faster than, or None."""
    fp8 = ceilings.get("fp8_%s_tflops" % scale) or \
        ceilings.get("fp8_tensor_tflops")
    if not ceilings.get("copy_tbs") or not fp8:
        return None
    moved, flops = bytes_and_flops(model, scale, tokens)
    return max(moved / ceilings["copy_tbs"] / 1e6,
               flops["bf16"] / ceilings["bf16_tflops"] / 1e6 +
               flops["fp8"] / fp8 / 1e6)


#===------------------------------------------------------------------------===#
# Ceilings
#===------------------------------------------------------------------------===#


def measure_ceilings(device):
    """Bandwidth of a copy, bytes read and written, and rates of large GEMMs."""
    if device.kind != "cuda":
        return {}
    import torch

    def best(run, count):
        run(0)
        return min(device.time(run, count, 50) for _ in range(5))

    size = 4 << 30
    a = torch.empty(size, dtype=torch.uint8, device="cuda").random_()
    b = torch.empty_like(a)
    result = {"copy_tbs": 2 * size / best(lambda i: b.copy_(a), 5) / 1e6}
    del a, b
    n = 8192
    flops = 2 * n ** 3
    x = torch.randn(n, n, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(n, n, device="cuda", dtype=torch.bfloat16)
    out = torch.empty(n, n, device="cuda", dtype=torch.bfloat16)
    result["bf16_tflops"] = flops / best(
        lambda i: torch.mm(x, w.t(), out=out), 5) / 1e6
    for scale in programs.SCALES:
        x8, w8 = (v.to(torch.float8_e4m3fn) for v in (x, w))
        extents = [(1,), (1,)] if scale == "tensor" else \
            [(n, n // 128), (n // 128, n // 128)]
        scales = [torch.ones(e, device="cuda") for e in extents]
        try:
            multiply = scaled_mm(x8, w8, scales[0], scales[1], out)
            result["fp8_%s_tflops" % scale] = \
                flops / best(lambda i: multiply(), 5) / 1e6
        except braid.Error as error:
            result["fp8_%s_failed" % scale] = str(error)
    return {name: value if isinstance(value, str) else round(value, 2)
            for name, value in result.items()}


#===------------------------------------------------------------------------===#
# PyTorch
#===------------------------------------------------------------------------===#


def scaled_mm(x, weight, x_scale, weight_scale, out):
    """A function that enqueues out = (x x_scale) . (weight weight_scale)^T.
    How block scales have to lie in memory is not documented for all versions,
    so forms are tried until one gives the right result."""
    import torch
    w = weight.t()
    if x_scale.numel() == 1 and x_scale.dim() == 1:
        forms = [(x_scale.reshape(()), weight_scale.reshape(())),
                 (x_scale.reshape(1, 1), weight_scale.reshape(1, 1))]
    else:
        by_column = x_scale.t().contiguous().t()
        rows, columns = weight_scale.shape
        padded = torch.zeros(rows, (columns + 3) // 4 * 4, device="cuda")
        padded[:, :columns] = weight_scale
        padded = padded[:, :columns]
        forms = [(by_column, padded.t()), (by_column, weight_scale.t()),
                 (by_column, weight_scale.t().contiguous()),
                 (x_scale, weight_scale.t())]
    expected = dequantized(x[:64], x_scale[:64] if x_scale.dim() == 2 else
                           x_scale) @ dequantized(weight, weight_scale).t()
    messages = []
    for scale_a, scale_b in forms:
        def run(a=scale_a, b=scale_b):
            torch._scaled_mm(x, w, scale_a=a, scale_b=b, out=out,
                             out_dtype=torch.bfloat16)
        try:
            out.fill_(float("nan"))
            run()
            torch.cuda.synchronize()
        except (RuntimeError, ValueError, TypeError) as error:
            messages.append(stage.one_line(error))
            continue
        wrong = relative_error(out[:64], expected)
        if wrong < 1e-2:
            return run
        messages.append("wrong result, error %.2g" % wrong)
    raise braid.Error("torch._scaled_mm: " + "; ".join(messages))


def dequantized(values, scale):
    """fp8 with its scales, in float64."""
    import torch
    wide = values.to(torch.float64)
    if scale.numel() == 1 and scale.dim() == 1:
        return wide * scale.to(torch.float64)
    scale = scale.to(torch.float64).repeat_interleave(128, dim=1)
    if scale.shape[0] != values.shape[0]:
        scale = scale.repeat_interleave(128, dim=0)
    return wide * scale[:values.shape[0], :values.shape[1]]


def relative_error(result, expected):
    import torch
    difference = result.to(torch.float64) - expected
    error = (difference.norm() / expected.norm()).item()
    return error if error == error else float("inf")


class TorchGemms:
    """PyTorch's arms on one set of arrays."""

    def __init__(self, arrays, streams):
        import torch
        self.torch, self.streams = torch, streams
        self.elsewhere = set()  # results that are not in the arrays
        self.start = torch.cuda.Event()
        self.done = [torch.cuda.Event() for _ in streams]
        t = {name: array.tensor for name, array in arrays.items()}
        self.main = scaled_mm(t["values"], t["attention_weight"],
                              t["value_scale"], t["attention_scale"],
                              t["attention_result"])
        self.auxiliary = [
            self.product(t["hidden"], t[weight], result, t[result])
            for _, weight, result in programs.GEMMS[1:]]

    def product(self, x, weight, name, out):
        torch, w = self.torch, weight.t()
        if out.dtype == x.dtype:
            return lambda: torch.mm(x, w, out=out)
        expected = x[:64].to(torch.float64) @ weight.to(torch.float64).t()
        run = lambda: torch.mm(x, w, out_dtype=torch.float32, out=out)
        try:
            out.fill_(float("nan"))
            run()
            if relative_error(out[:64], expected) < 1e-2:
                return run
        except (TypeError, RuntimeError):
            pass
        # Without `out` it allocates, from PyTorch's cache.
        run = lambda: torch.mm(x, w, out_dtype=torch.float32)
        error = relative_error(run()[:64], expected)
        if not error < 1e-2:
            raise braid.Error("torch.mm with out_dtype: error %.2g" % error)
        self.elsewhere.add(name)
        return run

    def serial(self):
        self.main()
        for run in self.auxiliary:
            run()

    def forked(self, order):
        torch = self.torch
        current = torch.cuda.current_stream()
        self.start.record(current)
        if order == "main-first":
            self.main()
        for run, stream, done in zip(self.auxiliary, self.streams, self.done):
            stream.wait_event(self.start)
            with torch.cuda.stream(stream):
                run()
            done.record(stream)
        if order != "main-first":
            self.main()
        for done in self.done:
            current.wait_event(done)

    def enqueue(self, order):
        if order == "serial":
            self.serial()
        else:
            self.forked(order)


def captured(device, run):
    """A graph of what `run` enqueues; for PyTorch's calls and Braid's."""
    import torch
    graph = torch.cuda.CUDAGraph()
    device.synchronize()
    # torch.cuda.graph collects garbage and empties caches first, which for some
    # thousand graphs takes minutes.
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        run()
    finally:
        graph.capture_end()
    return graph


#===------------------------------------------------------------------------===#
# A row
#===------------------------------------------------------------------------===#


class Row:
    """The arrays of one form and token count, and Braid's calls on them."""

    def __init__(self, session, model, scale, tokens, modes=stage.MODES,
                 placements=PLACEMENTS):
        self.session, self.device = session, session.device
        self.model, self.scale, self.tokens = model, scale, tokens
        self.arms, self.notes, self.kept = {}, [], []
        self.elsewhere = set()
        self.sets = self.make_arrays()
        self.contexts = {mode: session.context(*settings)
                         for mode, settings in modes.items()}
        self.calls = {}
        for mode, context in self.contexts.items():
            for placement in placements:
                function = session.function("gemms_%s_%s_%s" % (
                    model, scale, placement.replace("-", "_")))
                self.calls[placement, mode] = [
                    braid.Call(context, function, arrays, self.device.stream)
                    for arrays in self.sets]
            session.prepare(context, [call for placement in placements
                                      for call in self.calls[placement, mode]])
        # Calls that are not prepared take the first algorithm that cuBLASLt
        # proposes, as PyTorch does.
        function = self.calls["auxiliary-first", "serial/eager"][0].function
        context = session.context(False, 0)
        self.untuned = [braid.Call(context, function, arrays,
                                   self.device.stream) for arrays in self.sets]
        self.device.synchronize()

    def make_arrays(self):
        """Sets that share everything but the weights."""
        shared, sets = {}, [{} for _ in range(WEIGHT_SETS)]
        seed = 0
        for name, extents, element, role in programs.gemm_arguments(
                self.model, self.scale):
            by_block = programs.is_by_block(name, extents)
            extents = [self.tokens if e < 0 else e for e in extents]
            for arrays in sets if role == "weight" else sets[:1]:
                seed += 1
                array = self.device.array(extents, element, by_block)
                if role != "output":
                    array.fill_random(seed)
                if "scale" in name:
                    make_positive(array)
                arrays[name] = array
            if role != "weight":
                shared[name] = sets[0][name]
        for arrays in sets:
            arrays.update(shared)
        return sets

    def outputs(self):
        return {result: self.sets[0][result]
                for _, _, result in programs.GEMMS}

    def braid_arms(self):
        arms = {}
        for how in ("eager", "captured"):
            arms["braid/serial/" + how] = \
                self.calls["auxiliary-first", "serial/" + how]
            for placement in PLACEMENTS:
                arms["braid/%s/%s" % (placement, how)] = \
                    self.calls[placement, "streams/" + how]
        return arms

    def add_rotation(self, name, calls):
        def all_of_them():
            for call in calls:
                call()
        try:
            graph = captured(self.device, all_of_them)
        except (RuntimeError, braid.Error) as error:
            self.notes.append("%s: %s" % (name, stage.one_line(error)))
            self.device.synchronize()
            return
        self.kept.append(graph)
        self.arms[name] = ("rotation", lambda i: graph.replay())

    def add_arms(self):
        for name, calls in self.braid_arms().items():
            self.arms[name] = (name.split("/")[2],
                               lambda i, c=calls: c[i % WEIGHT_SETS]())
        if self.device.kind != "cuda":
            return
        for call in self.untuned:
            call()
        self.add_rotation("untuned/serial/rotation", self.untuned)
        for name, calls in self.braid_arms().items():
            if name.endswith("/eager"):
                self.add_rotation(name.replace("eager", "rotation"), calls)
        gemms = self.torch_gemms()
        if not gemms:
            return
        for order in ("serial", "auxiliary-first", "main-first"):
            calls = [lambda g=g, o=order: g.enqueue(o) for g in gemms]
            for call in calls:
                call()
            self.device.synchronize()
            self.arms["torch/%s/eager" % order] = (
                "eager", lambda i, c=calls: c[i % WEIGHT_SETS]())
            graphs = [captured(self.device, call) for call in calls]
            self.kept.append(graphs)
            self.arms["torch/%s/captured" % order] = (
                "captured", lambda i, g=graphs: g[i % WEIGHT_SETS].replay())
            self.add_rotation("torch/%s/rotation" % order, calls)

    def torch_gemms(self):
        """PyTorch's products on each set of arrays; none, and a note, where it
        has no such product."""
        import torch
        streams = [torch.cuda.Stream() for _ in range(3)]
        try:
            gemms = [TorchGemms(arrays, streams) for arrays in self.sets]
        except braid.Error as error:
            self.notes.append("no PyTorch: %s" % error)
            return []
        self.kept.append(gemms)
        self.elsewhere = gemms[0].elsewhere
        if self.elsewhere:
            self.notes.append("torch.mm allocates the results of %s"
                              % ", ".join(sorted(self.elsewhere)))
        return gemms

    def check(self):
        """Every arm computes the same: Braid's bit for bit, all of them within
        rounding of float64. Returns errors, and what is wrong."""
        errors, wrong, first = {}, [], {}
        expected = self.expected()
        for name, (how, run) in self.arms.items():
            for array in self.outputs().values():
                array.fill_bytes(0xFF)
            run(0)
            self.device.synchronize()
            # These hold all sets, and leave the results of the last one.
            if how == "rotation":
                continue
            worst = 0.0
            for result, array in self.outputs().items():
                if name.startswith("braid/"):
                    if result not in first:
                        first[result] = array.copy()
                    elif not array.equals(first[result]):
                        wrong.append("%s: %s differs from %s" % (
                            name, result, next(iter(self.arms))))
                if expected and not (name.startswith("torch/") and
                                     result in self.elsewhere):
                    worst = max(worst, self.error(result, array, expected))
            if expected:
                errors[name] = worst
                if not worst < 1e-2:
                    wrong.append("%s: error %.2g against float64"
                                 % (name, worst))
        return errors, wrong

    def rows_compared(self):
        """The first and the last rows: all of them in float64 take long."""
        if self.tokens <= 512:
            return [slice(0, self.tokens)]
        return [slice(0, 256), slice(self.tokens - 256, self.tokens)]

    def expected(self):
        if self.device.kind != "cuda":
            return None
        import torch
        t = {name: array.tensor for name, array in self.sets[0].items()}
        result = {}
        for x, weight, out in programs.GEMMS:
            pieces = []
            for rows in self.rows_compared():
                if x == "values":
                    scale = t["value_scale"]
                    a = dequantized(t[x][rows],
                                    scale[rows] if scale.dim() == 2 else scale)
                    w = dequantized(t[weight], t["attention_scale"])
                else:
                    a = t[x][rows].to(torch.float64)
                    w = t[weight].to(torch.float64)
                pieces.append(a @ w.t())
            result[out] = pieces
        return result

    def error(self, name, array, expected):
        return max(relative_error(array.tensor[rows], piece) for rows, piece
                   in zip(self.rows_compared(), expected[name]))

    def count(self, how, estimate):
        """How often an arm runs between two events."""
        times = max(1, min(8, round(LONG_ENOUGH / (estimate * WEIGHT_SETS))))
        return times if how == "rotation" else times * WEIGHT_SETS

    def measure(self, rounds, times):
        """Adds microseconds a call to the lists in `times`."""
        counts, ahead = {}, {}
        for name, (how, run) in self.arms.items():
            estimate = min(self.device.time(run, WEIGHT_SETS, 0)
                           for _ in range(2))
            start = time.perf_counter()
            for i in range(WEIGHT_SETS):
                run(i)
            host = (time.perf_counter() - start) * 1e6 / WEIGHT_SETS
            self.device.synchronize()
            if how == "rotation":
                estimate /= WEIGHT_SETS
            counts[name] = self.count(how, estimate)
            # Eager arms are measured as they come: launching is their cost.
            ahead[name] = 0 if how == "eager" else host * 1.5
        order, source = list(self.arms), random.Random(1)
        for _ in range(rounds):
            source.shuffle(order)
            for name in order:
                how, run = self.arms[name]
                value = self.device.time(run, counts[name], ahead[name])
                times.setdefault(name, []).append(
                    value / WEIGHT_SETS if how == "rotation" else value)


def make_positive(array):
    """Scales are positive powers of two or so."""
    if array.element != "f32":
        return
    data = bytearray(array.read())
    data[3::4] = bytes(b & 0x7F for b in data[3::4])
    array.write(bytes(data))


def serial_agreement(arms):
    """Braid's serial time over PyTorch's, per way of running them."""
    result = {}
    for name, who, how in (("captured", "braid", "captured"),
                           ("rotation", "braid", "rotation"),
                           ("untuned", "untuned", "rotation")):
        a, b = "%s/serial/%s" % (who, how), "torch/serial/" + how
        if a in arms and b in arms:
            result[name] = round(arms[a]["median"] / arms[b]["median"], 3)
    return result


def run(session):
    session.open()
    session.start_results()
    ceilings = measure_ceilings(session.device)
    session.results.run["ceilings"] = ceilings

    def measure_row(key):
        model, scale, tokens = key.split("/")
        setups = SETUPS if int(tokens) <= FEW_TOKENS else SETUPS_OF_MANY
        rounds = session.options.rounds or ROUNDS * setups
        setups = min(setups, rounds)
        times, row = {}, None
        for setup in range(setups):
            # The last one's memory stays until the next one has its own.
            session.close_contexts()
            row = Row(session, model, scale, int(tokens))
            row.add_arms()
            errors, wrong = row.check()
            if wrong:
                break
            row.measure(rounds // setups + (setup < rounds % setups), times)
        arms = {name: stage.spread(values) for name, values in times.items()}
        statistics = {mode: context.statistics()
                      for mode, context in row.contexts.items()}
        result = {"model": model, "scale": scale, "tokens": int(tokens),
                  "arms": arms, "errors": errors, "wrong": wrong,
                  "notes": row.notes, "statistics": statistics,
                  "serial_agreement": serial_agreement(arms)}
        limit = floor(model, scale, int(tokens), ceilings)
        if limit:
            result["floor"] = round(limit, 2)
        return result

    finished = session.measure(keys(session), measure_row)
    print_table(session.results.rows())
    return finished


def print_table(rows):
    names = ["braid/serial/captured", "braid/auxiliary-first/captured",
             "braid/main-first/captured", "braid/planned/captured",
             "torch/serial/captured", "torch/auxiliary-first/captured",
             "braid/auxiliary-first/eager", "torch/serial/eager"]
    header = ["model", "scale", "T", "floor"] + [
        name.replace("auxiliary", "aux").replace("captured", "cap")
        for name in names] + ["serial"]
    lines = []
    for row in rows:
        if "arms" not in row:
            continue
        lines.append([row["model"], row["scale"], row["tokens"],
                      stage.number(row.get("floor"))] +
                     [stage.number(row["arms"].get(name, {}).get("median"))
                      for name in names] +
                     [" ".join("%.2f" % v for v
                               in row["serial_agreement"].values()) or "-"])
    print(stage.table(header, lines))
    for row in rows:
        for text in row.get("wrong", []):
            print("WRONG %s: %s" % (row["key"], text))
        agreement = row.get("serial_agreement", {})
        if any(not 0.95 <= value <= 1.05 for value in agreement.values()):
            print("SERIAL %s: Braid's serial time over PyTorch's: %s" % (
                row["key"], ", ".join("%s %.2f" % item
                                      for item in agreement.items())))
