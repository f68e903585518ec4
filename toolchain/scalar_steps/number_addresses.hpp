// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <llvm/IR/PassManager.h>

namespace llvm {

class Instruction;

}  // namespace llvm

/// Lets a kernel follow pointers that it makes of numbers: reinterpret_cast<__ubuf__ T*>(256) is an address
/// of the unified buffer on the chip, and none of the host's. A load, a store or a block of them through one
/// asks ascendsim_scalar_place (models/port/number_address.cpp) where that lies.
struct PlaceNumbers : llvm::PassInfoMixin<PlaceNumbers> {
    std::function<bool(const llvm::Instruction&)> is_kernels_own;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
