// SPDX-License-Identifier: Apache-2.0
#include "models/isa/instructions.hpp"

#include <algorithm>

namespace ascendsim::isa {

std::vector<ListedInstruction> list_instructions() {
    std::vector<ListedInstruction> result;
    for (const InstructionFile& one : instruction_files()) {
        for (const OpInfo* info : one.instructions) {
            result.push_back({.name = info->name, .meaning = info->meaning, .file = one.file});
        }
    }
    std::ranges::sort(result, {}, &ListedInstruction::name);
    return result;
}

}  // namespace ascendsim::isa
