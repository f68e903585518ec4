// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/PassManager.h>

/// The subscripts of arrays in a kernel's own text: by file, line, and the array's type, how many elements
/// may be reached from its first one. Of an array in an array these are those of the outermost: programs walk
/// through tables row by row.
using Subscripts = std::map<std::tuple<std::string, unsigned, const llvm::Type*>, std::uint64_t>;

/// Notes the subscripts while the code is as the source has it. Afterwards a walk by words through an object
/// whose first member is an array looks like one through that array.
struct NoteSubscripts : llvm::PassInfoMixin<NoteSubscripts> {
    /// Whether a function is the kernel's own.
    std::function<bool(const llvm::DISubprogram&)> is_own;
    std::shared_ptr<Subscripts> found;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

/// Finds elements beyond an array that is a member of an object, or one of the framework's objects: what lies
/// there is still the kernel's, so that no bound of a memory or variable is left. In front of an access
/// through a noted subscript the index is compared with what the array has; one beyond calls
/// ascendsim_index_beyond (models/port/local_array.hpp). An address behind the last element may be made: only
/// accesses are looked at.
struct WatchSubscripts : llvm::PassInfoMixin<WatchSubscripts> {
    /// The kernel's own line that an instruction stands in, or that calls what it was inlined from; or null.
    std::function<const llvm::DILocation*(const llvm::Instruction&)> callers_place;
    std::shared_ptr<Subscripts> noted;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};
