#===- BraidStatic.cmake - Tools with LLVM and MLIR linked in -------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# Makes the imported targets of LLVM and MLIR name archives only: Debian's
# archives of MLIR ask for libLLVM.so, and some for libMLIR.so, since that is how
# the packages were built. And links small tools. libc, libstdc++ and libgcc stay
# shared.

if(NOT BRAID_LINKER STREQUAL "lld")
  message(FATAL_ERROR "Linking LLVM into the tools needs lld: install the "
    "package lld-22, or use MLIR_LINK_MLIR_DYLIB=ON")
endif()

#===- Archives -----------------------------------------------------------===//

# Only what is missing is taken from an archive, so a list that is too long costs
# nothing. Code generators are named where they are used.
llvm_map_components_to_libnames(llvm_archives
  FrontendOpenMP OrcJIT Passes PerfJITEvents Remarks Support SupportLSP)
set(mlir_archives
  MLIRBuiltinToLLVMIRTranslation MLIRLLVMDialect MLIRTargetLLVMIRExport)

# For sections that are compressed.
find_library(BRAID_ZLIB_ARCHIVE libz.a REQUIRED)
find_library(BRAID_ZSTD_ARCHIVE libzstd.a REQUIRED)
mark_as_advanced(BRAID_ZLIB_ARCHIVE BRAID_ZSTD_ARCHIVE)

foreach(target IN LISTS LLVM_AVAILABLE_LIBS MLIR_EXPORTED_TARGETS)
  if(NOT TARGET ${target})
    continue()
  endif()
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT libs)
    continue()
  endif()
  list(TRANSFORM libs REPLACE "^LLVM$" "${llvm_archives}")
  list(TRANSFORM libs REPLACE "^MLIR$" "${mlir_archives}")
  list(TRANSFORM libs REPLACE "^ZLIB::ZLIB$" "${BRAID_ZLIB_ARCHIVE}")
  list(TRANSFORM libs REPLACE "^zstd::libzstd_shared$" "${BRAID_ZSTD_ARCHIVE}")
  # A solver that nothing here calls.
  list(FILTER libs EXCLUDE REGEX "libz3")
  list(REMOVE_DUPLICATES libs)
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
endforeach()

#===- Size ---------------------------------------------------------------===//

# Sections that nothing refers to are left out. Functions with the same code are
# one: a quarter of what is left. LLVM's own build does the same in a release for
# Windows, and the whole suite passes so. (--icf=safe finds nothing: the archives
# were stripped of what it reads.) The tools have a fixed address, since
# relocations are 1 MB for each 20.
add_link_options(-Wl,-O2 -Wl,--gc-sections -Wl,--icf=all
  "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
