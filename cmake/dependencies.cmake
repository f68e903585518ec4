# SPDX-License-Identifier: Apache-2.0
# Everything comes from Debian packages (see install.sh); nothing is downloaded while building.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(GTest)
find_package(benchmark)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED libxxhash)  # its header, which holds all of it

# SystemC 2.3.4 is packaged as C++17 without a CMake package. SC_CPLUSPLUS keeps its API check while we use C++20.
pkg_check_modules(systemc_pc REQUIRED systemc)
find_library(systemc_library systemc REQUIRED)
add_library(systemc INTERFACE IMPORTED)
target_compile_definitions(systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES=1)
target_include_directories(systemc SYSTEM INTERFACE ${systemc_pc_INCLUDE_DIRS})
target_link_libraries(systemc INTERFACE ${systemc_library} Threads::Threads)

# The dashboard needs Dear ImGui, SDL2, OpenGL, libpng and FreeType; it is left out when one is missing.
set(ASCENDSIM_GUI_FOUND TRUE)
set(ASCENDSIM_GUI_MISSING "")
foreach(pair imgui:imgui sdl2:sdl2 opengl:gl png:libpng freetype:freetype2)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 target)
    list(GET pair 1 package)
    pkg_check_modules(${target} QUIET IMPORTED_TARGET ${package})
    if(NOT ${target}_FOUND)
        set(ASCENDSIM_GUI_FOUND FALSE)
        string(APPEND ASCENDSIM_GUI_MISSING "${package} ")
    endif()
endforeach()

# Kernels, ours and the user's, are built with clang: published template kernels need it.
find_program(ASCENDSIM_KERNEL_COMPILER NAMES clang++ clang++-14 REQUIRED)
# It loads a pass of ours (toolchain/scalar_steps), which must be built for its own version of LLVM.
execute_process(COMMAND ${ASCENDSIM_KERNEL_COMPILER} -dumpversion OUTPUT_VARIABLE clang_version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^[0-9]+" clang_major ${clang_version})
find_path(ASCENDSIM_LLVM_HEADERS llvm/Passes/PassPlugin.h HINTS /usr/lib/llvm-${clang_major}/include)
if(NOT ASCENDSIM_LLVM_HEADERS)
    message(FATAL_ERROR "The headers of LLVM ${clang_major}, that of ${ASCENDSIM_KERNEL_COMPILER}, are missing: "
        "install llvm-${clang_major}-dev (./install.sh does)")
endif()

find_program(ccache_program ccache)
if(ccache_program AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # What it asks for before it keeps what was compiled with parsed headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ccache_program})
endif()
find_program(lld_program ld.lld)
if(lld_program)
    add_link_options(-fuse-ld=lld)
endif()
