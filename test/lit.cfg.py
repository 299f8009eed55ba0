# ===- lit.cfg.py - Configuration of the lit suite -------------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Names the tools that RUN lines may use. What depends on the build directory is
# in lit.site.cfg.py.

import os

import lit.formats

config.name = "Braid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Install", "CMakeLists.txt", "lib", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.braid_obj_root

# Nothing else of the caller's environment: a variable such as
# BRAID_TOKEN_THRESHOLD must not change what tests check.
passed_on = ["TMPDIR", "TEMP", "TMP", "HOME", "ASAN_OPTIONS", "LSAN_OPTIONS",
             "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"]
config.environment = {
    name: os.environ[name] for name in passed_on if name in os.environ
}
config.environment["PATH"] = os.environ.get("PATH", "")

# Substitutions rather than PATH, so that an installed tool of the same name is
# never taken: a tool that was not built fails the test.
for directory, tools in [
    (config.braid_tools_dir,
     ["braid-opt", "braid-test-opt", "braid-import", "braid-compile",
      "braid-run", "braid-lsp-server"]),
    (config.llvm_tools_dir,
     ["FileCheck", "not", "count", "split-file", "llvm-dwarfdump", "llvm-nm",
      "llvm-readobj", "llvm-tblgen", "mlir-opt", "mlir-translate"]),
]:
    for tool in tools:
        # Not inside a longer word, a path, an option or a list of passes.
        path = os.path.join(directory, tool)
        config.substitutions.append(
            (r"(?<![\w./(,-])" + tool + r"(?![\w./-])", path))
        if os.path.exists(path):
            config.available_features.add(tool)
# Absent in static builds and under sanitizers.
plugin = os.path.join(config.braid_lib_dir, "BraidPlugin.so")
config.substitutions.append(("%braid_plugin", plugin))
if os.path.exists(plugin):
    config.available_features.add("braid-plugin")
config.substitutions.append(("%python", config.python_executable))
config.substitutions.append(
    ("%tablegen_includes", " ".join(
        "-I " + folder for folder in config.tablegen_includes.split(";"))))
# Programs that link compiled code, with what the build was told of sanitizers.
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%runtime_include", config.runtime_include))
config.substitutions.append(("%runtime_dir", config.runtime_dir))
config.substitutions.append(
    ("%link_runtime", "-L{0} -lbraid_runtime -Wl,-rpath,{0} -lm".format(
        config.runtime_dir)))

# Python cannot load libraries that need the runtime of a sanitizer.
if "-fsanitize" not in config.c_compiler:
    config.available_features.add("python-loads-runtime")
