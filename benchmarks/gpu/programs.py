#===- programs.py - What is compiled for the GPU checks -------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The programs that `scripts/gpu-checks pack` compiles: the four GEMMs that read
# the hidden states, chains of small GEMMs, chains of forks, and the input part
# of a layer. Those that differ in sizes and in the order of launches only are
# written here; the others are templates in programs/.
#
#===------------------------------------------------------------------------===#

import pathlib
import string

FOLDER = pathlib.Path(__file__).resolve().parent / "programs"

# Extents of the layers. `tiny` is for trying the checks out without a GPU.
MODELS = {
    "flash": {"hidden": 4096, "attention": 1536, "query": 1024, "heads": 64,
              "index_heads": 64},
    "pro": {"hidden": 7168, "attention": 2048, "query": 1536, "heads": 128,
            "index_heads": 64},
    "tiny": {"hidden": 256, "attention": 640, "query": 128, "heads": 2,
             "index_heads": 2},
}
# Columns of the results of B, C and D, which are those of both models.
COMPRESSOR, INDEX_WEIGHTS, INDEX_COMPRESSOR = 2048, 64, 512
SCALES = ("tensor", "block")
ORDERS = ("auxiliary-first", "main-first")
# Numbers of ops in the chains, and of forks.
CHAIN_LENGTHS = (1, 4, 16, 64)
CHAIN_WIDTH = 256
FORKS = 16


def blocks(extent):
    return -(-extent // 128)


#===------------------------------------------------------------------------===#
# The four GEMMs
#===------------------------------------------------------------------------===#


def gemm_arguments(model, scale):
    """(name, extents, element type, role) of each argument; -1 is T."""
    sizes = MODELS[model]
    hidden, attention = sizes["hidden"], sizes["attention"]
    if scale == "tensor":
        x_scale, weight_scale = (1,), (1,)
    else:
        x_scale = (-1, blocks(hidden))
        weight_scale = (blocks(attention), blocks(hidden))
    return [
        ("hidden", (-1, hidden), "bf16", "input"),
        ("values", (-1, hidden), "f8E4M3FN", "input"),
        ("value_scale", x_scale, "f32", "input"),
        ("attention_weight", (attention, hidden), "f8E4M3FN", "weight"),
        ("attention_scale", weight_scale, "f32", "weight"),
        ("compressor_weight", (COMPRESSOR, hidden), "bf16", "weight"),
        ("index_weight", (INDEX_WEIGHTS, hidden), "bf16", "weight"),
        ("index_compressor_weight", (INDEX_COMPRESSOR, hidden), "bf16",
         "weight"),
        ("attention_result", (-1, attention), "bf16", "output"),
        ("compressor_result", (-1, COMPRESSOR), "f32", "output"),
        ("index_result", (-1, INDEX_WEIGHTS), "bf16", "output"),
        ("index_compressor_result", (-1, INDEX_COMPRESSOR), "f32", "output"),
    ]


def is_by_block(name, extents):
    """Scales of activations lie by block rather than by row, as cuBLASLt reads
    them. PyTorch gets them so too."""
    return name == "value_scale" and len(extents) == 2


def shaped(kind, extents, element, by_block=False):
    layout = ", strided<[1, ?]>" if by_block and kind == "memref" else ""
    return "%s<%s%s>" % (kind, "x".join(
        ["?" if extent < 0 else str(extent) for extent in extents] + [element]),
        layout)


def declare(arguments, kind):
    """The arguments of a function, as text."""
    lines = []
    for name, extents, element, role in arguments:
        attributes = ["prefill.name = \"%s\"" % name]
        if extents[0] < 0:
            attributes.append("sched.tokens")
        if role == "output" and kind == "tensor":
            attributes.append("bufferization.writable = true")
        lines.append("    %%%s: %s {%s}" % (
            name, shaped("memref" if is_by_block(name, extents) else kind,
                         extents, element, is_by_block(name, extents)),
            ", ".join(attributes)))
    return ",\n".join(lines)


# The GEMMs A to D: input, weight, result.
GEMMS = [("values", "attention_weight", "attention_result"),
         ("hidden", "compressor_weight", "compressor_result"),
         ("hidden", "index_weight", "index_result"),
         ("hidden", "index_compressor_weight", "index_compressor_result")]


def gemm(number, types):
    """One GEMM on buffers, or on tensors, as text."""
    x, weight, result = GEMMS[number]
    scaled = ""
    if x == "values":
        scaled = " scaled(%%value_scale, %%attention_scale : %s, %s)" % (
            types["value_scale"], types["attention_scale"])
    text = "prefill.linear %%%s by %%%s%s into %%%s : %s, %s -> %s" % (
        x, weight, scaled, result, types[x], types[weight], types[result])
    return text


def launch(stream, text):
    return "        sched.launch on %%s%d { %s }" % (stream, text)


def types_of(arguments, kind):
    return {name: shaped(kind, extents, element, is_by_block(name, extents))
            for name, extents, element, _ in arguments}


def placed_gemms(model, scale, order):
    """A on stream 0, B, C and D on a stream each, or all in order."""
    arguments = gemm_arguments(model, scale)
    types = types_of(arguments, "memref")
    main = [launch(0, gemm(0, types))]
    auxiliary = [launch(i, gemm(i, types)) for i in (1, 2, 3)]
    overlapped = (auxiliary + main if order == "auxiliary-first"
                  else main + auxiliary)
    serial = [launch(0, gemm(i, types)) for i in range(4)]
    return string.Template("""\
// The four GEMMs that read the hidden states, with streams chosen by hand.
func.func @gemms(
$arguments) {
  %c0 = arith.constant 0 : index
  %tokens = memref.dim %hidden, %c0 : $hidden
  sched.dispatch on %tokens upto 1048576 {
    sched.schedule(%s0, %s1, %s2, %s3) tokens(%tokens) {
      sched.segment "gemms.overlapped" {
        sched.fork %s0 to %s1, %s2, %s3
$overlapped
        sched.join %s1, %s2, %s3 into %s0
      }
    }
  } otherwise {
    sched.schedule(%s0) tokens(%tokens) {
      sched.segment "gemms.serial" {
$serial
      }
    }
  } {gate}
  return
}
""").substitute(arguments=declare(arguments, "memref"),
                hidden=types["hidden"], overlapped="\n".join(overlapped),
                serial="\n".join(serial))


def planned_gemms(model, scale):
    """The same on tensors: the compiler chooses the streams."""
    arguments = gemm_arguments(model, scale)
    types = types_of(arguments, "tensor")
    results = [result for _, _, result in GEMMS]
    body = ["  %%out%d = %s" % (i, gemm(i, types)) for i in range(4)]
    for name, extents, element, _ in arguments:
        if is_by_block(name, extents):
            body = ["  %%tensor = bufferization.to_tensor %%%s restrict : %s to %s"
                    % (name, shaped("memref", extents, element, True),
                       types[name])] + [line.replace("%" + name, "%tensor")
                                        for line in body]
    returned = ", ".join(types[result] for result in results)
    return string.Template("""\
// The four GEMMs that read the hidden states, scheduled by the compiler.
func.func @gemms(
$arguments)
    -> ($returned) {
$body
  return %out0, %out1, %out2, %out3 : $returned
}
""").substitute(arguments=declare(arguments, "tensor"), returned=returned,
                body="\n".join(body))


#===------------------------------------------------------------------------===#
# Host cost
#===------------------------------------------------------------------------===#


def chain_arguments():
    width = CHAIN_WIDTH
    return [("x", (-1, width), "bf16", "input"),
            ("weight", (width, width), "bf16", "weight"),
            ("y", (-1, width), "bf16", "output"),
            ("z", (-1, width), "bf16", "output")]


def chain(length):
    """`length` small GEMMs in a row in one segment."""
    arguments = chain_arguments()
    types = types_of(arguments, "memref")
    names = ["x"] + ["y" if i % 2 == 0 else "z" for i in range(length)]
    ops = [launch(0, "prefill.linear %%%s by %%weight into %%%s : %s, %s -> %s"
                  % (a, b, types["x"], types["weight"], types["x"]))
           for a, b in zip(names, names[1:])]
    return string.Template("""\
// $length small GEMMs, each of which reads the result of the one before it.
func.func @chain(
$arguments) {
  %c0 = arith.constant 0 : index
  %tokens = memref.dim %x, %c0 : $type
  sched.schedule(%s0) tokens(%tokens) {
      sched.segment "chain.ops" {
$ops
      }
  }
  return
}
""").substitute(length=length, arguments=declare(arguments, "memref"),
                type=types["x"], ops="\n".join(ops))


def forks(count, forked):
    """`count` times two small GEMMs, of which the second is forked off to a
    stream and joined again, or not. Each reads the result of the one before it,
    so that no fork and no join is redundant."""
    arguments = chain_arguments()
    types = types_of(arguments, "memref")
    gemm = "prefill.linear %%%s by %%weight into %%%s : %s, %s -> %s"
    lines = []
    for i in range(count):
        lines.append(launch(0, gemm % ("y" if i else "x", "z", types["x"],
                                       types["weight"], types["x"])))
        second = launch(int(forked), gemm % ("z", "y", types["x"],
                                             types["weight"], types["x"]))
        lines += (["        sched.fork %s0 to %s1", second,
                   "        sched.join %s1 into %s0"] if forked else [second])
    return string.Template("""\
// $count times two small GEMMs in a row.
func.func @forks(
$arguments) {
  %c0 = arith.constant 0 : index
  %tokens = memref.dim %x, %c0 : $type
  sched.schedule(%s0$more) tokens(%tokens) {
      sched.segment "forks.ops" {
$ops
      }
  }
  return
}
""").substitute(count=count, arguments=declare(arguments, "memref"),
                type=types["x"], more=", %s1" if forked else "",
                ops="\n".join(lines))


#===------------------------------------------------------------------------===#
# All of them
#===------------------------------------------------------------------------===#


def input_part(model):
    """Extents for programs/input-part.mlir."""
    sizes = MODELS[model]
    query, heads = sizes["query"], sizes["heads"]
    index = sizes["index_heads"]
    return {
        "H": sizes["hidden"], "HB": blocks(sizes["hidden"]),
        "A": sizes["attention"], "AB": blocks(sizes["attention"]),
        "Q": query, "QB": blocks(query),
        "HEADS": heads, "W": heads * 512, "WB": blocks(heads * 512),
        "I": index * 128, "IB": blocks(index * 128),
    }


def read_template(name, values):
    text = (FOLDER / name).read_text()
    return string.Template(text).substitute(values)


def programs(models):
    """Yields (name, text, options of braid-compile, function)."""
    # Streams that stand in a program stay; none are added to what has one.
    one = "--max-streams=1"
    threshold = "--token-threshold=1048576"
    for model in models:
        for scale in SCALES:
            for order in ORDERS:
                yield ("gemms_%s_%s_%s" % (model, scale,
                                           order.replace("-", "_")),
                       placed_gemms(model, scale, order), [one], "gemms")
            yield ("gemms_%s_%s_planned" % (model, scale),
                   planned_gemms(model, scale),
                   [threshold], "gemms")
        text = read_template("input-part.mlir", input_part(model))
        yield ("input_%s_wide" % model, text,
               ["--narrow=false", threshold], "input")
        yield ("input_%s_narrow" % model, text, [threshold], "input")
    for length in CHAIN_LENGTHS:
        yield ("chain_%d" % length, chain(length), [one], "chain")
    yield ("forks_forked", forks(FORKS, True), [one], "forks")
    yield ("forks_serial", forks(FORKS, False), [one], "forks")
