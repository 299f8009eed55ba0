#===- braid.py - The C ABI of the runtime, from Python --------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# What the GPU checks need of braid/runtime.h, through ctypes: contexts,
# compiled functions, and calls whose structs are made once, so that a call in a
# timed loop is one call of C.
#
#===------------------------------------------------------------------------===#

import ctypes
import pathlib

MAX_RANK = 6
BACKENDS = {"host": 0, "trace": 1, "cuda": 2}
DTYPES = {"f32": 1, "bf16": 2, "f16": 3, "f8E4M3FN": 4, "f8E8M0FNU": 5,
          "i8": 6, "i32": 7, "i64": 8}
BYTES = {"f32": 4, "bf16": 2, "f16": 2, "f8E4M3FN": 1, "f8E8M0FNU": 1, "i8": 1,
         "i32": 4, "i64": 8}

UNSUPPORTED = 6  # a braid_status

P, I32, I64, SIZE = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64,
                     ctypes.c_size_t)


class Error(Exception):
    """A call of the runtime failed; the text is its sentence."""


class CTensor(ctypes.Structure):
    _fields_ = [("data", P), ("sizes", I64 * MAX_RANK),
                ("strides", I64 * MAX_RANK), ("dtype", I32), ("rank", I32)]


class CArgument(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("name", ctypes.c_char_p),
                ("dtype", I32), ("rank", I32), ("sizes", ctypes.POINTER(I64)),
                ("access", I32), ("metadata", I32),
                ("strides", ctypes.POINTER(I64))]


class CFunction(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("abi_major", I32), ("abi_minor", I32),
                ("name", ctypes.c_char_p), ("num_arguments", I64),
                ("arguments", ctypes.POINTER(CArgument)),
                ("workspace_per_token", I64), ("workspace_fixed", I64),
                ("entry", P)]


class CCall(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("function", ctypes.POINTER(CFunction)),
                ("arguments", ctypes.POINTER(CTensor)), ("num_arguments", I64),
                ("stream", P)]


class COptions(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("backend", I32), ("capture", I32),
                ("require_prepared", I32), ("max_auxiliary_streams", I32),
                ("max_graphs", I64), ("scratch_bytes", SIZE), ("trace", P),
                ("trace_user_data", P), ("allocate", P), ("deallocate", P),
                ("allocator_user_data", P), ("token_threshold", I64),
                ("delay_seed", ctypes.c_uint64), ("poison", I32),
                ("reserved", I32), ("eager_break", P),
                ("eager_break_user_data", P), ("timeline", P),
                ("timeline_user_data", P), ("eager_token_minimum", I64)]


class CStatistics(ctypes.Structure):
    _fields_ = [("struct_size", SIZE)] + [
        (name, I64) for name in (
            "launches", "replayed", "captures", "replays", "eager_segments",
            "breaks", "graphs", "workspace_bytes", "streams", "events")]


class CKernel(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("name", ctypes.c_char_p), ("check", P),
                ("workspace", P), ("run", P), ("user_data", P),
                ("check_contents", P)]


class Runtime:
    """The runtime library, and what compiled libraries link to."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        path = self.folder / "libbraid_runtime.so.0"
        if not path.exists():
            raise Error("%s does not exist; make the folder with "
                        "'scripts/gpu-checks pack'" % path)
        # Libraries that the runtime needs and that a bare machine lacks. Each
        # may need another one of them, so try until nothing more loads; those
        # that need others are large.
        waiting = sorted((p for p in self.folder.glob("*.so.*")
                          if not p.name.startswith("libbraid")
                          and p.suffix != ".xz"),
                         key=lambda p: p.stat().st_size)
        progress = True
        while waiting and progress:
            failed = []
            for library in waiting:
                try:
                    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
                except OSError:
                    failed.append(library)
            progress, waiting = len(failed) < len(waiting), failed
        # Compiled libraries leave the runtime's functions open.
        self.library = ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
        for name in ("braid_context_create", "braid_prepare", "braid_execute",
                     "braid_synchronize", "braid_get_statistics",
                     "braid_register_kernel"):
            getattr(self.library, name).restype = I32
        self.library.braid_last_error.restype = ctypes.c_char_p
        self.library.braid_last_error.argtypes = [P]
        self.library.braid_context_destroy.argtypes = [P]
        self.library.braid_context_destroy.restype = None
        # Called in timed loops, with arguments that are ready.
        self.execute = self.library.braid_execute
        self.execute.argtypes = [P, P]

    def version(self):
        major, minor = I32(), I32()
        self.library.braid_abi_version(ctypes.byref(major),
                                       ctypes.byref(minor))
        return "%d.%d" % (major.value, minor.value)

    def last_error(self, context=None):
        return (self.library.braid_last_error(context) or b"").decode()


class Function:
    """A function of a compiled library."""

    def __init__(self, path, name):
        self.library = ctypes.CDLL(str(path))
        symbol = "braid_function_%s" % name
        self.struct = CFunction.in_dll(self.library, symbol)
        self.arguments = [self.struct.arguments[i].name.decode()
                          for i in range(self.struct.num_arguments)]


class Context:
    """A context. `threshold` is the largest T with several streams; 0: never,
    None: as compiled."""

    def __init__(self, runtime, backend, capture=True, threshold=None):
        self.runtime, self.handle = runtime, P()
        options = COptions()
        runtime.library.braid_context_options_initialize_sized(
            ctypes.byref(options), SIZE(ctypes.sizeof(options)))
        options.struct_size = ctypes.sizeof(options)
        options.backend = BACKENDS[backend]
        options.capture = int(capture)
        options.token_threshold = -1 if threshold is None else threshold
        # A threshold that is given holds without a graph as well.
        options.eager_token_minimum = -1 if threshold is None else 0
        self.kept = []
        if runtime.library.braid_context_create(
                ctypes.byref(options), ctypes.byref(self.handle)):
            raise Error(runtime.last_error())

    def check(self, status):
        if status != 0:
            raise Error(self.runtime.last_error(self.handle))

    def register(self, name, run):
        """`run` is the address of a C function."""
        kernel = CKernel(ctypes.sizeof(CKernel), name.encode(), None, None, run,
                         None, None)
        self.check(self.runtime.library.braid_register_kernel(
            self.handle, ctypes.byref(kernel)))

    def load_tuning(self, path):
        """Whether the algorithms in the file are for this machine."""
        load = getattr(self.runtime.library, "braid_tuning_load", None)
        status = load(self.handle, str(path).encode()) if load else UNSUPPORTED
        if status not in (0, UNSUPPORTED):
            self.check(status)
        return status == 0

    def save_tuning(self, path):
        """Does nothing on backends that time nothing."""
        save = getattr(self.runtime.library, "braid_tuning_save", None)
        status = save(self.handle, str(path).encode()) if save else UNSUPPORTED
        if status != UNSUPPORTED:
            self.check(status)

    def synchronize(self):
        self.check(self.runtime.library.braid_synchronize(self.handle))

    def statistics(self):
        result = CStatistics()
        result.struct_size = ctypes.sizeof(result)
        self.check(self.runtime.library.braid_get_statistics(
            self.handle, ctypes.byref(result)))
        return {name: getattr(result, name) for name, _ in result._fields_[1:]}

    def close(self):
        if self.handle:
            self.runtime.library.braid_context_destroy(self.handle)
            self.handle = P()


class Call:
    """A call of `function`, ready to be made many times. `arrays` has an array
    (see devices.py) for each argument's name."""

    def __init__(self, context, function, arrays, stream=None):
        self.context, self.function, self.arrays = context, function, arrays
        self.tensors = (CTensor * len(function.arguments))()
        for tensor, name in zip(self.tensors, function.arguments):
            array = arrays[name]
            tensor.data, tensor.rank = array.pointer, len(array.extents)
            tensor.dtype = DTYPES[array.element]
            stride = 1
            for i in reversed(range(len(array.extents))):
                tensor.sizes[i], tensor.strides[i] = array.extents[i], stride
                stride *= array.extents[i]
            if array.by_block:
                tensor.strides[0], tensor.strides[1] = 1, array.extents[0]
        self.struct = CCall(ctypes.sizeof(CCall),
                            ctypes.pointer(function.struct),
                            ctypes.cast(self.tensors, ctypes.POINTER(CTensor)),
                            len(self.tensors), stream)
        self.pointer = ctypes.addressof(self.struct)
        self.execute = context.runtime.execute

    def prepare(self):
        self.context.check(self.context.runtime.library.braid_prepare(
            self.context.handle, P(self.pointer)))

    def __call__(self):
        status = self.execute(self.context.handle, self.pointer)
        if status:
            self.context.check(status)
