// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/number_addresses.hpp"

#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
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

/// Arguments of functions that are not inlined, to which some call hands a number.
using GivenNumbers = llvm::SmallPtrSet<const llvm::Argument*, 8>;

/// Whether a pointer leads back to a number, over offsets, casts, choices and loops that move it, on one way
/// at least. A null pointer does not: it is an error.
bool is_number(const llvm::Value* pointer, const GivenNumbers& given) {
    llvm::SmallVector<const llvm::Value*, 8> open{pointer};
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    while (!open.empty()) {
        const llvm::Value* value = open.pop_back_val()->stripPointerCasts();
        if (!seen.insert(value).second) {
            continue;
        }
        if (const auto* offset = llvm::dyn_cast<llvm::GEPOperator>(value)) {
            open.push_back(offset->getPointerOperand());
        } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
            open.append(phi->op_begin(), phi->op_end());
        } else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(value)) {
            open.push_back(choice->getTrueValue());
            open.push_back(choice->getFalseValue());
        } else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
            if (given.contains(argument)) {
                return true;
            }
        } else if (llvm::Operator::getOpcode(value) == llvm::Instruction::IntToPtr) {
            return true;
        }
    }
    return false;
}

/// Adds the arguments to which a call hands a number, as far as is known by now. False if all were known.
bool add_given(const llvm::CallBase& call, GivenNumbers& given) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr || callee->isDeclaration()) {
        return false;
    }
    bool added = false;
    for (const llvm::Argument& argument : callee->args()) {
        if (argument.getType()->isPointerTy() && argument.getArgNo() < call.arg_size() &&
            !given.contains(&argument) && is_number(call.getArgOperand(argument.getArgNo()), given)) {
            added = given.insert(&argument).second;
        }
    }
    return added;
}

/// What the calls of a module hand on, from function to function.
GivenNumbers given_numbers(const llvm::Module& module) {
    GivenNumbers given;
    for (bool added = true; added;) {
        added = false;
        for (const llvm::Function& function : module) {
            for (const llvm::Instruction& instruction : llvm::instructions(function)) {
                const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                added = (call != nullptr && add_given(*call, given)) || added;
            }
        }
    }
    return given;
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
std::vector<NumberUse> accesses(llvm::Function& function,
                                const PlaceNumbers& pass,
                                const GivenNumbers& given) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    llvm::Type* word = llvm::Type::getInt32Ty(function.getContext());
    std::vector<NumberUse> found;
    const auto add =
        [&](llvm::Instruction& instruction, unsigned operand, llvm::Value* bytes, std::uint32_t kind) {
            if (is_number(instruction.getOperand(operand), given) && pass.is_kernels_own(instruction)) {
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

/// Where an access stands in the source. One that the optimiser made of several has no line: that of what
/// leads to it is as near.
const llvm::DILocation* line_of(const llvm::Instruction& access) {
    const llvm::DILocation* at = access.getDebugLoc();
    constexpr unsigned most_blocks = 8;
    const llvm::BasicBlock* block = access.getParent();
    for (unsigned i = 0; i < most_blocks && block != nullptr && at->getLine() == 0; ++i) {
        const auto before = llvm::pred_begin(block);
        block = before == llvm::pred_end(block) ? nullptr : *before;
        const llvm::DILocation* there =
            block == nullptr ? nullptr : block->getTerminator()->getDebugLoc().get();
        at = there != nullptr && there->getLine() != 0 ? there : at;
    }
    return at;
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
    const llvm::DILocation* at = line_of(access);
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
    const GivenNumbers given = given_numbers(module);
    bool any = false;
    for (llvm::Function& function : module) {
        for (const NumberUse& use : accesses(function, *this, given)) {
            ask(use);
            any = true;
        }
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
