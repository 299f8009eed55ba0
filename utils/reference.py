#!/usr/bin/env python3
#===- reference.py - The attention layer in float64 -----------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# An independent implementation of one DeepSeek-V4 attention layer, written
# from its formulas with numpy in float64: one sequence from position 0, no
# paging. It rounds nothing, or the same values to bf16 and fp8 as a layer does
# that is compiled for these types. Tests compare compiled layers with it.
#
#   reference.py FOLDER [--tolerance A]
#     reads FOLDER/config.json and FOLDER/{swa,c4a,c128a}.safetensors, computes
#     every stored output and rope table again, and prints the largest absolute
#     difference per kind and length. Exits with 1 if one exceeds A (1e-5).
#
#   reference.py --make CONFIG OUT --seed S --tokens T
#     writes such a folder: random weights, a random input of T tokens and its
#     outputs, one file per layer kind that occurs in CONFIG.
#
#   reference.py --make ... --dtype bf16|fp8 [--history H] [--kind K]
#     the same with weights in these types, as they are published, and with
#     outputs of the last T of H + T tokens. Each file also holds
#       selected         entries that the indexer selects without rounding
#       output.f32       the output without rounding
#       output.plain     the output of a layer of this type, plain caches
#       output.fp8       the same with packed caches
#       scores.*         the indexer's scores in each of the three; -inf where
#                        there is no entry yet
#     all outputs with the entries in `selected`.
#
# Needs numpy.
#
#===------------------------------------------------------------------------===#

import argparse
import json
import math
import os
import sys

import numpy as np

KINDS = {
    "sliding_attention": "swa",
    "compressed_sparse_attention": "c4a",
    "heavily_compressed_attention": "c128a",
}

# Names as published, relative to `layers.N.attn.`, and the module names of
# Hugging Face, relative to `model.layers.N.self_attn.`.
HUGGING_FACE_NAMES = {
    "wq_a.weight": "q_a_proj.weight",
    "wkv.weight": "kv_proj.weight",
    "q_norm.weight": "q_a_norm.weight",
    "kv_norm.weight": "kv_norm.weight",
    "wq_b.weight": "q_b_proj.weight",
    "attn_sink": "sinks",
    "wo_a.weight": "o_a_proj.weight",
    "wo_b.weight": "o_b_proj.weight",
    "compressor.wkv.weight": "compressor.kv_proj.weight",
    "compressor.wgate.weight": "compressor.gate_proj.weight",
    "compressor.ape": "compressor.position_bias",
    "compressor.norm.weight": "compressor.kv_norm.weight",
    "indexer.wq_b.weight": "compressor.indexer.q_b_proj.weight",
    "indexer.weights_proj.weight":
        "compressor.indexer.scorer.weights_proj.weight",
    "indexer.compressor.wkv.weight": "compressor.indexer.kv_proj.weight",
    "indexer.compressor.wgate.weight": "compressor.indexer.gate_proj.weight",
    "indexer.compressor.ape": "compressor.indexer.position_bias",
    "indexer.compressor.norm.weight": "compressor.indexer.kv_norm.weight",
}

# Weights that checkpoints in fp8 hold as e4m3 with a scale for each block of
# 128 x 128, called `.scale` in place of `.weight`.
FP8_WEIGHTS = ("wq_a.weight", "wkv.weight", "wq_b.weight", "wo_a.weight",
               "wo_b.weight", "indexer.wq_b.weight")

# Two neighbouring scores at the top-k cut that are closer than this make the
# selection depend on rounding.
SMALLEST_GAP = 2e-4


#===------------------------------------------------------------------------===#
# Element types
#===------------------------------------------------------------------------===#


def to_bf16(x):
    """The bits of the nearest bf16, ties to even; no NaNs."""
    bits = np.asarray(x, "<f4").view("<u4")
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype("<u2")


def from_bf16(bits):
    return (bits.astype("<u4") << 16).view("<f4")


def exponent(x):
    """floor(log2(x)) of positive numbers."""
    return np.frexp(x)[1] - 1


def round_e4m3(x):
    """The nearest e4m3, ties to even; beyond 448 the largest one."""
    x = np.clip(x, -448, 448)
    # Three bits of mantissa down to 2^-6, and no finer steps below.
    step = np.exp2(np.maximum(exponent(np.abs(x)), -6) - 3)
    return np.rint(x / step) * step


def to_e4m3(x):
    """The bits of numbers that are e4m3."""
    size = np.abs(x)
    power = np.maximum(exponent(size), -7)
    # Below 2^-6 in steps of 2^-9, with 0 in the field of the exponent.
    bits = np.where(size < 2.0 ** -6, size * 2.0 ** 9,
                    (power + 7) * 8 + (size * np.exp2(-power) - 1) * 8)
    return bits.astype("u1") | np.signbit(x).astype("u1") << 7


def from_e4m3(bits):
    power, fraction = bits >> 3 & 15, (bits & 7) / 8
    size = np.where(power == 0, fraction * 2.0 ** -6,
                    (1 + fraction) * np.exp2(power - 7.0))
    return np.where(bits >> 7, -size, size)


def to_e8m0(x):
    return (exponent(x) + 127).astype("u1")


def from_e8m0(bits):
    return np.exp2(bits - 127.0)


def scale_of(largest):
    """2^ceil(log2(max(largest, 1e-4) / 448))."""
    fraction, power = np.frexp(np.maximum(largest, 1e-4) / 448)
    return np.exp2(np.where(fraction == 0.5, power - 1, power))


def quantize(x, block):
    """Rounds the last channels block by block to scaled e4m3."""
    y = np.empty_like(x)
    for c in range(0, x.shape[-1], block):
        part = x[..., c:c + block]
        scale = scale_of(np.abs(part).max(axis=-1, keepdims=True, initial=0))
        y[..., c:c + block] = round_e4m3(part / scale) * scale
    return y


def spread(scale, rows, columns):
    """A scale for each element, from one for each block of 128 x 128."""
    return scale.repeat(128, axis=0)[:rows].repeat(128, axis=1)[:, :columns]


class Types:
    """What a layer that is compiled for these types rounds. `sums` is the type
    of sums in linears."""

    def __init__(self, dtype, cache, sums=np.float64):
        self.dtype, self.packed, self.sums = dtype, cache == "fp8", sums

    def linear(self, x, weight):
        y = x.astype(self.sums, copy=False) @ \
            weight.astype(self.sums, copy=False).T
        return y.astype(np.float64, copy=False)

    def round(self, x):
        """Results of ops."""
        if self.dtype == "f32":
            return x
        return from_bf16(to_bf16(x)).astype(x.dtype)

    def input(self, x):
        """Inputs of linears whose weights are in fp8 in fp8 layers."""
        return quantize(x, 128) if self.dtype == "fp8" else x

    def latent(self, rows, rope_dims):
        """Rows of the window's and the compressed cache, when read back."""
        if not self.packed:
            return self.round(rows)
        rows = from_bf16(to_bf16(rows)).astype(rows.dtype)
        rows[..., :-rope_dims] = quantize(rows[..., :-rope_dims], 64)
        return rows

    def index(self, rows):
        """The indexer's keys, when read back, and its queries."""
        if not self.packed:
            return self.round(rows)
        rows = from_bf16(to_bf16(rows)).astype(rows.dtype)
        return quantize(rows, rows.shape[-1])


EXACT = Types("f32", "plain")


#===------------------------------------------------------------------------===#
# Files
#===------------------------------------------------------------------------===#


def read_safetensors(path, names=None):
    """Returns ({name: float64 array}, metadata) of a file, or of some of its
    tensors."""
    types = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4",
             "BF16": "<u2", "F8_E4M3": "u1", "F8_E8M0": "u1"}
    decode = {"BF16": from_bf16, "F8_E4M3": from_e4m3, "F8_E8M0": from_e8m0}
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name in header if names is None else names:
            entry = header[name]
            if entry["dtype"] not in types:
                sys.exit(f"{path}: tensor '{name}' is {entry['dtype']}, "
                         f"expected one of {', '.join(types)}")
            begin, end = entry["data_offsets"]
            file.seek(8 + size + begin)
            array = np.frombuffer(file.read(end - begin), types[entry["dtype"]])
            array = decode.get(entry["dtype"], lambda bits: bits)(array)
            tensors[name] = array.reshape(entry["shape"]).astype(np.float64)
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    """Writes tensors in this order: arrays as F32, others as (type, bits)."""
    header, parts, offset = {"__metadata__": metadata}, [], 0
    for name, value in tensors.items():
        dtype, array = value if isinstance(value, tuple) else \
            ("F32", np.asarray(value, "<f4"))
        array = np.ascontiguousarray(array)
        header[name] = {"dtype": dtype, "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        parts.append(array)
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in parts:
            file.write(array.data)


def write_index(folder, files):
    """Writes the index of {file name: weight names}."""
    weight_map = {name: file for file in files for name in files[file]}
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as out:
        json.dump({"metadata": {}, "weight_map": weight_map}, out, indent=1)
        out.write("\n")


def find_weights(tensors, layer):
    """Returns {published name: array}, whichever way the names are spelled."""
    published = ("layers.%d.attn." % layer, "weight.")
    hugging_face = ("model.layers.%d.self_attn." % layer, "weight.")
    weights = {}
    for name, other in HUGGING_FACE_NAMES.items():
        spellings = [p + name for p in published]
        spellings += [p + other for p in hugging_face]
        found = [s for s in spellings if s in tensors]
        if found:
            weights[name] = tensors[found[0]]
            scale = tensors.get(found[0].replace(".weight", ".scale"))
            if name in FP8_WEIGHTS and scale is not None:
                rows, columns = weights[name].shape
                weights[name] *= spread(scale, rows, columns)
    return weights


#===------------------------------------------------------------------------===#
# Configuration
#===------------------------------------------------------------------------===#


class Config:
    """What the layer needs to know, from either spelling of config.json."""

    def __init__(self, path):
        with open(path) as file:
            self.json = c = json.load(file)
        self.hidden = c["hidden_size"]
        self.heads = c["num_attention_heads"]
        self.head_dim = c["head_dim"]
        self.rope_dims = c["qk_rope_head_dim"]
        self.q_lora = c["q_lora_rank"]
        self.groups = c["o_groups"]
        self.o_lora = c["o_lora_rank"]
        self.window = c["sliding_window"]
        self.eps = c["rms_norm_eps"]
        if c.get("compress_ratios"):
            names = {0: "swa", 1: "swa", 4: "c4a", 128: "c128a"}
            ratios = c["compress_ratios"][:c["num_hidden_layers"]]
            self.layers = [names[r] for r in ratios]
            self.ratios = {"swa": 0, "c4a": 4, "c128a": 128}
        else:
            types = c["layer_types"][:c["num_hidden_layers"]]
            self.layers = [KINDS[t] for t in types]
            self.ratios = {KINDS[k]: m for k, m in c["compress_rates"].items()}
            self.ratios["swa"] = 0
        if "c4a" in self.layers:
            self.index_heads = c["index_n_heads"]
            self.index_dim = c["index_head_dim"]
            self.topk = c["index_topk"]
        if c.get("rope_parameters"):
            self.rope = c["rope_parameters"]
        else:
            compress = dict(c["rope_scaling"])
            compress["rope_type"] = compress.pop("type", None) or \
                compress["rope_type"]
            compress["rope_theta"] = c["compress_rope_theta"]
            main = {"rope_type": "default", "rope_theta": c["rope_theta"]}
            self.rope = {"main": main, "compress": compress}

    def shapes(self, kind):
        """Returns {published name: shape} of the weights of a layer."""
        h, d, n, c = self.hidden, self.head_dim, self.heads, self.q_lora
        per_group = n * d // self.groups
        shapes = {
            "wq_a.weight": (c, h),
            "wkv.weight": (d, h),
            "q_norm.weight": (c,),
            "kv_norm.weight": (d,),
            "wq_b.weight": (n * d, c),
            "attn_sink": (n,),
            "wo_a.weight": (self.groups * self.o_lora, per_group),
            "wo_b.weight": (h, self.groups * self.o_lora),
        }

        def add_compressor(prefix, dims, halves):
            shapes[prefix + "wkv.weight"] = (halves * dims, h)
            shapes[prefix + "wgate.weight"] = (halves * dims, h)
            shapes[prefix + "ape"] = (self.ratios[kind], halves * dims)
            shapes[prefix + "norm.weight"] = (dims,)

        if kind != "swa":
            add_compressor("compressor.", d, 2 if kind == "c4a" else 1)
        if kind == "c4a":
            shapes["indexer.wq_b.weight"] = (
                self.index_heads * self.index_dim, c)
            shapes["indexer.weights_proj.weight"] = (self.index_heads, h)
            add_compressor("indexer.compressor.", self.index_dim, 2)
        return shapes


#===------------------------------------------------------------------------===#
# The layer
#===------------------------------------------------------------------------===#


def rope_table(config, which, count):
    """Returns [count, r]: cosines of the r/2 angles, then their sines."""
    rope, r = config.rope[which], config.rope_dims
    theta, pair = rope["rope_theta"], np.arange(r // 2)
    frequency = theta ** (-2.0 * pair / r)
    if rope["rope_type"] == "yarn":
        original = rope["original_max_position_embeddings"]

        def dimension(turns):
            return (r * math.log(original / (2 * math.pi * turns)) /
                    (2 * math.log(theta)))

        low = max(math.floor(dimension(rope["beta_fast"])), 0)
        high = min(math.ceil(dimension(rope["beta_slow"])), r - 1)
        if low == high:
            high += 0.001
        ramp = np.clip((pair - low) / (high - low), 0, 1)
        frequency = (frequency / rope["factor"] * ramp +
                     frequency * (1 - ramp))
    angle = np.arange(count)[:, None] * frequency
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1)


def rotate(x, table, inverse=False):
    """Rotates the last r channels of x [rows, ..., d]; one table row a row."""
    r = table.shape[1]
    shape = (len(x),) + (1,) * (x.ndim - 2) + (r // 2,)
    cos = table[:, :r // 2].reshape(shape)
    sin = table[:, r // 2:].reshape(shape) * (-1 if inverse else 1)
    even, odd = x[..., -r::2], x[..., x.shape[-1] - r + 1::2]
    y = x.copy()
    y[..., -r::2] = even * cos - odd * sin
    y[..., x.shape[-1] - r + 1::2] = even * sin + odd * cos
    return y


def rms_norm(x, eps, weight=1.0):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def compress(config, weights, types, prefix, x, ratio, overlap, table):
    """Returns the entries [T / ratio, D] of all windows that are complete."""
    gain = weights[prefix + "norm.weight"]
    dims, count = len(gain), len(x) // ratio
    if not count:
        return np.zeros((0, dims))
    windows = x[:count * ratio]
    kv = types.linear(windows, weights[prefix + "wkv.weight"])
    score = types.linear(windows, weights[prefix + "wgate.weight"])
    kv = kv.reshape(count, ratio, -1)
    score = score.reshape(count, ratio, -1) + weights[prefix + "ape"]
    if overlap:
        # The window before contributes its first half of the channels, the
        # window itself the second; nothing lies before position 0.
        def join(values, before_first):
            before = np.full((1, ratio, dims), before_first)
            before = np.concatenate([before, values[:-1, :, :dims]])
            return np.concatenate([before, values[:, :, dims:]], axis=1)

        kv, score = join(kv, 0.0), join(score, -np.inf)
    share = np.exp(score - score.max(axis=1, keepdims=True))
    pooled = (share * kv).sum(axis=1) / share.sum(axis=1)
    return rotate(rms_norm(pooled, config.eps, gain),
                  table[:count * ratio:ratio])


def index_scores(config, weights, types, x, qr, ratio, table):
    """Returns [T, entries]: the indexer's scores for the last T = len(qr)
    tokens, -inf where the entry does not exist yet."""
    keys = compress(config, weights, types, "indexer.compressor.", x, ratio,
                    True, table)
    keys = types.index(keys)
    n, d, first = config.index_heads, config.index_dim, len(x) - len(qr)
    q = types.linear(types.input(qr), weights["indexer.wq_b.weight"])
    q = types.round(q).reshape(-1, n, d)
    q = types.index(rotate(q, table[first:]))
    scale = types.linear(x[first:], weights["indexer.weights_proj.weight"])
    scale = types.round(scale) / math.sqrt(n * d)
    scores = np.full((len(qr), len(keys)), -np.inf)
    for t in range(len(qr)):
        available = (first + t + 1) // ratio
        scores[t, :available] = \
            scale[t] @ np.maximum(q[t] @ keys[:available].T, 0)
    return scores


def select(scores, topk):
    """Returns [T, topk]: the best entries of each token, ascending, then -1."""
    selected = np.full((len(scores), topk), -1)
    for row, score in zip(selected, scores):
        best = np.argsort(-score, kind="stable")[:topk]
        best = np.sort(best[score[best] > -np.inf])
        row[:len(best)] = best
    return selected


def smallest_gap(scores, topk):
    """The smallest distance between the last selected score and the next."""
    if scores.shape[1] <= topk:
        return math.inf
    best = -np.sort(-scores, axis=1)[:, topk - 1:topk + 1]
    best = best[best[:, 1] > -np.inf]
    return (best[:, 0] - best[:, 1]).min(initial=math.inf)


def attend(q, sink, window, entries, window_size, chosen):
    """Attention of the last len(q) positions of `window`; `chosen` has the
    entries of each."""
    first, result = len(window) - len(q), np.empty_like(q)
    for t in range(len(q)):
        p = first + t
        rows = np.concatenate([window[max(0, p - window_size + 1):p + 1],
                               entries[chosen[t]]])
        logits = q[t] @ rows.T / math.sqrt(q.shape[-1])
        top = np.maximum(logits.max(axis=1), sink)[:, None]
        share = np.exp(logits - top)
        result[t] = share @ rows / (share.sum(axis=1, keepdims=True) +
                                    np.exp(sink[:, None] - top))
    return result


def layer(config, kind, weights, x, types=EXACT, history=0, selected=None):
    """Returns the output [T, H] of one layer for the tokens from `history` on,
    the indexer's scores (None without an indexer), and the selection: the one
    given, or by these scores."""
    w, ratio, count = weights, config.ratios[kind], len(x) - history
    n, d, r, linear = config.heads, config.head_dim, types.round, types.linear
    table = rope_table(config, "main" if kind == "swa" else "compress", len(x))
    last = table[history:]

    x8 = types.input(x)
    qr = r(linear(x8[history:], w["wq_a.weight"]))
    qr = r(rms_norm(qr, config.eps, w["q_norm.weight"]))
    q = r(linear(types.input(qr), w["wq_b.weight"])).reshape(count, n, d)
    q = r(rotate(r(rms_norm(q, config.eps)), last))
    kv = r(linear(x8, w["wkv.weight"]))
    kv = r(rms_norm(kv, config.eps, w["kv_norm.weight"]))
    window = types.latent(r(rotate(kv, table)), config.rope_dims)

    entries, scores = np.zeros((0, d)), None
    chosen = [np.zeros(0, int)] * count
    if kind != "swa":
        entries = compress(config, w, types, "compressor.", x, ratio,
                           kind == "c4a", table)
        entries = types.latent(entries, config.rope_dims)
        chosen = [np.arange((history + t + 1) // ratio) for t in range(count)]
    if kind == "c4a":
        scores = index_scores(config, w, types, x, qr, ratio, table)
        if selected is None:
            selected = select(scores, config.topk)
        chosen = [row[row >= 0] for row in selected]

    o = r(attend(q, w["attn_sink"], window, entries, config.window, chosen))
    o = r(rotate(o, last, inverse=True)).reshape(count, config.groups, -1)
    o = types.input(o)
    wo_a = w["wo_a.weight"].reshape(config.groups, config.o_lora, -1)
    z = [r(linear(o[:, g], wo_a[g])) for g in range(config.groups)]
    z = types.input(np.concatenate(z, axis=1))
    return r(linear(z, w["wo_b.weight"])), scores, selected


#===------------------------------------------------------------------------===#
# Commands
#===------------------------------------------------------------------------===#


def compute_again(config, kind, weights, tensors, metadata):
    """Yields the name of each stored output, its value and a remark."""
    outputs = [name for name in tensors if name.startswith("output.")]
    if "dtype" in metadata:
        again = compute_typed(config, kind, weights, tensors["input"],
                              metadata["dtype"], int(metadata["history"]))
        for name in outputs:
            yield name, again[name], ""
        return
    lengths = {name: int(name.split(".")[-1]) for name in outputs}
    for name in sorted(outputs, key=lengths.get):
        result, scores, _ = layer(config, kind, weights,
                                  tensors["input"][:lengths[name]])
        gap = math.inf if scores is None else smallest_gap(scores, config.topk)
        yield (name, result,
               "" if gap == math.inf else f"   top-k gap {gap:.1e}")


def check(folder, tolerance):
    config = Config(os.path.join(folder, "config.json"))
    worst, checked = 0.0, 0
    for kind in sorted(set(config.layers), key=config.layers.index):
        path = os.path.join(folder, kind + ".safetensors")
        tensors, metadata = read_safetensors(path)
        weights = find_weights(tensors, config.layers.index(kind))
        for name, shape in config.shapes(kind).items():
            if name not in weights or weights[name].shape != shape:
                sys.exit(f"{path}: no weight '{name}' of shape {list(shape)}")
        for name, result, note in compute_again(config, kind, weights, tensors,
                                                metadata):
            difference = np.abs(result - tensors[name]).max()
            print(f"{kind:6} {name:18} {difference:.2e}{note}")
            worst, checked = np.maximum(worst, difference), checked + 1
        for name in ("rope.main", "rope.compress"):
            if name in tensors:
                table = rope_table(config, name[5:], len(tensors[name]))
                difference = np.abs(table - tensors[name]).max()
                print(f"{kind:6} {name:18} {difference:.2e}")
                worst = np.maximum(worst, difference)  # keeps NaN
    print(f"{checked} outputs, largest difference {worst:.2e}, "
          f"tolerance {tolerance:.0e}")
    return 0 if checked and worst <= tolerance else 1


def random_weights(config, kind, generator):
    weights = {}
    for name, shape in config.shapes(kind).items():
        value = generator.standard_normal(shape)
        if "norm" in name:
            value = 1 + 0.2 * value
        elif name != "attn_sink" and not name.endswith("ape"):
            value *= 1.5 / math.sqrt(shape[-1])
        weights[name] = value.astype(np.float32).astype(np.float64)
    return weights


def make(config_path, folder, seed, tokens):
    config = Config(config_path)
    os.makedirs(folder, exist_ok=True)
    files = {}
    for index, kind in enumerate(("swa", "c4a", "c128a")):
        if kind not in config.layers:
            continue
        # Draw again while a selection depends on rounding.
        best = -1.0
        for attempt in range(50):
            generator = np.random.default_rng([seed, index, attempt])
            weights = random_weights(config, kind, generator)
            x = generator.standard_normal((tokens, config.hidden))
            x = x.astype(np.float32).astype(np.float64)
            output, scores, _ = layer(config, kind, weights, x)
            gap = math.inf if scores is None else \
                smallest_gap(scores, config.topk)
            if gap > best:
                best, kept = gap, (weights, x, output)
            if gap > SMALLEST_GAP:
                break
        else:
            print(f"{kind}: the scores at the top-k cut are only {best:.1e} "
                  f"apart, wanted {SMALLEST_GAP}; choose fewer tokens",
                  file=sys.stderr)
        weights, x, output = kept
        number = config.layers.index(kind)
        prefix = f"layers.{number}.attn."
        tensors = {prefix + name: value for name, value in weights.items()}
        files[kind + ".safetensors"] = list(tensors)
        tensors["input"] = x
        tensors[f"output.{tokens}"] = output
        for which in ("main", "compress"):
            tensors["rope." + which] = rope_table(config, which, tokens)
        metadata = {"origin": f"reference.py --seed {seed}",
                    "lengths": json.dumps([tokens])}
        write_safetensors(os.path.join(folder, kind + ".safetensors"),
                          tensors, metadata)
        print(f"{kind}: layer {number}, largest output "
              f"{np.abs(output).max(initial=0):.2f}")
    write_index(folder, files)
    # The weights are f32, whatever the model's own checkpoint holds.
    kept_fields = dict(config.json)
    kept_fields.pop("quantization_config", None)
    kept_fields["torch_dtype"] = "float32"
    write_config(folder, kept_fields)
    return 0


def write_config(folder, fields):
    with open(os.path.join(folder, "config.json"), "w") as out:
        json.dump(fields, out, indent=1)
        out.write("\n")


def compute_typed(config, kind, weights, x, dtype, history, again=False):
    """Returns {name: array} of what files of typed layers hold; with `again`
    also the outputs where sums are in float32, as `again.plain` and so on."""
    exact, scores, selected = layer(config, kind, weights, x, EXACT, history)
    tensors = {}
    if selected is not None:
        tensors = {"selected": ("I32", selected.astype("<i4")),
                   "scores.f32": scores}
    tensors["output.f32"] = exact
    for cache in ("plain", "fp8"):
        output, scores, _ = layer(config, kind, weights, x,
                                  Types(dtype, cache), history, selected)
        tensors["output." + cache] = output
        if scores is not None:
            tensors["scores." + cache] = scores
        if again:
            types = Types(dtype, cache, np.float32)
            tensors["again." + cache] = \
                layer(config, kind, weights, x, types, history, selected)[0]
    return tensors


def random_typed_weights(config, kind, generator, dtype):
    """Returns ({name: array}, {name: stored tensor}) of the same numbers."""
    weights, stored = {}, {}
    for name, shape in config.shapes(kind).items():
        value = generator.standard_normal(shape, np.float32)
        if "norm" in name:
            value = 1 + np.float32(0.2) * value
        elif name != "attn_sink" and not name.endswith("ape"):
            value *= np.float32(1.5 / math.sqrt(shape[-1]))
        if name == "attn_sink" or name.endswith("ape"):
            stored[name] = value
        elif dtype == "fp8" and name in FP8_WEIGHTS:
            # A band of blocks at a time, as whole layers are large.
            rows, columns = shape
            bits, scales = np.empty(shape, "u1"), []
            for top in range(0, rows, 128):
                band = value[top:top + 128]
                starts = np.arange(0, columns, 128)
                scale = scale_of(np.maximum.reduceat(
                    np.abs(band).max(axis=0), starts))[None]
                scales.append(scale)
                each = spread(scale, len(band), columns)
                rounded = round_e4m3(band / each)
                bits[top:top + 128] = to_e4m3(rounded)
                value[top:top + 128] = rounded * each
            stored[name] = ("F8_E4M3", bits)
            stored[name.replace(".weight", ".scale")] = \
                ("F8_E8M0", to_e8m0(np.concatenate(scales)))
        else:
            stored[name] = ("BF16", to_bf16(value))
            value = from_bf16(stored[name][1]).reshape(shape)
        weights[name] = value
    return weights, stored


def relative_error(x, expected):
    """In the Euclidean norm."""
    return np.linalg.norm(x - expected) / np.linalg.norm(expected)


def make_typed(config_path, folder, seed, tokens, history, dtype, only,
               again=False):
    config = Config(config_path)
    os.makedirs(folder, exist_ok=True)
    for index, kind in enumerate(("swa", "c4a", "c128a")):
        if kind not in config.layers or (only and only != kind):
            continue
        generator = np.random.default_rng([seed, index])
        weights, stored = random_typed_weights(config, kind, generator, dtype)
        number = config.layers.index(kind)
        tensors = {f"layers.{number}.attn.{name}": value
                   for name, value in stored.items()}
        x = generator.standard_normal((history + tokens, config.hidden))
        tensors["input"] = ("BF16", to_bf16(x))
        x = from_bf16(tensors["input"][1]).astype(np.float64)
        results = compute_typed(config, kind, weights, x, dtype, history, again)
        tensors.update(results)
        metadata = {"origin": f"reference.py --seed {seed}", "dtype": dtype,
                    "history": str(history)}
        write_safetensors(os.path.join(folder, kind + ".safetensors"), tensors,
                          metadata)
        plain, packed = (relative_error(results["output." + cache],
                                        results["output.f32"])
                         for cache in ("plain", "fp8"))
        print(f"{kind}: layer {number}, error in norm against f32: "
              f"{plain:.1e}, with packed caches {packed:.1e}")
    write_config(folder, config.json)
    return 0


def main():
    parser = argparse.ArgumentParser(
        description="Attention layer of DeepSeek-V4 in float64: checks a "
        "folder of stored outputs, or makes one.")
    parser.add_argument("folder", nargs="?", help="folder to check")
    parser.add_argument("--tolerance", type=float, default=1e-5,
                        help="largest absolute difference (1e-5)")
    parser.add_argument("--make", nargs=2, metavar=("CONFIG", "OUT"),
                        help="write random weights, input and outputs to OUT")
    parser.add_argument("--seed", type=int, help="with --make")
    parser.add_argument("--tokens", type=int, help="with --make, at least 1")
    parser.add_argument("--dtype", choices=("f32", "bf16", "fp8"),
                        default="f32", help="with --make: type of the layer")
    parser.add_argument("--history", type=int, default=0,
                        help="with --dtype: tokens before those of the output")
    parser.add_argument("--kind", choices=("swa", "c4a", "c128a"),
                        help="with --dtype: make only this one")
    options = parser.parse_args()
    if options.make:
        if options.seed is None or options.seed < 0 or \
                (options.tokens or 0) < 1:
            parser.error("--make needs --seed of at least 0 and --tokens of "
                         "at least 1")
        if options.dtype != "f32":
            if options.history < 0:
                parser.error("--history is negative")
            return make_typed(*options.make, options.seed, options.tokens,
                              options.history, options.dtype, options.kind)
        return make(*options.make, options.seed, options.tokens)
    if not options.folder:
        parser.error("expected a folder to check, or --make")
    return check(options.folder, options.tolerance)


if __name__ == "__main__":
    sys.exit(main())
