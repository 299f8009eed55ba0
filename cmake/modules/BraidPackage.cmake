#===- BraidPackage.cmake - Packages with CPack ---------------------------===//
#
# Part of the Braid project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
#
# Debian packages, divided as Debian divides libraries: what a program needs to run
# (libbraid-runtime0), what it needs to be built (libbraid-dev), the tools (braid),
# and what another MLIR project links (libbraid-compiler-dev). `scripts/package`
# makes them from the preset package. An archive (`cpack -G TXZ`) holds everything.

set(CPACK_PACKAGE_NAME braid)
set(CPACK_PACKAGE_VENDOR "Braid")
set(CPACK_PACKAGE_CONTACT
  "Braid maintainers <maintainers@braid.example>")
# CPack's own default: any other text becomes the summary of all of them.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(components runtime dev tools)
if(BRAID_EXPORT_COMPILER)
  list(APPEND components compiler-dev)
endif()
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

#===- Debian -------------------------------------------------------------===//

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
  "${PROJECT_BINARY_DIR}/runtime")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libbraid-runtime0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/packaging/debian/triggers"
  "${PROJECT_BINARY_DIR}/packaging/shlibs")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"runtime of attention layers that were compiled by Braid
Executes the schedules of layers that braid-compile made: streams, events,
captured segments, workspace, and kernels for the CPU.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libbraid-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS braid)
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_DEBIAN_DEV_DESCRIPTION
"development files for programs that link compiled Braid layers
Headers of the runtime, the CMake package Braid, braid.pc for pkg-config, and
an example of an engine in C.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME braid)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
# dpkg-shlibdeps may miss it: two packages have the name of the library.
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS libllvm${LLVM_VERSION_MAJOR})
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "libbraid-dev, gcc | c-compiler")
set(CPACK_COMPONENT_TOOLS_DEPENDS runtime)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
"compiler for the attention prefill of large language models
Derives the schedule of an attention layer, which is written one op after
another, from what each op reads and writes. The result is native code with a C
interface. Has the tools, and the documentation.")

set(CPACK_DEBIAN_COMPILER-DEV_PACKAGE_NAME libbraid-compiler-dev)
set(CPACK_DEBIAN_COMPILER-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMPILER-DEV_PACKAGE_DEPENDS
  "libmlir-${LLVM_VERSION_MAJOR}-dev, llvm-${LLVM_VERSION_MAJOR}-dev, mlir-${LLVM_VERSION_MAJOR}-tools")
set(CPACK_COMPONENT_COMPILER-DEV_DEPENDS dev)
set(CPACK_DEBIAN_COMPILER-DEV_DESCRIPTION
"libraries of the Braid compiler for other MLIR projects
Dialects, passes and pipelines of Braid as static libraries, with their
headers, TableGen files and CMake targets.")

#===- What Debian expects in each package --------------------------------===//

# Installed by component only, so not by `cmake --install`.
find_program(BRAID_GZIP gzip)
mark_as_advanced(BRAID_GZIP)
if(BRAID_GZIP)
  set(folder "${PROJECT_BINARY_DIR}/packaging")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  configure_file(packaging/debian/shlibs "${folder}/shlibs" @ONLY)
  configure_file(packaging/debian/changelog "${folder}/changelog.Debian" @ONLY)
  configure_file(packaging/debian/braid.1 "${folder}/braid.1" @ONLY)
  execute_process(
    COMMAND "${BRAID_GZIP}" -9nf
      "${folder}/changelog.Debian" "${folder}/braid.1"
    COMMAND_ERROR_IS_FATAL ANY)
  install(FILES "${folder}/braid.1.gz" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT tools EXCLUDE_FROM_ALL)
  foreach(tool compile import lsp-server opt run)
    if(TARGET braid-${tool})
      file(CREATE_LINK braid.1.gz "${folder}/braid-${tool}.1.gz" SYMBOLIC)
      install(FILES "${folder}/braid-${tool}.1.gz"
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT tools EXCLUDE_FROM_ALL)
    endif()
  endforeach()
  foreach(component IN LISTS components)
    string(TOUPPER ${component} upper)
    set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    install(FILES "${folder}/changelog.Debian.gz" packaging/debian/copyright
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
      COMPONENT ${component} EXCLUDE_FROM_ALL)
    if(EXISTS "${PROJECT_SOURCE_DIR}/packaging/debian/${package}.overrides")
      install(FILES packaging/debian/${package}.overrides
        DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
        COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
  endforeach()
endif()

include(CPack)
