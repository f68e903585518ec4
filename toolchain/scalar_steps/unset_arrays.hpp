// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

using FilledArrays = llvm::SmallPtrSet<const llvm::AllocaInst*, 8>;

/// Has a function fill arrays of words that stand in text of the kernel's own with what says that nobody has
/// written them, where their life begins: those that WatchArrays leaves, as other functions write to them or
/// they are large.
FilledArrays fill_unset_arrays(llvm::Function& function,
                               const std::function<bool(const llvm::DISubprogram&)>& is_own);
