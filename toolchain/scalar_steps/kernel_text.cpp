// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/kernel_text.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

namespace {

template <class Place>
std::string full_name(const Place& place) {
    return place.getFilename().startswith("/") ? place.getFilename().str()
                                               : (place.getDirectory() + "/" + place.getFilename()).str();
}

}  // namespace

std::string file_of(const llvm::DILocation& at) {
    return full_name(at);
}

std::string file_of(const llvm::DISubprogram& function) {
    return full_name(function);
}

void let_it_look(llvm::Function& function) {
    for (const auto kind : {llvm::Attribute::ReadNone,
                            llvm::Attribute::ReadOnly,
                            llvm::Attribute::WriteOnly,
                            llvm::Attribute::ArgMemOnly,
                            llvm::Attribute::InaccessibleMemOnly,
                            llvm::Attribute::InaccessibleMemOrArgMemOnly,
                            llvm::Attribute::NoUnwind}) {
        function.removeFnAttr(kind);
    }
}
