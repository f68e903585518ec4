# SPDX-License-Identifier: Apache-2.0
# cmake --install build/release --prefix P: programs, their libraries and kernel plug-ins, and under share/ascendsim what
# compiling a kernel and running a scenario need.
include(GNUInstallDirs)

function(ascendsim_install)
    foreach(program ascendsim ascendsim-gui)
        if(TARGET ${program})
            set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
            install(TARGETS ${program} RUNTIME DESTINATION bin)
        endif()
    endforeach()
    set_target_properties(kernels_host kernels_program PROPERTIES INSTALL_RPATH "$ORIGIN")
    install(TARGETS models_isa kernels_host kernels_program LIBRARY DESTINATION lib)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/program/plugin DESTINATION share/ascendsim/kernels/program)
    install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/ascendsim DESTINATION lib FILES_MATCHING PATTERN "*.so")
    foreach(folder sim models kernels)
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION share/ascendsim
            FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.toml"
            PATTERN "testing" EXCLUDE PATTERN "kernelc" EXCLUDE)
    endforeach()
    # Sources of the kernels: whole cores of older chips compile them on demand.
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/*.cpp)
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
    install(FILES ${sources} DESTINATION share/ascendsim/kernels)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios/ DESTINATION share/ascendsim/scenarios
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.csv" PATTERN "*.in" PATTERN "cli" EXCLUDE)
endfunction()
