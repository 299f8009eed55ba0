#===- inception.py - An Inception block, computed again -------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Computes examples/inception.mlir from the definition of its layers, in double
# precision, on the numbers that braid-run makes up from a seed.
#
#   inception.py IMAGES SEED OUT.safetensors
#
#===------------------------------------------------------------------------===#

import itertools
import json
import math
import struct
import sys

MASK = (1 << 64) - 1
SIZE = 8  # of an image, in both directions


def mix(x):
    """splitmix64"""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def made_up(name, count, seed):
    """Uniform numbers of mean 0 and deviation 1, as lib/Execution makes them."""
    key = mix(seed)
    for char in name.encode():
        key = mix(key ^ char)
    scale = f32(f32(math.sqrt(12.0)) * 2.0**-24)
    base = -f32(math.sqrt(3.0))
    return [base + scale * (mix((key + i) & MASK) >> 40) for i in range(count)]


def inside(y, x):
    return 0 <= y < SIZE and 0 <= x < SIZE


def convolve(image, weights, width, inputs, outputs):
    """A convolution that keeps the size: zeros stand outside the image."""
    edge = width // 2
    result = {}
    for y, x in itertools.product(range(SIZE), repeat=2):
        sums = [0.0] * outputs
        for dy, dx in itertools.product(range(width), repeat=2):
            if not inside(y + dy - edge, x + dx - edge):
                continue
            pixel = image[y + dy - edge, x + dx - edge]
            for i in range(inputs):
                at = ((dy * width + dx) * inputs + i) * outputs
                for o in range(outputs):
                    sums[o] += pixel[i] * weights[at + o]
        result[y, x] = sums
    return result


def pool(image, channels):
    """The maximum of the 3x3 pixels around each one."""
    return {
        (y, x): [
            max(
                image[y + dy, x + dx][c]
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
                if inside(y + dy, x + dx)
            )
            for c in range(channels)
        ]
        for y, x in itertools.product(range(SIZE), repeat=2)
    }


def main():
    images, seed, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    # Arguments without a name are called by their number.
    shapes = [(1, 16, 16), (1, 16, 8), (3, 8, 16), (1, 16, 4), (5, 4, 8), (1, 16, 8)]
    weights = [
        made_up(f"argument{i}", width * width * inputs * outputs, seed)
        for i, (width, inputs, outputs) in enumerate(shapes, start=1)
    ]
    numbers = iter(made_up("hidden", images * SIZE * SIZE * 16, seed))

    def layer(index, image):
        return convolve(image, weights[index], *shapes[index])

    output = []
    for _ in range(images):
        x = {
            place: [next(numbers) for _ in range(16)]
            for place in itertools.product(range(SIZE), repeat=2)
        }
        branches = [
            layer(0, x),
            layer(2, layer(1, x)),
            layer(4, layer(3, x)),
            layer(5, pool(x, 16)),
        ]
        for place in itertools.product(range(SIZE), repeat=2):
            for branch in branches:
                output += [max(value, 0.0) for value in branch[place]]

    data = struct.pack(f"<{len(output)}f", *output)
    header = json.dumps({
        "output": {
            "dtype": "F32",
            "shape": [images, SIZE * SIZE * 48],
            "data_offsets": [0, len(data)],
        }
    }).encode()
    header += b" " * (-len(header) % 8)
    with open(out, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)


main()
