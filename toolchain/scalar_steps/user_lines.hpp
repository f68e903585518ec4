// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/PassManager.h>

/// Keeps the lines of the user's sources alone. Of a crash, the line in the kernel is told
/// (runtime/session/crash_guard.cpp), never one inside the framework; and describing what was inlined of the
/// framework takes a sixth of the time that a small kernel compiles. To be run when nothing needs those lines
/// any more.
struct KeepUserLines : llvm::PassInfoMixin<KeepUserLines> {
    std::function<bool(llvm::StringRef path)> is_users;  // of a file, its path in full

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
