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
# paging, no quantization. Tests compare compiled layers with it.
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

# Two neighbouring scores at the top-k cut that are closer than this make the
# selection depend on rounding.
SMALLEST_GAP = 2e-4


#===------------------------------------------------------------------------===#
# Files
#===------------------------------------------------------------------------===#


def read_safetensors(path):
    """Returns ({name: float64 array}, metadata) of a file."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        raw = data[begin:end]
        if entry["dtype"] == "BF16":
            array = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
        else:
            types = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
            if entry["dtype"] not in types:
                sys.exit(f"{path}: tensor '{name}' is {entry['dtype']}, "
                         "expected BF16, F16, F32 or F64")
            array = np.frombuffer(raw, types[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"]).astype(np.float64)
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    """Writes arrays as F32, in the order of `tensors`."""
    header, parts, offset = {"__metadata__": metadata}, [], 0
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [offset, offset + len(raw)]}
        parts.append(raw)
        offset += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for raw in parts:
            file.write(raw)


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


def compress(config, weights, prefix, x, ratio, overlap, table):
    """Returns the entries [T / ratio, D] of all windows that are complete."""
    gain = weights[prefix + "norm.weight"]
    dims, count = len(gain), len(x) // ratio
    if not count:
        return np.zeros((0, dims))
    windows = x[:count * ratio]
    kv = windows @ weights[prefix + "wkv.weight"].T
    score = windows @ weights[prefix + "wgate.weight"].T
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


def select(config, weights, x, qr, ratio, table):
    """Returns the selected entries of each query, and the smallest gap."""
    keys = compress(config, weights, "indexer.compressor.", x, ratio, True,
                    table)
    n, d = config.index_heads, config.index_dim
    q = rotate((qr @ weights["indexer.wq_b.weight"].T).reshape(-1, n, d),
               table)
    scale = x @ weights["indexer.weights_proj.weight"].T / math.sqrt(n * d)
    chosen, gap = [], math.inf
    for t in range(len(x)):
        available = (t + 1) // ratio
        score = np.maximum(q[t] @ keys[:available].T, 0).T @ scale[t]
        order = np.argsort(-score, kind="stable")
        chosen.append(np.sort(order[:config.topk]))
        if available > config.topk:
            best = score[order]
            gap = min(gap, best[config.topk - 1] - best[config.topk])
    return chosen, gap


def layer(config, kind, weights, x):
    """Returns the output [T, H] of one layer, and the smallest top-k gap."""
    w, count, ratio = weights, len(x), config.ratios[kind]
    n, d = config.heads, config.head_dim
    table = rope_table(config, "main" if kind == "swa" else "compress", count)

    qr = rms_norm(x @ w["wq_a.weight"].T, config.eps, w["q_norm.weight"])
    q = (qr @ w["wq_b.weight"].T).reshape(count, n, d)
    q = rotate(rms_norm(q, config.eps), table)
    kv = rms_norm(x @ w["wkv.weight"].T, config.eps, w["kv_norm.weight"])
    kv = rotate(kv, table)

    entries, gap = np.zeros((0, d)), math.inf
    chosen = [np.zeros(0, int)] * count
    if kind != "swa":
        entries = compress(config, w, "compressor.", x, ratio, kind == "c4a",
                           table)
        chosen = [np.arange((t + 1) // ratio) for t in range(count)]
    if kind == "c4a":
        chosen, gap = select(config, w, x, qr, ratio, table)

    o = np.zeros((count, n, d))
    for t in range(count):
        rows = np.concatenate([kv[max(0, t - config.window + 1):t + 1],
                               entries[chosen[t]]])
        logits = q[t] @ rows.T / math.sqrt(d)
        top = np.maximum(logits.max(axis=1), w["attn_sink"])[:, None]
        share = np.exp(logits - top)
        sink = np.exp(w["attn_sink"][:, None] - top)
        o[t] = share @ rows / (share.sum(axis=1, keepdims=True) + sink)
    o = rotate(o, table, inverse=True).reshape(count, config.groups, -1)
    wo_a = w["wo_a.weight"].reshape(config.groups, config.o_lora, -1)
    z = np.einsum("tgk,gnk->tgn", o, wo_a).reshape(count, -1)
    return z @ w["wo_b.weight"].T, gap


#===------------------------------------------------------------------------===#
# Commands
#===------------------------------------------------------------------------===#


def check(folder, tolerance):
    config = Config(os.path.join(folder, "config.json"))
    worst, checked = 0.0, 0
    for kind in sorted(set(config.layers), key=config.layers.index):
        path = os.path.join(folder, kind + ".safetensors")
        tensors, _ = read_safetensors(path)
        weights = find_weights(tensors, config.layers.index(kind))
        for name, shape in config.shapes(kind).items():
            if name not in weights or weights[name].shape != shape:
                sys.exit(f"{path}: no weight '{name}' of shape {list(shape)}")
        expected = {}
        for name, value in tensors.items():
            if name.startswith("output."):
                expected[name] = value
        lengths = {name: int(name.split(".")[-1]) for name in expected}
        for name in sorted(expected, key=lengths.get):
            result, gap = layer(config, kind, weights,
                                tensors["input"][:lengths[name]])
            difference = np.abs(result - expected[name]).max()
            note = "" if gap == math.inf else f"   top-k gap {gap:.1e}"
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
            output, gap = layer(config, kind, weights, x)
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
    with open(os.path.join(folder, "config.json"), "w") as out:
        json.dump(kept_fields, out, indent=1)
        out.write("\n")
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
    options = parser.parse_args()
    if options.make:
        if options.seed is None or options.seed < 0 or \
                (options.tokens or 0) < 1:
            parser.error("--make needs --seed of at least 0 and --tokens of "
                         "at least 1")
        return make(*options.make, options.seed, options.tokens)
    if not options.folder:
        parser.error("expected a folder to check, or --make")
    return check(options.folder, options.tolerance)


if __name__ == "__main__":
    sys.exit(main())
