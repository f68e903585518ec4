// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/user_lines.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "toolchain/scalar_steps/full_path.hpp"

namespace {

bool stands_in_users(const llvm::DIScope& scope, const KeepUserLines& what) {
    return what.is_users(full_path(scope.getDirectory(), scope.getFilename()));
}

/// The innermost place in a source of the user's, from where the framework was inlined; the outermost of all
/// where there is none.
const llvm::DILocation* users_place(const llvm::DILocation* at, const KeepUserLines& what) {
    while (at->getInlinedAt() != nullptr && !stands_in_users(*at->getScope(), what)) {
        at = at->getInlinedAt();
    }
    return at;
}

}  // namespace

llvm::PreservedAnalyses KeepUserLines::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager& /*analyses*/) const {
    for (llvm::Function& function : module) {
        const llvm::DISubprogram* subprogram = function.getSubprogram();
        if (subprogram == nullptr) {
            continue;
        }
        const bool keep = stands_in_users(*subprogram, *this);
        if (!keep) {
            function.setSubprogram(nullptr);
        }
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            const llvm::DILocation* at = instruction.getDebugLoc();
            if (at != nullptr) {
                instruction.setDebugLoc(keep ? llvm::DebugLoc{users_place(at, *this)} : llvm::DebugLoc{});
            }
        }
    }
    return llvm::PreservedAnalyses::none();
}
