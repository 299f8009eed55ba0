#!/usr/bin/env python3
#===- convert_golden.py - Golden tensors for the tests --------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Writes the folders under test/Integration/Inputs from tensors that were
# recorded from another implementation of the layer (Hugging Face transformers
# 5.17, DeepseekV4Attention, f32 on a CPU).
#
#   convert_golden.py IN OUT [--published]
#
# IN holds config.json (`layer_types`, `rope_parameters`) and, per layer kind,
# {swa,c4a,c128a}.safetensors with
#   weight.*                     parameters under their Hugging Face names
#   input                        [70, H]
#   output.T, output.chunked.70  [T, H]: whole prompts, and one in chunks
#   rope.{main,compress}.{cos,sin}  [70, r/2] each
# and the prompt lengths and chunks in the header's metadata.
#
# OUT receives the same with one table [70, r] = cos | sin per rope. With
# --published, names are those of the published checkpoints
# (`layers.N.attn.*`), an index beside the files maps the weights of all
# layers, and config.json spells rope as `rope_scaling`.
#
# Needs numpy.
#
#===------------------------------------------------------------------------===#

import argparse
import json
import os
import sys

import numpy as np

from reference import (HUGGING_FACE_NAMES, KINDS, read_safetensors,
                       write_index, write_safetensors)


def publish(config):
    """Returns the configuration with rope in the published spelling."""
    config = dict(config)
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope["main"]["rope_theta"]
    config["compress_rope_theta"] = rope["compress"]["rope_theta"]
    config["rope_scaling"] = {
        "type": rope["compress"]["rope_type"],
        "factor": rope["compress"]["factor"],
        "beta_fast": rope["compress"]["beta_fast"],
        "beta_slow": rope["compress"]["beta_slow"],
        "original_max_position_embeddings":
            rope["compress"]["original_max_position_embeddings"],
    }
    return config


def convert(tensors, layer, published):
    """Returns (weights, other tensors) under their new names."""
    names = {"weight." + hugging_face: f"layers.{layer}.attn.{name}"
             for name, hugging_face in HUGGING_FACE_NAMES.items()}
    weights, others = {}, {}
    for name, value in tensors.items():
        if name.startswith("weight."):
            weights[names[name] if published else name] = value
        elif name == "input" or name.startswith("output."):
            others[name] = value
    for table in ("rope.main", "rope.compress"):
        others[table] = np.concatenate(
            [tensors[table + ".cos"], tensors[table + ".sin"]], axis=1)
    return weights, others


def main():
    parser = argparse.ArgumentParser(
        description="Writes the golden tensors of the project's tests.")
    parser.add_argument("input", help="folder of recorded tensors")
    parser.add_argument("output", help="folder to write")
    parser.add_argument("--published", action="store_true",
                        help="use the published checkpoints' spellings")
    options = parser.parse_args()

    with open(os.path.join(options.input, "config.json")) as file:
        config = json.load(file)
    layers = [KINDS[name] for name in config["layer_types"]]
    os.makedirs(options.output, exist_ok=True)
    files = {}
    for kind in ("swa", "c4a", "c128a"):
        file = kind + ".safetensors"
        tensors, metadata = read_safetensors(os.path.join(options.input, file))
        weights, others = convert(tensors, layers.index(kind),
                                  options.published)
        files[file] = list(weights)
        metadata = {
            "origin": "transformers 5.17, DeepseekV4Attention, f32",
            "lengths": metadata["lengths"],
            "chunks": metadata["chunks"],
        }
        write_safetensors(os.path.join(options.output, file),
                          {**weights, **others}, metadata)
    if options.published:
        config = publish(config)
        write_index(options.output, files)
    with open(os.path.join(options.output, "config.json"), "w") as out:
        json.dump(config, out, indent=1)
        out.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
