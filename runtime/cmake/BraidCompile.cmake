#===- BraidCompile.cmake - Compiled models as CMake targets --------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# One function, for projects that link what braid-compile makes.

# braid_add_library(name INPUT file [OPTIONS option...])
# Compiles a config.json or an .mlir to the static library `name`. Who links it
# can include <name.h> and gets the runtime. OPTIONS are those of braid-compile,
# for example --layer=2 or --prefix=model.
function(braid_add_library name)
  cmake_parse_arguments(ARG "" "INPUT" "OPTIONS" ${ARGN})
  if(NOT ARG_INPUT)
    message(FATAL_ERROR "braid_add_library(${name}): INPUT is missing, expected a config.json or an .mlir file")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "braid_add_library(${name}): '${ARG_UNPARSED_ARGUMENTS}' is not known, expected INPUT and OPTIONS")
  endif()
  if(NOT BRAID_COMPILE)
    message(FATAL_ERROR "braid_add_library(${name}): braid-compile was not found; install Braid's tools, or set BRAID_COMPILE to its path")
  endif()
  get_filename_component(input "${ARG_INPUT}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.braid")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${folder}/${name}.o" "${folder}/${name}.h"
    COMMAND "${BRAID_COMPILE}" "${input}" ${ARG_OPTIONS} -o "${folder}/${name}.o"
    DEPENDS "${input}" "${BRAID_COMPILE}"
    COMMENT "Compiling ${ARG_INPUT} with Braid"
    VERBATIM)
  set_source_files_properties("${folder}/${name}.o" PROPERTIES
    EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${name} STATIC "${folder}/${name}.o" "${folder}/${name}.h")
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${name} INTERFACE "${folder}")
  # Host code of a program may call mathematical functions.
  target_link_libraries(${name} INTERFACE Braid::Runtime m)
endfunction()
