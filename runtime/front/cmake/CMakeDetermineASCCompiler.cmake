# SPDX-License-Identifier: Apache-2.0
if(NOT CMAKE_ASC_COMPILER)
    get_filename_component(CMAKE_ASC_COMPILER ${CMAKE_CURRENT_LIST_DIR}/../bin/ascendsim-cc ABSOLUTE)
endif()
set(CMAKE_ASC_COMPILER ${CMAKE_ASC_COMPILER} CACHE FILEPATH "the compiler of .asc files")
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in ${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake @ONLY)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)  # asked for as soon as this file is read
