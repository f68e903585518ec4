// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace llvm {

class DILocation;
class DISubprogram;
class Function;

}  // namespace llvm

/// The file of a place, in full: the compiler keeps apart what a file's folder has in common with the one it
/// runs in.
std::string file_of(const llvm::DILocation& at);
std::string file_of(const llvm::DISubprogram& function);

/// Takes back what the optimiser has found of a function that now calls what looks at memory and may throw.
void let_it_look(llvm::Function& function);
