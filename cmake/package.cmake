# SPDX-License-Identifier: Apache-2.0
# cpack --config build/release/CPackConfig.cmake: a Debian package of what 'cmake --install' installs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ascendsim)
set(CPACK_PACKAGE_VENDOR AscendSim)
set(CPACK_PACKAGE_CONTACT "AscendSim maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of Huawei's Ascend NPU that runs Ascend C kernels")
set(CPACK_PACKAGE_DESCRIPTION
    "AscendSim compiles Ascend C kernels with clang, runs them on a simulated chip with correct numbers, and tells where
every cycle went. It has a command line (ascendsim) and a dashboard (ascendsim-gui). Neither CANN nor an NPU is needed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES OFF)  # the lines of kernels are in them
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Libraries that programs link to are found by dpkg-shlibdeps. What compiling kernels needs is not linked to: the clang
# that loads the pass, its linker, and fmt's headers.
math(EXPR next_clang "${clang_major} + 1")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "clang (>= 1:${clang_major}~), clang (<< 1:${next_clang}~), lld (>= 1:${clang_major}~), libfmt-dev")
if(TARGET ascendsim-gui)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", fonts-dejavu-core")
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-noto-cjk)
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libgtest-dev, graphviz, python3-numpy, python3-pytest, python3-torch, libtorch-dev, g++")
include(CPack)
