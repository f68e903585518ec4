// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

/// Finds elements of a kernel's local arrays that are used and were never written. Beside each array of
/// numbers whose address goes nowhere lies another one that says which bytes were: a store sets them, and
/// where what a load has brought is used, ascendsim_array_unwritten is called if they are not
/// (models/port/local_array.hpp). A load that the optimiser makes ahead of its condition is not a use, nor
/// is what a choice may drop.
struct WatchArrays : llvm::PassInfoMixin<WatchArrays> {
    /// Where an instruction stands in the kernel's own text, or null.
    std::function<const llvm::DILocation*(const llvm::Instruction&)> kernels_place;

    /// Whether it looks after this variable.
    static bool watches(llvm::AllocaInst& variable, const llvm::DataLayout& layout);

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
