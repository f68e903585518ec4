// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <llvm/IR/PassManager.h>

namespace llvm {

class DILocation;
class Instruction;

}  // namespace llvm

/// Shows the hazard checker what a kernel reads and writes through plain pointers. In front of each load and
/// store of the kernel's own whose pointer may lead into the machine's memory stands a comparison with what
/// the place has last touched; what is neither that nor next to it asks ascendsim_plain_access
/// (models/port/plain_access.hpp). Local variables and tables, whose size is known, are compared with that
/// where the index is not. Accesses that may lead into global memory also take their time
/// (charge_pointers.hpp), whether somebody watches or not.
struct WatchPointers : llvm::PassInfoMixin<WatchPointers> {
    /// Where an instruction stands in the kernel's own text, or null.
    std::function<const llvm::DILocation*(const llvm::Instruction&)> kernels_place;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
