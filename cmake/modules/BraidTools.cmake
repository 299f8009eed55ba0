#===- BraidTools.cmake - Faster builds where tools are present -----------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# Uses ccache and lld where they are installed. Neither changes what is built.
# -DCMAKE_CXX_COMPILER_LAUNCHER= and -DBRAID_LINKER= (empty) turn them off.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BRAID_CCACHE ccache)
  mark_as_advanced(BRAID_CCACHE)
  if(BRAID_CCACHE)
    # Paths below the source tree are hashed as relative ones, so that a second
    # clone finds what the first one compiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}"
      "${BRAID_CCACHE}")
    message(STATUS "Compiler cache: ${BRAID_CCACHE}")
  endif()
endif()

if(NOT DEFINED BRAID_LINKER)
  # The lld of the LLVM that is linked, or the one on the path. The compiler
  # looks for a program called exactly ld.lld, so its folder is passed on.
  find_program(BRAID_LLD ld.lld HINTS "${LLVM_TOOLS_BINARY_DIR}")
  mark_as_advanced(BRAID_LLD)
  if(BRAID_LLD)
    set(BRAID_LINKER lld)
    get_filename_component(BRAID_LLD_FOLDER "${BRAID_LLD}" DIRECTORY)
    add_link_options("-B${BRAID_LLD_FOLDER}")
    message(STATUS "Linker: ${BRAID_LLD}")
  endif()
endif()
set(BRAID_LINKER "${BRAID_LINKER}" CACHE STRING "Linker, as -fuse-ld= takes it")
if(BRAID_LINKER)
  add_link_options(-fuse-ld=${BRAID_LINKER})
endif()
