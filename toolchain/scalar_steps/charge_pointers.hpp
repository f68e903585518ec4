// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace llvm {

class Constant;
class Instruction;
class Module;
class Value;

}  // namespace llvm

/// A load or store of the kernel's own whose pointer may lead into global memory.
struct PlainCharge {
    llvm::Instruction* instruction = nullptr;
    llvm::Value* pointer = nullptr;
    llvm::Value* length = nullptr;  // if the number of bytes is no constant
    std::uint64_t bytes = 0;
    bool write = false;
    llvm::Constant* file = nullptr;  // its name
    unsigned line = 0;
};

/// Lets accesses take the time that they take through the data cache of the scalar unit: in front of each
/// stands a comparison with where global memory lies, and a call of ascendsim_pointer_access
/// (models/port/pointer_access.hpp) if it leads there. Fields of one object that are accessed one behind the
/// other are one access, as a copy of the object is. `charges` stand in the order of a function's
/// instructions.
void charge_pointers(llvm::Module& module, const std::vector<PlainCharge>& charges);
