// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/PassManager.h>

/// What is known of a module's variables from the first to the last of the passes here.
struct MarkedTypes {
    /// Of the kernel's own objects: where their marked members lie, in bytes.
    llvm::DenseMap<const llvm::Type*, std::set<std::uint64_t>> objects;
};

/// Gives the kernel's variables, and the members of its objects, a content that says it is none: what the
/// optimiser would take for anything it likes stays a value of its own, until TellUnset asks what became of
/// it. A variable that is set before it is read loses it as it loses any store that nobody reads.
struct MarkUnset : llvm::PassInfoMixin<MarkUnset> {
    /// Whether a function is none of the framework's.
    std::function<bool(const llvm::DISubprogram&)> is_own;
    std::shared_ptr<MarkedTypes> types;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

/// Finds what a kernel computes from variables and members that it has never set, when everything is
/// optimised. Beside each value that may come from one goes another of its width, whose bits say which are
/// undefined. Where a branch, an address, an argument of the framework's or a store to the machine's memory
/// takes such bits, ascendsim_value_unset is called (models/port/local_array.hpp). In memory, a variable that
/// holds the marking content was never set.
struct TellUnset : llvm::PassInfoMixin<TellUnset> {
    /// Whether a function is none of the framework's.
    std::function<bool(const llvm::DISubprogram&)> is_own;
    /// Where the kernel's own text is that an instruction stands in, or that calls what it stands in; or
    /// null.
    std::function<const llvm::DILocation*(const llvm::Instruction&)> callers_place;
    std::shared_ptr<MarkedTypes> types;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
