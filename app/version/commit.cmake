# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, which defines ascendsim::commit(), unless it says the same already. "unknown" outside git, and where
# the folder above is somebody else's repository.
set(commit unknown)
if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit ${head})
        execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
            OUTPUT_VARIABLE changes ERROR_QUIET)
        if(changes)
            string(APPEND commit ", modified")
        endif()
    endif()
endif()
set(text "// Written by commit.cmake.
#include \"app/version/version.hpp\"

namespace ascendsim {

std::string_view commit() {
    return \"${commit}\";
}

}  // namespace ascendsim
")
set(present "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} present)
endif()
if(NOT present STREQUAL text)
    file(WRITE ${OUTPUT} "${text}")
endif()
