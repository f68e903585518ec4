// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

using FilledArrays = llvm::SmallPtrSet<const llvm::AllocaInst*, 8>;

/// Has a function of the kernel's fill its arrays of words with what says that nobody has written them, where
/// their life begins: those that WatchArrays leaves, as other functions write to them or they are large.
FilledArrays fill_unset_arrays(llvm::Function& function);
