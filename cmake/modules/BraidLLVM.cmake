#===- BraidLLVM.cmake - Find LLVM and MLIR -------------------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# Finds MLIR 22.1 (from -DMLIR_DIR, CMAKE_PREFIX_PATH or llvm-config-22) and
# sets up compiling and linking against it.

# Link libMLIR.so and libLLVM.so: the packages' default mixes them with static
# archives, which can bring two copies of one registry into a process. OFF links
# archives of both (preset static).
option(MLIR_LINK_MLIR_DYLIB "Link tools with libMLIR.so" ON)

find_program(BRAID_LLVM_CONFIG NAMES llvm-config-22 llvm-config)
if(BRAID_LLVM_CONFIG)
  execute_process(COMMAND ${BRAID_LLVM_CONFIG} --prefix
    OUTPUT_VARIABLE BRAID_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

find_package(MLIR 22.1 CONFIG QUIET
  HINTS "${BRAID_LLVM_PREFIX}" "${BRAID_LLVM_PREFIX}/lib/cmake/mlir")
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "MLIR 22.1 was not found. On Debian: apt-get install libmlir-22-dev "
    "mlir-22-tools llvm-22-dev llvm-22-tools. Elsewhere pass "
    "-DMLIR_DIR=<prefix>/lib/cmake/mlir.")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION}: ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(LLVM_LINK_LLVM_DYLIB ${MLIR_LINK_MLIR_DYLIB})
# Other projects link Braid's libraries beside libMLIR.so only.
set(BRAID_EXPORT_COMPILER ${MLIR_LINK_MLIR_DYLIB})
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "lit")
set(LLVM_RUNTIME_OUTPUT_INTDIR "${CMAKE_BINARY_DIR}/bin")
set(LLVM_LIBRARY_OUTPUT_INTDIR "${CMAKE_BINARY_DIR}/lib")
set(MLIR_BINARY_DIR "${CMAKE_BINARY_DIR}")

include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Definitions have to be separate arguments and come before
# HandleLLVMOptions, or every file warns about a macro redefined.
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${LLVM_DEFINITIONS_LIST})
include(HandleLLVMOptions)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
