#===- InstallCompiler.cmake - The compiler for other projects ------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# Installs what a project needs that links the dialects, passes and pipelines:
# headers with those that TableGen wrote, TableGen files to derive ops from, and
# targets for find_package(Braid COMPONENTS Compiler). add_braid_library installs
# the libraries.

if(NOT BRAID_EXPORT_COMPILER)
  return()
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/braid"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler-dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/braid"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler-dev
  FILES_MATCHING PATTERN "*.h.inc"
  PATTERN CMakeFiles EXCLUDE)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Braid)
install(EXPORT BraidCompilerTargets NAMESPACE Braid:: DESTINATION ${package}
  COMPONENT compiler-dev)
configure_file("${PROJECT_SOURCE_DIR}/cmake/BraidCompilerConfig.cmake.in"
  BraidCompilerConfig.cmake @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/BraidCompilerConfig.cmake"
  DESTINATION ${package} COMPONENT compiler-dev)
