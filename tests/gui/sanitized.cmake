# SPDX-License-Identifier: Apache-2.0
# The dashboard once more with -fsanitize=address,undefined, driven by thousands of random events. What a sanitizer shall
# watch must be compiled for it: the sources of the dashboard's libraries (but its window) and of what reads recordings;
# the kernels and the machine are not among them. The whole `dev` build runs under sanitizers, so it needs no second one.
if(ASCENDSIM_SANITIZE)
    return()
endif()

add_library(gui_sanitized_options INTERFACE)
# Warnings are the other build's business: with sanitizers GCC warns about code of its own making.
target_compile_options(gui_sanitized_options INTERFACE
    -O0 -w -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
target_compile_definitions(gui_sanitized_options INTERFACE
    _GLIBCXX_ASSERTIONS)
target_link_options(gui_sanitized_options INTERFACE -fsanitize=address,undefined)
target_link_libraries(gui_sanitized_options INTERFACE ascendsim_options sim_base sim_config toolchain app_lessons
    PkgConfig::imgui PkgConfig::freetype PkgConfig::png PkgConfig::tomlplusplus PkgConfig::zstd
    nlohmann_json::nlohmann_json fmt::fmt Threads::Threads)

# They parse headers of other projects once, too, as catalogue.cmake has it.
if(TARGET parsed_headers)
    add_library(sanitized_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/parsed_headers.cpp)
    target_link_libraries(sanitized_headers PRIVATE gui_sanitized_options)
    target_precompile_headers(sanitized_headers PRIVATE ${ASCENDSIM_PARSED_HEADERS})
endif()
set(objects)
foreach(library gui_render gui_canvas gui_control gui_shell gui_document gui_timeview gui_runs gui_panels sim_record app_analysis)
    get_target_property(sources ${library} SOURCES)
    get_target_property(folder ${library} SOURCE_DIR)
    set(watched)
    foreach(source ${sources})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
        list(APPEND watched ${source})
    endforeach()
    add_library(${library}_sanitized OBJECT ${watched})
    target_link_libraries(${library}_sanitized PRIVATE gui_sanitized_options)
    # Several sources at once: most of the time goes into headers they share.
    set_target_properties(${library}_sanitized PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    if(TARGET sanitized_headers)
        target_precompile_headers(${library}_sanitized REUSE_FROM sanitized_headers)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${library}_sanitized>)
endforeach()

add_executable(gui_sanitized_test ${PROJECT_SOURCE_DIR}/gui/shell/fuzz_test.cpp
    ${PROJECT_SOURCE_DIR}/gui/panels/fuzz_test.cpp
    ${PROJECT_SOURCE_DIR}/app/scenario/recorded_origin.cpp ${PROJECT_SOURCE_DIR}/app/scenario/source_texts.cpp
    ${objects})
# Of the reports it takes words alone, as they are.
target_link_libraries(gui_sanitized_test PRIVATE gui_sanitized_options app_report GTest::gtest_main)
set_target_properties(gui_sanitized_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
gtest_discover_tests(gui_sanitized_test DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "Sanitized."
    PROPERTIES TIMEOUT 300 ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1;TEST_TMPDIR=${ASCENDSIM_TEST_FOLDER}")
