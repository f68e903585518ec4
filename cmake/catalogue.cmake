# SPDX-License-Identifier: Apache-2.0
# A folder is a catalogue: its sources are found, so adding one thing is adding one file.
#
#   ascendsim_folder(sim_base LINKS fmt::fmt)
# makes the library `sim_base` of every *.cpp here, and the test program `sim_base_test` of every *_test.cpp; with
# FOLDERS, of those in these folders; EXCEPT files that another library has; HOT where runs spend their time. Sources are
# compiled eight at a time (ASCENDSIM_UNITY=OFF: one by one).
include(GoogleTest)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
option(ASCENDSIM_UNITY "compile sources of a library eight at a time" ON)
set(ASCENDSIM_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined")
enable_testing()

add_library(ascendsim_options INTERFACE)
target_include_directories(ascendsim_options INTERFACE ${PROJECT_SOURCE_DIR})
# First: for the program that ./demo begins with. What it takes to compile it, not to run it, is what a newcomer waits for:
# only the simulator itself (HOT) is optimised.
set(CMAKE_CXX_FLAGS_FIRST "-O0")
if(CMAKE_BUILD_TYPE STREQUAL "First")
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 100)
    target_compile_options(ascendsim_options INTERFACE -w)
else()
    target_compile_options(ascendsim_options INTERFACE
        -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
        -Wold-style-cast -Wimplicit-fallthrough -Werror
        -Wno-missing-field-initializers)  # designated initialisers leave the rest at its default on purpose
endif()
# Floating-point contraction would make results depend on the host's instruction set.
target_compile_options(ascendsim_options INTERFACE -ffp-contract=off)
if(ASCENDSIM_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A file compiled with others is no longer the main file, where GCC allows a class with members of unnamed namespaces.
    # And GCC 12 takes copies of short strings for overlapping ones where more is inlined (PR 105651).
    target_compile_options(ascendsim_options INTERFACE -Wno-subobject-linkage -Wno-restrict)
endif()
if(ASCENDSIM_SANITIZE)
    target_compile_options(ascendsim_options INTERFACE -fsanitize=${ASCENDSIM_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(ascendsim_options INTERFACE -fsanitize=${ASCENDSIM_SANITIZE})
endif()

# Headers of other projects that most sources include are parsed once, where the compiler is clang; with GCC it takes as
# long as without. Libraries share those of `parsed_headers`, but for the simulator itself (HOT).
set(ASCENDSIM_PARSED_HEADERS <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>
    <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional> <ranges> <set> <span>
    <sstream> <string> <string_view> <thread> <unordered_map> <variant> <vector>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Without the time of a file, so that ccache may keep what was compiled with them.
    target_compile_options(ascendsim_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
    if(CMAKE_BUILD_TYPE STREQUAL "First")
        list(PREPEND ASCENDSIM_PARSED_HEADERS <CLI/CLI.hpp> <toml++/toml.h>)
        # Which can be shared where the same macros are defined.
        target_link_libraries(ascendsim_options INTERFACE PkgConfig::tomlplusplus CLI11::CLI11)
    endif()
    add_library(parsed_headers STATIC ${CMAKE_CURRENT_LIST_DIR}/parsed_headers.cpp)
    target_link_libraries(parsed_headers PRIVATE ascendsim_options fmt::fmt nlohmann_json::nlohmann_json)
    target_precompile_headers(parsed_headers PRIVATE ${ASCENDSIM_PARSED_HEADERS})
endif()

function(ascendsim_folder name)
    cmake_parse_arguments(arg "SHARED;HOT" "" "FOLDERS;EXCEPT;LINKS;TEST_LINKS" ${ARGN})
    if(NOT arg_FOLDERS)
        set(arg_FOLDERS .)
    endif()
    list(TRANSFORM arg_FOLDERS APPEND /*.cpp OUTPUT_VARIABLE patterns)
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    foreach(source IN LISTS arg_EXCEPT)
        list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    endforeach()
    set(tests ${sources})
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    if(sources)
        set(kind STATIC)
        if(arg_SHARED)
            set(kind SHARED)
        endif()
        add_library(${name} ${kind} ${sources})
        target_link_libraries(${name} PUBLIC ascendsim_options ${arg_LINKS})
        set_target_properties(${name} PROPERTIES UNITY_BUILD ${ASCENDSIM_UNITY})
        if(arg_HOT)
            target_compile_options(${name} PRIVATE $<$<CONFIG:First>:-O1>)
        else()
            ascendsim_share_headers(${name})
        endif()
    else()
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE ascendsim_options ${arg_LINKS})
    endif()
    if(tests)
        ascendsim_test(${name}_test SOURCES ${tests} LINKS ${name} ${arg_TEST_LINKS})
    endif()
endfunction()

# Lets a library take the parsed headers.
function(ascendsim_share_headers name)
    if(TARGET parsed_headers)
        target_precompile_headers(${name} REUSE_FROM parsed_headers)
    endif()
endfunction()

# Tests are not optimised, which takes longer than they run, and share parsed headers of their own.
if(GTest_FOUND AND TARGET parsed_headers AND NOT CMAKE_BUILD_TYPE STREQUAL "First")
    add_executable(test_headers EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/parsed_headers.cpp)
    target_link_libraries(test_headers PRIVATE ascendsim_options fmt::fmt nlohmann_json::nlohmann_json
        GTest::gtest_main GTest::gmock)
    target_compile_options(test_headers PRIVATE -O0)
    target_precompile_headers(test_headers PRIVATE ${ASCENDSIM_PARSED_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
endif()

# What tests run with: they write below the build folder, and their arithmetic is that of the programs, which rule out
# fused multiply-add for themselves (sim/base/portable_arithmetic.hpp).
set(ASCENDSIM_TEST_FOLDER ${CMAKE_BINARY_DIR}/test_files)
file(MAKE_DIRECTORY ${ASCENDSIM_TEST_FOLDER})
set(ASCENDSIM_TEST_ENVIRONMENT "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1" "TEST_TMPDIR=${ASCENDSIM_TEST_FOLDER}"
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4")

# For code that no run spends its time in: compiled a third faster.
function(ascendsim_compile_soon name)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Sources of this folder that could be compiled together with others but for warnings about names that hide others.
function(ascendsim_apart_for_warnings)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "First")
        ascendsim_apart(${ARGN})
    endif()
endfunction()

# Sources of this folder that cannot be compiled together with others.
function(ascendsim_apart)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Each TEST runs in a process of its own, which is the isolation SystemC needs.
function(ascendsim_test name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
    if(NOT GTest_FOUND OR CMAKE_BUILD_TYPE STREQUAL "First")
        add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})  # for those who name it; never built
        return()
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINKS} ascendsim_options GTest::gtest_main GTest::gmock)
    target_compile_options(${name} PRIVATE -O0)
    if(TARGET test_headers)
        target_precompile_headers(${name} REUSE_FROM test_headers)
    endif()
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests UNITY_BUILD ${ASCENDSIM_UNITY})
    # Tests of single parts: done within a minute, by ./check quick.
    set(labels whole)
    if(name MATCHES "^(sim|models|architecture|gui_render|gui_canvas)")
        set(labels quick)
        set_property(GLOBAL APPEND PROPERTY ascendsim_quick_tests ${name})
    endif()
    # CMake 3.25 hands the values on through four lists, each of which halves the marks before a semicolon.
    string(REPEAT "\\" 7 marks)
    string(REPLACE ";" "${marks};" environment "${ASCENDSIM_TEST_ENVIRONMENT}")
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT 300 LABELS ${labels} ENVIRONMENT "${environment}")
endfunction()
