#===- AddBraid.cmake - Functions for Braid's targets ---------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# One function for each kind of target: dialect library, tool, unit test.

if(BRAID_ENABLE_WERROR)
  set(BRAID_WARNING_FLAGS -Werror)
endif()

# add_braid_library(name sources... [MLIR_LIBS libs...] [BRAID_LIBS libs...]
#                   [LINK_COMPONENTS components...] [DEPENDS targets...])
# A library of the compiler. MLIR_LIBS name upstream libraries, LINK_COMPONENTS
# those of LLVM; they resolve to libMLIR.so and libLLVM.so where those are linked.
# Other projects get BraidSched as Braid::Sched.
function(add_braid_library name)
  cmake_parse_arguments(ARG "" "" "MLIR_LIBS;BRAID_LIBS;DEPENDS;LINK_COMPONENTS" ${ARGN})
  add_mlir_library(${name} STATIC DISABLE_INSTALL
    PARTIAL_SOURCES_INTENDED
    ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${ARG_BRAID_LIBS})
  target_compile_options(${name} PRIVATE ${BRAID_WARNING_FLAGS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  if(ARG_LINK_COMPONENTS AND LLVM_LINK_LLVM_DYLIB)
    target_link_libraries(${name} PUBLIC LLVM)
  elseif(ARG_LINK_COMPONENTS)
    llvm_map_components_to_libnames(libs ${ARG_LINK_COMPONENTS})
    target_link_libraries(${name} PUBLIC ${libs})
  endif()
  if(BRAID_EXPORT_COMPILER)
    string(REGEX REPLACE "^Braid" "" export_name ${name})
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
    install(TARGETS ${name} EXPORT BraidCompilerTargets COMPONENT compiler-dev
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endfunction()

# add_braid_tool(name [NO_INSTALL] sources... [MLIR_LIBS libs...]
#                [BRAID_LIBS libs...])
function(add_braid_tool name)
  cmake_parse_arguments(ARG "NO_INSTALL" "" "MLIR_LIBS;BRAID_LIBS" ${ARGN})
  add_llvm_executable(${name} PARTIAL_SOURCES_INTENDED
    ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_compile_options(${name} PRIVATE ${BRAID_WARNING_FLAGS})
  target_link_libraries(${name} PRIVATE ${ARG_BRAID_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin"
    # The runtime, and LLVM where that is in no standard place.
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
    INSTALL_RPATH_USE_LINK_PATH ON)
  if(NOT ARG_NO_INSTALL)
    install(TARGETS ${name} COMPONENT tools)
  endif()
endfunction()

# add_braid_unittest(name SOURCES sources... [LINK libs...])
# A GoogleTest binary; each test in it becomes one of ctest's.
function(add_braid_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wno-unused-parameter
    ${BRAID_WARNING_FLAGS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest
    GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60)
endfunction()

# add_braid_dialect(Base dialect): the generated dialect, ops and attributes
# of a dialect whose files are called <Base>*.td.
function(add_braid_dialect base dialect)
  set(LLVM_TARGET_DEFINITIONS ${base}Ops.td)
  mlir_tablegen(${base}Ops.h.inc -gen-op-decls -dialect=${dialect})
  mlir_tablegen(${base}Ops.cpp.inc -gen-op-defs -dialect=${dialect})
  mlir_tablegen(${base}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${base}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  set(LLVM_TARGET_DEFINITIONS ${base}Attrs.td)
  mlir_tablegen(${base}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${dialect})
  mlir_tablegen(${base}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${dialect})
  add_public_tablegen_target(Braid${base}IncGen)
  add_dependencies(mlir-headers Braid${base}IncGen)
endfunction()
