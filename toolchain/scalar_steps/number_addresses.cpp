// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/number_addresses.hpp"

#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace {

/// Whether a pointer leads back to a number, over offsets and casts. A null pointer does not: it is an error.
bool is_number(const llvm::Value* pointer) {
    for (;;) {
        pointer = pointer->stripPointerCasts();
        const auto* offset = llvm::dyn_cast<llvm::GEPOperator>(pointer);
        if (offset == nullptr) {
            return llvm::Operator::getOpcode(pointer) == llvm::Instruction::IntToPtr;
        }
        pointer = offset->getPointerOperand();
    }
}

/// Loads and stores of the kernel's own through numbers.
std::vector<llvm::Instruction*> accesses(llvm::Function& function, const PlaceNumbers& pass) {
    std::vector<llvm::Instruction*> found;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        if (pointer != nullptr && is_number(pointer) && pass.is_kernels_own(instruction)) {
            found.push_back(&instruction);
        }
    }
    return found;
}

/// Puts the question in front of `access`, with the place in the source that asks.
void ask(llvm::Instruction& access) {
    llvm::Module& module = *access.getModule();
    llvm::IRBuilder<> builder{&access};
    llvm::Type* address = builder.getInt8PtrTy();
    llvm::Type* word = builder.getInt32Ty();
    const llvm::FunctionCallee place =
        module.getOrInsertFunction("ascendsim_scalar_place", address, address, word, word, address, word);
    const llvm::DILocation* at = access.getDebugLoc();
    const bool writes = llvm::isa<llvm::StoreInst>(access);
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
    const auto bytes =
        static_cast<std::uint32_t>(module.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)));
    llvm::Value* file = builder.CreateGlobalStringPtr(
        at->getFilename().startswith("/") ? at->getFilename().str()
                                          : (at->getDirectory() + "/" + at->getFilename()).str());
    llvm::Value* found = builder.CreateCall(place,
                                            {builder.CreatePointerCast(pointer, address),
                                             builder.getInt32(bytes),
                                             builder.getInt32(writes ? 1 : 0),
                                             file,
                                             builder.getInt32(at->getLine())});
    access.setOperand(writes ? 1 : 0, builder.CreatePointerCast(found, pointer->getType()));
}

}  // namespace

llvm::PreservedAnalyses PlaceNumbers::run(llvm::Module& module,
                                          llvm::ModuleAnalysisManager& /*analyses*/) const {
    bool any = false;
    for (llvm::Function& function : module) {
        for (llvm::Instruction* access : accesses(function, *this)) {
            ask(*access);
            any = true;
        }
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
