// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/number_addresses.hpp"

#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
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

/// A pointer made of a number that an instruction reads or writes through: one of its operands.
struct NumberUse {
    llvm::Instruction* instruction = nullptr;
    unsigned operand = 0;
    llvm::Value* bytes = nullptr;
    std::uint32_t kind = 0;  // as ascendsim_scalar_place takes it
};

/// Loads and stores of the kernel's own through numbers, and the blocks that the optimiser makes of loops
/// over them.
std::vector<NumberUse> accesses(llvm::Function& function, const PlaceNumbers& pass) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    llvm::Type* word = llvm::Type::getInt32Ty(function.getContext());
    std::vector<NumberUse> found;
    const auto add =
        [&](llvm::Instruction& instruction, unsigned operand, llvm::Value* bytes, std::uint32_t kind) {
            if (is_number(instruction.getOperand(operand)) && pass.is_kernels_own(instruction)) {
                found.push_back({&instruction, operand, bytes, kind});
            }
        };
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction)) {
            const bool writes = llvm::isa<llvm::StoreInst>(instruction);
            const auto bytes = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
            add(instruction, writes ? 1 : 0, llvm::ConstantInt::get(word, bytes), writes ? 1 : 0);
        } else if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
            add(instruction, 0, block->getLength(), 3);
            if (llvm::isa<llvm::MemTransferInst>(block)) {
                add(instruction, 1, block->getLength(), 2);
            }
        }
    }
    return found;
}

/// Puts the question in front of an access, with the place in the source that asks.
void ask(const NumberUse& use) {
    llvm::Instruction& access = *use.instruction;
    llvm::Module& module = *access.getModule();
    llvm::IRBuilder<> builder{&access};
    llvm::Type* address = builder.getInt8PtrTy();
    llvm::Type* word = builder.getInt32Ty();
    const llvm::FunctionCallee place =
        module.getOrInsertFunction("ascendsim_scalar_place", address, address, word, word, address, word);
    const llvm::DILocation* at = access.getDebugLoc();
    llvm::Value* pointer = access.getOperand(use.operand);
    llvm::Value* file = builder.CreateGlobalStringPtr(
        at->getFilename().startswith("/") ? at->getFilename().str()
                                          : (at->getDirectory() + "/" + at->getFilename()).str());
    llvm::Value* found = builder.CreateCall(place,
                                            {builder.CreatePointerCast(pointer, address),
                                             builder.CreateZExtOrTrunc(use.bytes, word),
                                             builder.getInt32(use.kind),
                                             file,
                                             builder.getInt32(at->getLine())});
    access.setOperand(use.operand, builder.CreatePointerCast(found, pointer->getType()));
}

}  // namespace

llvm::PreservedAnalyses PlaceNumbers::run(llvm::Module& module,
                                          llvm::ModuleAnalysisManager& /*analyses*/) const {
    bool any = false;
    for (llvm::Function& function : module) {
        for (const NumberUse& use : accesses(function, *this)) {
            ask(use);
            any = true;
        }
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
