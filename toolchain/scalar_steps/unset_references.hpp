// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

/// A number or an address of the kernel's that functions of the framework's get by reference (`const T&`).
struct ReferredVariable {
    llvm::AllocaInst* variable = nullptr;
    llvm::SmallVector<llvm::StoreInst*, 4> stores;
    llvm::SmallVector<llvm::CallBase*, 4> readers;  // functions of the framework's that only read it
    llvm::SmallVector<llvm::CallBase*, 4> writers;  // others, which may set it
};

/// Those of `function` that are stored to and called with, and nothing else. `is_own`: whether a function is
/// none of the framework's.
std::vector<ReferredVariable> referred_variables(llvm::Function& function,
                                                 const std::function<bool(const llvm::Function&)>& is_own);

/// Keeps the undefined bits of a variable beside it, and gives those that each reader finds, as code in front
/// of its call. `undefined` makes those of a value that is stored.
std::vector<std::pair<llvm::CallBase*, llvm::Value*>> undefined_at_readers(
    const ReferredVariable& of, const std::function<llvm::Value*(llvm::Value*)>& undefined);

/// Whether a pointer was given to the kernel, or asked for. One that it keeps may lead to an object of its
/// own.
bool is_of_the_machine(const llvm::Value& object);
