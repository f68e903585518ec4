// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

/// Notes which units of a core the functions of a program's pass use, so that a launch finds its kernel's
/// kind: a record for each function that a launch, or another file, may call, in the section
/// `ascendsim_units` (KernelUnits in runtime/acl/launch.hpp). Kernels for vector, cube and mixed cores may
/// stand in one file.
struct NameUnits : llvm::PassInfoMixin<NameUnits> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
