#===- pack.py - What travels to the GPU machine ---------------*- Python -*-===#
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===#
#
# Collects, in one folder, what the stages need and the GPU machine lacks: the
# runtime with the libraries that it needs, its CUDA backend and the backend's
# tests, and the compiled programs.
#
#===------------------------------------------------------------------------===#

import concurrent.futures
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import time

import programs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 60 << 20
# On every machine with a C++ compiler and CUDA.
PRESENT = re.compile(r"^(ld-linux.*|linux-vdso|libc|libm|libdl|libpthread|librt"
                     r"|libstdc\+\+|libgcc_s|libcuda|libcudart|libcublas"
                     r"|libcublasLt|libnv.*)\.so")
# Above this size libraries travel compressed.
COMPRESS = 4 << 20


class Error(Exception):
    pass


def run(command, **options):
    try:
        return subprocess.run([str(part) for part in command], check=True,
                              capture_output=True, text=True, **options).stdout
    except OSError as error:
        raise Error("cannot run %s: %s" % (command[0], error.strerror))
    except subprocess.CalledProcessError as error:
        raise Error("%s failed:\n%s" % (" ".join(map(str, command)),
                                        error.stderr.strip()))


def find(build, names):
    """The first of `names` that lies in the build folder, or None."""
    for name in names:
        for place in (build / "runtime", build / "bin", build / "lib", build):
            if (place / name).exists():
                return (place / name).resolve()
        found = sorted(build.glob("runtime/**/" + name))
        if found:
            return found[0].resolve()
    return None


def cuda_files(build):
    """(name, path) of the backend and of its tests."""
    backend = find(build, ["libbraid_cuda.so.0"])
    tests = [path for path in sorted(build.glob("runtime/**/braid_cuda*tests"))
             if path.is_file()]
    if not backend or not tests:
        raise Error("%s has no %s: it was built without CUDA; pass "
                    "--without-cuda to pack the rest" % (
                        build, "tests of the CUDA backend" if backend else
                        "libbraid_cuda.so.0"))
    yield "libbraid_cuda.so.0", backend
    for path in tests:
        yield path.name, path


def needed(binary):
    """(soname, path) of the libraries that may be missing elsewhere."""
    for line in run(["ldd", binary]).splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not PRESENT.match(match.group(1)) and \
                not match.group(1).startswith("libbraid"):
            yield match.group(1), pathlib.Path(match.group(2)).resolve()


def copy_stripped(source, target):
    shutil.copyfile(source, target)
    target.chmod(0o755)
    # Debug information and local symbols are of no use there.
    subprocess.run(["strip", "--strip-unneeded", str(target)],
                   capture_output=True)


def compile_program(compiler, folder, name, text, options):
    source = folder / (name + ".mlir")
    source.write_text(text)
    run([compiler, source, "-o", folder / (name + ".so"),
         "--header", folder / (name + ".h")] + options)
    source.unlink()
    (folder / (name + ".h")).unlink()


def compile_native(out, with_cuda):
    """The stand-in for attention, and the hand-written loop of CUDA calls.
    Returns what could not be compiled here."""
    source = ROOT / "benchmarks/gpu"
    run(["cc", "-O2", "-shared", "-fPIC", "-I", ROOT / "runtime/include",
         source / "StandIn.c", "-o", out / "libstand_in.so"])
    if not with_cuda:
        return []
    shutil.copyfile(source / "Handwritten.cpp", out / "Handwritten.cpp")
    try:
        compile_handwritten(out)
        return []
    except Error as error:
        return ["libhandwritten.so: %s" % error]


def compile_handwritten(folder, cuda="/usr/local/cuda"):
    run(["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC",
         "-isystem", cuda + "/include", folder / "Handwritten.cpp",
         "-o", folder / "libhandwritten.so", "-L", cuda + "/lib64",
         "-lcublasLt", "-lcudart_static", "-ldl", "-lpthread", "-lrt"])


def pack(out, build, models, with_cuda):
    out, build = pathlib.Path(out), pathlib.Path(build)
    runtime = find(build, ["libbraid_runtime.so.0"])
    compiler = find(build, ["braid-compile"])
    if not runtime or not compiler:
        raise Error("%s has no braid-compile or no libbraid_runtime.so.0; "
                    "build it first, or name another folder with --build"
                    % build)
    shutil.rmtree(out, ignore_errors=True)
    (out / "programs").mkdir(parents=True)
    files = {"libbraid_runtime.so.0": runtime}
    if with_cuda:
        files.update(cuda_files(build))
        for source in list(files.values()):
            files.update(needed(source))
    for name, source in files.items():
        copy_stripped(source, out / name)
        if (out / name).stat().st_size > COMPRESS and \
                not name.startswith("libbraid") and ".so" in name:
            compress(out / name)
    manifest = {"made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "commit": commit(), "programs": {},
                "missing": compile_native(out, with_cuda)}
    # braid-compile is mostly start-up here; two at once are enough.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = []
        for name, text, options, function in programs.programs(models):
            manifest["programs"][name] = "%s_%s" % (name, function)
            waiting.append(pool.submit(compile_program, compiler,
                                       out / "programs", name, text, options))
        for future in waiting:
            future.result()
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file())
    if size > LIMIT:
        raise Error("%s has %.1f MB, more than the %.0f MB that may travel"
                    % (out, size / 1e6, LIMIT / 1e6))
    return manifest, size


def compress(path):
    data = lzma.compress(path.read_bytes(), preset=1)
    path.with_name(path.name + ".xz").write_bytes(data)
    path.unlink()


def unpack(folder):
    """Makes compressed libraries usable, where that was not done before."""
    for packed in folder.glob("*.xz"):
        target = packed.with_suffix("")
        if not target.exists():
            target.write_bytes(lzma.decompress(packed.read_bytes()))
            target.chmod(0o755)


def commit():
    try:
        text = run(["git", "-C", ROOT, "describe", "--always", "--dirty"])
        return text.strip()
    except Error:
        return "unknown"
