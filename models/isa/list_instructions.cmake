# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, which defines instruction_files() (instructions.hpp): of FILES, separated by "|" and given from ROOT,
# those that define `Instructions <file>_instructions()`. One defined in a header is included, others are declared.
string(REPLACE "|" ";" files "${FILES}")
set(includes)
set(declarations)
set(entries)
foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    file(STRINGS ${ROOT}/${file} definition REGEX "Instructions ${stem}_instructions\\(\\) {")
    if(NOT definition)
        continue()
    endif()
    if(file MATCHES "\\.hpp$")
        string(APPEND includes "#include \"${file}\"\n")
    else()
        string(APPEND declarations "Instructions ${stem}_instructions();\n")
    endif()
    string(APPEND entries "        {\"${file}\", ${stem}_instructions()},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "models/isa/instructions.hpp"
@includes@
namespace ascendsim::isa {
@declarations@
std::vector<InstructionFile> instruction_files() {
    return {
@entries@    };
}
}  // namespace ascendsim::isa
]])
