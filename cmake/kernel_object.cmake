# SPDX-License-Identifier: Apache-2.0
# Compiles a kernel source as the tool does, for one kind of core, into an object that a test links.
#
#   ascendsim_kernel_object(vector_add.cpp CORE vector OUT objects)       # appends the object to `objects`
function(ascendsim_kernel_object source)
    cmake_parse_arguments(arg "" "CORE;OUT;ARCH" "DEFINES" ${ARGN})
    set(core ${arg_CORE})
    set(arch 2201)
    if(arg_ARCH)
        set(arch ${arg_ARCH})
    endif()
    set(defines -D__NPU_ARCH__=${arch})
    if(arch EQUAL 2201)
        list(APPEND defines -D__CCE_AICORE__=220)
    else()
        list(APPEND defines -D__CCE_AICORE__=200)
    endif()
    if(core STREQUAL vector)
        list(APPEND defines -D__DAV_C220_VEC__ -D__DAV_VEC__)
    elseif(core STREQUAL cube)
        list(APPEND defines -D__DAV_C220_CUBE__ -D__DAV_CUBE__)
    endif()
    if(core STREQUAL coupled)
        list(APPEND defines -D__DAV_M200__ -D__DAV_VEC__ -D__DAV_CUBE__)
    endif()
    foreach(define ${arg_DEFINES})
        list(APPEND defines -D${define})
    endforeach()
    get_filename_component(stem ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${stem}.${core}.o)
    set(sanitize)
    if(ASCENDSIM_SANITIZE)
        set(sanitize -fno-omit-frame-pointer)
    endif()
    add_custom_command(OUTPUT ${object}
        COMMAND ${ASCENDSIM_KERNEL_COMPILER} -std=c++20 -O2 -fPIC -Wall -ffp-contract=off ${sanitize} ${defines}
            -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/kernels/ascendc
            -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set(${arg_OUT} ${${arg_OUT}} ${object} PARENT_SCOPE)
endfunction()
