# SPDX-License-Identifier: Apache-2.0
# cmake --install build/release --prefix P
#   P/bin                  ascendsim and the dashboard
#   P/lib/ascendsim        libraries, the compiler's pass, and in kernels/ those parts of kernels that are built; others are
#                          compiled on first use
#   P/share/ascendsim      what compiling a kernel and running a scenario read
#   P/share/man, P/share/bash-completion
# The tree works from anywhere; it is found from the program's own place (toolchain/installation).
include(GNUInstallDirs)

function(ascendsim_install)
    set(libraries lib/ascendsim)
    set(share share/ascendsim)
    # CMake would make room for the installed path with empty elements, for which the loader takes the current folder. The
    # path of a program in the build tree is long enough without.
    set(both_trees "$ORIGIN/../lib" "$ORIGIN/../${libraries}")
    foreach(program ascendsim ascendsim-gui)
        if(TARGET ${program})
            set_target_properties(${program} PROPERTIES INSTALL_RPATH "${both_trees}" BUILD_WITH_INSTALL_RPATH ON)
            install(TARGETS ${program} RUNTIME DESTINATION bin)
            ascendsim_rpath(bin/${program} "$ORIGIN/../${libraries}")
        endif()
    endforeach()
    set_target_properties(models_isa kernels_plan runtime_acl PROPERTIES
        INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
    install(TARGETS models_isa kernels_plan runtime_acl scalar_steps shared_values LIBRARY DESTINATION ${libraries})
    ascendsim_install_kernels(${libraries})
    foreach(folder sim models kernels runtime)
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${share}
            FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "testing" EXCLUDE PATTERN "examples" EXCLUDE)
    endforeach()
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/chips ${PROJECT_SOURCE_DIR}/models/nodes ${PROJECT_SOURCE_DIR}/models/hosts
        DESTINATION ${share}/models FILES_MATCHING PATTERN "*.toml")
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/ops DESTINATION ${share}/kernels
        FILES_MATCHING PATTERN "*.cpp" PATTERN "*_test.cpp" EXCLUDE)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/acl/plugin ${PROJECT_SOURCE_DIR}/runtime/acl/programs
        DESTINATION ${share}/runtime/acl)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios/ DESTINATION ${share}/scenarios
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv" PATTERN "*.in")
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/ascendsim RENAME copyright)
    ascendsim_install_pages()
endfunction()

# Sets where installed files (a pattern) look for their libraries.
function(ascendsim_rpath files path)
    string(REPLACE "$" "\\$" path "${path}")
    install(CODE "
        file(GLOB files \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${files}\")
        foreach(file IN LISTS files)
            file(RPATH_SET FILE \"\${file}\" NEW_RPATH \"${path}\")
        endforeach()")
endfunction()

# Kernels look for their libraries in the build folder, too; installed, only beside them.
function(ascendsim_install_kernels libraries)
    install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/ascendsim/kernels DESTINATION ${libraries}
        FILES_MATCHING PATTERN "*.so")
    ascendsim_rpath(${libraries}/kernels/*.so "$ORIGIN/..")
endfunction()

# The manual page and the completion of bash, which the program writes from its table of commands.
function(ascendsim_install_pages)
    set(folder ${CMAKE_BINARY_DIR}/pages)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${folder}/ascendsim.1.gz ${folder}/ascendsim
        COMMAND ascendsim manual > ${folder}/ascendsim.1
        COMMAND gzip -9nf ${folder}/ascendsim.1
        COMMAND ascendsim completion bash > ${folder}/ascendsim
        DEPENDS ascendsim VERBATIM COMMENT "Writing manual page and completion")
    add_custom_target(ascendsim_pages ALL DEPENDS ${folder}/ascendsim.1.gz ${folder}/ascendsim)
    install(FILES ${folder}/ascendsim.1.gz DESTINATION share/man/man1)
    if(TARGET ascendsim-gui)  # `ascendsim gui` is the same program
        file(WRITE ${folder}/ascendsim-gui.1 ".so man1/ascendsim.1\n")
        install(FILES ${folder}/ascendsim-gui.1 DESTINATION share/man/man1)
    endif()
    install(FILES ${folder}/ascendsim DESTINATION share/bash-completion/completions)
endfunction()
