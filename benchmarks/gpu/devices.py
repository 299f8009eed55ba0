#===- devices.py - Arrays on a GPU or in memory ---------------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# The same few functions for tensors of PyTorch on a GPU, and for memory that
# ctypes allocates. The second needs nothing but Python: it is for trying the
# checks out, with the host backend, on a machine without a GPU.
#
#===------------------------------------------------------------------------===#

import ctypes
import math
import random
import subprocess
import time

import braid


def random_bytes(element, count, seed):
    """`count` values of `element` between -2 and 2, no zeros, no NaNs."""
    source = random.Random(seed)
    if element in ("i32", "i64"):
        raise ValueError("integers are not random")
    size = braid.BYTES[element]
    raw = source.randbytes(size * count)
    if element == "f8E4M3FN":  # exponents up to that of 1
        return raw.translate(bytes((b & 0xBF) | 0x20 for b in range(256)))
    if element == "f8E8M0FNU":  # 2^-8 to 2^-1
        return raw.translate(bytes(119 + (b & 7) for b in range(256)))
    if element == "i8":
        return raw
    # The two bytes that hold sign, exponent and the upper bits of the fraction.
    values = bytearray(raw)
    values[size - 1::size] = values[size - 1::size].translate(
        bytes((b & 0x80) | 0x3E | (b & 1) for b in range(256)))
    return bytes(values)


class HostArray:
    def __init__(self, extents, element, by_block=False):
        self.extents, self.element = tuple(extents), element
        self.by_block = by_block  # the first index is the fastest
        self.size = math.prod(extents) * braid.BYTES[element]
        self.memory = (ctypes.c_char * (self.size + 64))()
        address = ctypes.addressof(self.memory)
        self.pointer = (address + 63) // 64 * 64

    def write(self, data):
        assert len(data) == self.size
        ctypes.memmove(self.pointer, data, self.size)

    def read(self):
        return ctypes.string_at(self.pointer, self.size)

    def copy(self):
        return self.read()

    def equals(self, copy):
        return self.read() == copy

    def fill_random(self, seed):
        self.write(random_bytes(self.element, math.prod(self.extents), seed))

    def fill_bytes(self, byte):
        ctypes.memset(self.pointer, byte, self.size)


class HostDevice:
    """The host backend, for trying out: times are those of the clock."""
    kind, backend, stream = "host", "host", None

    def __init__(self):
        self.contexts = []

    def array(self, extents, element, by_block=False):
        return HostArray(extents, element, by_block)

    host_array = array

    def synchronize(self):
        for context in self.contexts:
            if context.handle:
                context.synchronize()

    def time(self, run, count, ahead):
        """Microseconds for one of `count` runs."""
        start = time.perf_counter()
        for i in range(count):
            run(i)
        self.synchronize()
        return (time.perf_counter() - start) * 1e6 / count

    def describe(self):
        return {"device": "host"}


def torch_type(element):
    import torch
    return {"f32": torch.float32, "bf16": torch.bfloat16,
            "f16": torch.float16, "f8E4M3FN": torch.float8_e4m3fn,
            "f8E8M0FNU": torch.float8_e8m0fnu, "i8": torch.int8,
            "i32": torch.int32, "i64": torch.int64}[element]


class TorchArray:
    def __init__(self, extents, element, by_block=False):
        import torch
        self.extents, self.element = tuple(extents), element
        self.by_block = by_block  # the first index is the fastest
        self.flat = torch.empty(math.prod(self.extents),
                                dtype=torch_type(element), device="cuda")
        self.tensor = (self.flat.view(self.extents[::-1]).t() if by_block
                       else self.flat.view(self.extents))
        self.pointer = self.flat.data_ptr()
        self.bytes = self.flat.view(torch.uint8)

    def write(self, data):
        import torch
        self.bytes.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))

    def read(self):
        return self.bytes.cpu().numpy().tobytes()

    def copy(self):
        """Stays on the GPU, for equals()."""
        return self.bytes.clone()

    def equals(self, copy):
        import torch
        return torch.equal(self.bytes, copy)

    def fill_random(self, seed):
        import torch
        generator = torch.Generator(device="cuda").manual_seed(seed)
        if self.element == "f8E8M0FNU":
            self.bytes.copy_(torch.randint(119, 127, (self.bytes.numel(),),
                                           generator=generator, device="cuda"))
            return
        # In pieces: f32 copies of large arrays would need much memory.
        for piece in self.flat.split(1 << 26):
            values = torch.randn(piece.shape, generator=generator,
                                 device="cuda") * 0.5
            piece.copy_(values.to(piece.dtype))

    def fill_bytes(self, byte):
        self.bytes.fill_(byte)


class TorchDevice:
    """The GPU, through PyTorch. All work is on one stream of its own, since the
    default stream cannot be captured."""
    kind, backend = "cuda", "cuda"

    def __init__(self):
        try:
            import torch
        except ImportError as error:
            raise braid.Error("%s; try the checks out with --backend host"
                              % error)
        if not torch.cuda.is_available():
            raise braid.Error("PyTorch finds no GPU; try the checks out with "
                              "--backend host")
        self.torch_stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.torch_stream)
        self.stream = self.torch_stream.cuda_stream
        self.contexts = []
        self.start = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def array(self, extents, element, by_block=False):
        return TorchArray(extents, element, by_block)

    def host_array(self, extents, element):
        return HostArray(extents, element)

    def synchronize(self):
        import torch
        torch.cuda.synchronize()

    def time(self, run, count, ahead):
        """Microseconds for one of `count` runs between two events. With `ahead`
        the GPU is kept busy first until all of them are enqueued, so that their
        time on the device is measured and not how fast they are launched."""
        import torch
        if ahead:
            # _sleep counts cycles of at most 2 GHz.
            torch.cuda._sleep(int(ahead * count * 2000) + 100000)
        self.start.record()
        for i in range(count):
            run(i)
        self.end.record()
        self.end.synchronize()
        return self.start.elapsed_time(self.end) * 1e3 / count

    def describe(self):
        import torch
        properties = torch.cuda.get_device_properties(0)
        result = {"device": properties.name,
                  "multiprocessors": properties.multi_processor_count,
                  "memory_bytes": properties.total_memory,
                  "torch": torch.__version__, "cuda": torch.version.cuda}
        try:
            library = ctypes.CDLL("libcublasLt.so.13")
            library.cublasLtGetVersion.restype = ctypes.c_size_t
            result["cublasLt"] = library.cublasLtGetVersion()
        except (OSError, AttributeError) as error:
            result["cublasLt"] = "not found: %s" % error
        result.update(query_driver())
        return result


def query_driver():
    """What nvidia-smi says of the driver and of the clocks at this moment."""
    fields = ["driver_version", "clocks.sm", "clocks.mem", "temperature.gpu",
              "power.draw"]
    try:
        output = subprocess.run(
            ["nvidia-smi", "--query-gpu=" + ",".join(fields),
             "--format=csv,noheader"], capture_output=True, text=True,
            timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"driver_version": "unknown: %s" % error}
    values = [value.strip() for value in output.stdout.strip().split(",")]
    return dict(zip(fields, values))


def open_device(backend):
    return TorchDevice() if backend == "cuda" else HostDevice()
