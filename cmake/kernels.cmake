# SPDX-License-Identifier: Apache-2.0
# Every kernels/ops/<family>/<op>/<op>.cpp becomes plug-ins, lib/ascendsim/kernels/<op>.{host,aiv,aic}.so; aic only if one of its entries
# says that it runs on cube cores. The flags live in toolchain/build/compile.cpp, so a kernel built here and one compiled
# during a run are built alike.
function(ascendsim_kernel_plugins)
    file(GLOB sources CONFIGURE_DEPENDS ops/*/*/*.cpp)
    set(folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/ascendsim/kernels)
    file(MAKE_DIRECTORY ${folder})
    set(plugins)
    foreach(source IN LISTS sources)
        get_filename_component(op ${source} NAME_WE)
        cmake_path(GET source PARENT_PATH place)
        cmake_path(GET place FILENAME place)
        if(NOT place STREQUAL op)
            continue()  # a test or a part of an operator
        endif()
        set(passes host aiv)
        file(STRINGS ${source} cube_entries REGEX "KERNEL_TYPE_(AIC|MIX)")
        if(cube_entries)
            list(APPEND passes aic)
        endif()
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        foreach(pass IN LISTS passes)
            set(output ${folder}/${op}.${pass}.so)
            add_custom_command(OUTPUT ${output}
                COMMAND ascendsim-kernelc --source ${source} --pass ${pass} --root ${PROJECT_SOURCE_DIR}
                    --libraries ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} --compiler ${ASCENDSIM_KERNEL_COMPILER}
                    --cache ${CMAKE_BINARY_DIR}/kernel_cache --output ${output} --depfile ${output}.d
                DEPENDS ascendsim-kernelc ${source} models_isa kernels_plan scalar_steps
                DEPFILE ${output}.d
                COMMENT "Compiling kernel ${op} for ${pass}"
                VERBATIM)
            list(APPEND plugins ${output})
        endforeach()
    endforeach()
    add_custom_target(kernel_plugins ALL DEPENDS ${plugins})
endfunction()
