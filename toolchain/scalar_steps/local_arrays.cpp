// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/local_arrays.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "toolchain/scalar_steps/kernel_text.hpp"

namespace {

// What lies beside the arrays is on the stack too: ascendsim_stack_marks says how much, as the stack's depth
// is measured.
constexpr std::uint64_t most_array_bytes = 2048;
constexpr std::uint64_t most_function_bytes = 4096;
constexpr unsigned most_followed = 64;  // instructions between a load and its uses

/// What a function does with one of its arrays.
struct LocalArray {
    llvm::AllocaInst* array = nullptr;
    std::uint64_t bytes = 0;
    std::vector<llvm::LoadInst*> loads{};
    std::vector<llvm::StoreInst*> stores{};
    std::vector<llvm::MemIntrinsic*> blocks{};   // that write it
    std::vector<llvm::IntrinsicInst*> births{};  // where its life begins
};

/// Numbers alone: what is copied of a structure may have gaps.
bool is_of_numbers(llvm::Type* type) {
    while (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        type = array->getElementType();
    }
    return type->isIntegerTy() || type->isFloatingPointTy();
}

/// True of the address as a number if it is only held against that of the same variable, as our own
/// comparisons with its size do. With any other arithmetic it may become a pointer again.
bool is_compared(const llvm::PtrToIntInst& number) {
    const llvm::Value* array = llvm::getUnderlyingObject(number.getPointerOperand());
    return llvm::all_of(number.users(), [&](const llvm::User* user) {
        const auto* difference = llvm::dyn_cast<llvm::BinaryOperator>(user);
        return difference != nullptr && difference->getOpcode() == llvm::Instruction::Sub &&
               llvm::all_of(difference->operand_values(), [&](const llvm::Value* operand) {
                   const auto* one = llvm::dyn_cast<llvm::PtrToIntOperator>(operand);
                   return one != nullptr && llvm::getUnderlyingObject(one->getPointerOperand()) == array;
               });
    });
}

/// Collects what is done through `pointer`; false if its address goes elsewhere.
bool collect(llvm::Value& pointer, LocalArray& found) {
    for (llvm::Use& use : pointer.uses()) {
        llvm::User* user = use.getUser();
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
            found.loads.push_back(load);
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
            if (store->getValueOperand() == &pointer) {
                return false;
            }
            found.stores.push_back(store);
        } else if (llvm::isa<llvm::GetElementPtrInst>(user) || llvm::isa<llvm::BitCastInst>(user)) {
            if (!collect(*user, found)) {
                return false;
            }
        } else if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
            if (block->getRawDest() == use.get()) {
                found.blocks.push_back(block);
            }
        } else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
            if (call->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
                found.births.push_back(call);
            } else if (call->getIntrinsicID() != llvm::Intrinsic::lifetime_end) {
                return false;
            }
        } else {
            const auto* number = llvm::dyn_cast<llvm::PtrToIntInst>(user);
            if (number == nullptr || !is_compared(*number)) {
                return false;
            }
        }
    }
    return true;
}

/// What becomes of a value where an instruction takes it.
enum class Fate { dropped, followed, used };

/// A choice may drop it, and so may a condition that is made ahead of another; what is frozen is known to be
/// of no content, and a copy within the kernel's variables is none that decides.
Fate fate_in(const llvm::Instruction& use, const llvm::Value& value) {
    if (llvm::isa<llvm::SelectInst>(use) || llvm::isa<llvm::FreezeInst>(use) ||
        llvm::isa<llvm::InsertElementInst>(use) || llvm::isa<llvm::ShuffleVectorInst>(use) ||
        llvm::isa<llvm::InsertValueInst>(use) || llvm::isa<llvm::ExtractValueInst>(use)) {
        return Fate::dropped;
    }
    if (use.isBinaryOp() || use.isUnaryOp() || use.isCast() || llvm::isa<llvm::CmpInst>(use) ||
        llvm::isa<llvm::GetElementPtrInst>(use)) {
        const bool condition =
            (use.getOpcode() == llvm::Instruction::And || use.getOpcode() == llvm::Instruction::Or) &&
            use.getType()->isIntOrIntVectorTy(1);
        return condition ? Fate::dropped : Fate::followed;
    }
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&use)) {
        const bool copied =
            store->getValueOperand() == &value &&
            llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
        return copied ? Fate::dropped : Fate::used;
    }
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&use)) {
        return call->getIntrinsicID() == llvm::Intrinsic::assume ? Fate::dropped
               : call->doesNotAccessMemory()                     ? Fate::followed
                                                                 : Fate::used;
    }
    return Fate::used;
}

/// In front of what `value` is used for certain. `made` is a value computed from what was loaded: where a
/// loop takes it, it was asked for. What was loaded itself may go there because a store was moved out of the
/// loop.
void find_uses(llvm::Instruction& value,
               bool made,
               llvm::SmallPtrSetImpl<llvm::Instruction*>& seen,
               llvm::SmallVectorImpl<llvm::Instruction*>& places) {
    for (llvm::User* user : value.users()) {
        auto* use = llvm::dyn_cast<llvm::Instruction>(user);
        if (use == nullptr || seen.size() > most_followed) {
            continue;
        }
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(use)) {
            for (unsigned i = 0; made && i < phi->getNumIncomingValues(); ++i) {
                if (phi->getIncomingValue(i) == &value && phi->getIncomingBlock(i) == value.getParent()) {
                    places.push_back(value.getParent()->getTerminator());
                }
            }
        } else if (seen.insert(use).second) {
            const Fate fate = fate_in(*use, value);
            if (fate == Fate::followed) {
                find_uses(*use, made || !use->isCast(), seen, places);
            } else if (fate == Fate::used) {
                places.push_back(use);
            }
        }
    }
}

class ArrayWatch {
public:
    ArrayWatch(llvm::Module& module, const WatchArrays& pass)
        : module_{module}, pass_{pass}, layout_{module.getDataLayout()}, context_{module.getContext()} {
        byte_ = llvm::Type::getInt8Ty(context_);
        word_ = llvm::Type::getInt64Ty(context_);
        address_ = llvm::Type::getInt8PtrTy(context_);
    }

    bool run(llvm::Function& function) {
        std::vector<LocalArray> arrays;
        for (llvm::Instruction& instruction : function.getEntryBlock()) {
            auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
            if (array == nullptr || !array->isStaticAlloca() || !array->getAllocatedType()->isArrayTy() ||
                !is_of_numbers(array->getAllocatedType())) {
                continue;
            }
            const llvm::Optional<llvm::TypeSize> bits = array->getAllocationSizeInBits(layout_);
            LocalArray found{array, bits ? bits->getFixedSize() / 8 : 0};
            if (found.bytes != 0 && found.bytes <= most_array_bytes && collect(*array, found) &&
                is_own(found)) {
                arrays.push_back(std::move(found));
            }
        }
        bool any = false;
        std::uint64_t bytes = 0;
        for (const LocalArray& one : arrays) {
            if (bytes + one.bytes <= most_function_bytes && watch(one)) {
                bytes += one.bytes;
                any = true;
            }
        }
        if (bytes != 0) {
            count_marks(function, bytes);
        }
        return any;
    }

private:
    /// Adds to ascendsim_stack_marks while the function runs. A kernel that fails leaves it to the next one.
    void count_marks(llvm::Function& function, std::uint64_t bytes) {
        llvm::Constant* marks = module_.getOrInsertGlobal("ascendsim_stack_marks", word_);
        const auto add = [&](llvm::Instruction& before, llvm::Constant* amount) {
            llvm::IRBuilder<> builder{&before};
            builder.CreateStore(builder.CreateAdd(builder.CreateLoad(word_, marks), amount), marks);
        };
        llvm::BasicBlock::iterator first = function.getEntryBlock().getFirstInsertionPt();
        while (llvm::isa<llvm::AllocaInst>(*first)) {
            ++first;
        }
        add(*first, llvm::ConstantInt::get(word_, bytes));
        for (llvm::BasicBlock& block : function) {
            llvm::Instruction* end = block.getTerminator();
            if (llvm::isa<llvm::ReturnInst>(end) || llvm::isa<llvm::ResumeInst>(end)) {
                add(*end, llvm::ConstantInt::getSigned(word_, -static_cast<std::int64_t>(bytes)));
            }
        }
    }

    bool is_own(const LocalArray& array) const {
        return llvm::any_of(array.loads, [this](const llvm::LoadInst* load) { return place_of(*load); });
    }

    const llvm::DILocation* place_of(const llvm::Instruction& instruction) const {
        const llvm::DILocation* place = pass_.kernels_place(instruction);
        return place != nullptr && place->getLine() != 0 ? place : nullptr;
    }

    bool watch(const LocalArray& one) {
        std::vector<std::pair<llvm::LoadInst*, llvm::SmallVector<llvm::Instruction*, 4>>> uses;
        for (llvm::LoadInst* load : one.loads) {
            const std::uint64_t bytes = layout_.getTypeStoreSize(load->getType()).getKnownMinSize();
            if (place_of(*load) == nullptr || load->getType()->isVectorTy() ||
                bytes > sizeof(std::uint64_t)) {
                continue;
            }
            llvm::SmallPtrSet<llvm::Instruction*, 16> seen;
            llvm::SmallVector<llvm::Instruction*, 4> places;
            find_uses(*load, false, seen, places);
            if (!places.empty()) {
                uses.emplace_back(load, places);
            }
        }
        if (uses.empty()) {
            return false;
        }
        llvm::IRBuilder<> builder{one.array->getNextNode()};
        written_ = builder.CreateAlloca(llvm::ArrayType::get(byte_, one.bytes));
        array_ = one.array;
        if (one.births.empty()) {
            clear(builder, one.bytes);
        }
        for (llvm::IntrinsicInst* birth : one.births) {
            llvm::IRBuilder<> at{birth};
            clear(at, one.bytes);
        }
        for (llvm::StoreInst* store : one.stores) {
            llvm::IRBuilder<> at{store};
            const std::uint64_t bytes =
                layout_.getTypeStoreSize(store->getValueOperand()->getType()).getKnownMinSize();
            set(at, store->getPointerOperand(), llvm::ConstantInt::get(word_, bytes), one.bytes);
        }
        for (llvm::MemIntrinsic* block : one.blocks) {
            llvm::IRBuilder<> at{block};
            set(at, block->getRawDest(), at.CreateZExtOrTrunc(block->getLength(), word_), one.bytes);
        }
        for (const auto& [load, places] : uses) {
            check(*load, places, one.bytes);
        }
        return true;
    }

    void clear(llvm::IRBuilder<>& builder, std::uint64_t bytes) {
        builder.CreateMemSet(written_, builder.getInt8(0), bytes, llvm::MaybeAlign{});
    }

    llvm::Value* offset_of(llvm::IRBuilder<>& builder, llvm::Value* pointer) {
        return builder.CreateSub(builder.CreatePtrToInt(pointer, word_),
                                 builder.CreatePtrToInt(array_, word_));
    }

    llvm::Value* beside(llvm::IRBuilder<>& builder, llvm::Value* offset) {
        return builder.CreateGEP(byte_, builder.CreatePointerCast(written_, address_), offset);
    }

    /// Marks what a store writes. One that leaves the array is another's finding; its marks stay within.
    void set(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* bytes, std::uint64_t size) {
        llvm::Value* all = llvm::ConstantInt::get(word_, size);
        llvm::Value* none = llvm::ConstantInt::get(word_, 0);
        llvm::Value* offset = offset_of(builder, pointer);
        llvm::Value* inside = builder.CreateAnd(builder.CreateICmpULE(offset, all),
                                                builder.CreateICmpULE(bytes, builder.CreateSub(all, offset)));
        llvm::Value* to = beside(builder, builder.CreateSelect(inside, offset, none));
        builder.CreateMemSet(
            to, builder.getInt8(0xFF), builder.CreateSelect(inside, bytes, none), llvm::MaybeAlign{});
    }

    void check(llvm::LoadInst& load, llvm::ArrayRef<llvm::Instruction*> places, std::uint64_t size) {
        const std::uint64_t bytes = layout_.getTypeStoreSize(load.getType()).getKnownMinSize();
        llvm::IRBuilder<> builder{load.getNextNode()};
        llvm::Value* offset = offset_of(builder, load.getPointerOperand());
        llvm::Value* inside = builder.CreateICmpULE(offset, llvm::ConstantInt::get(word_, size - bytes));
        llvm::Value* from =
            beside(builder, builder.CreateSelect(inside, offset, llvm::ConstantInt::get(word_, 0)));
        llvm::Type* all = builder.getIntNTy(static_cast<unsigned>(bytes * 8));
        llvm::Value* marks = builder.CreateAlignedLoad(
            all, builder.CreatePointerCast(from, all->getPointerTo()), llvm::Align{1});
        llvm::Value* missing =
            builder.CreateAnd(inside, builder.CreateICmpNE(marks, llvm::ConstantInt::getAllOnesValue(all)));
        const llvm::DILocation* at = place_of(load);
        llvm::Constant* file = builder.CreateGlobalStringPtr(file_of(*at), "ascendsim_file", 0, &module_);
        llvm::MDNode* rarely = llvm::MDBuilder{context_}.createBranchWeights(1, 100000);
        llvm::SmallPtrSet<llvm::Instruction*, 4> done;
        for (llvm::Instruction* place : places) {
            if (!done.insert(place).second) {
                continue;
            }
            llvm::IRBuilder<> there{llvm::SplitBlockAndInsertIfThen(missing, place, false, rarely)};
            there.CreateCall(
                module_.getOrInsertFunction("ascendsim_array_unwritten",
                                            there.getVoidTy(),
                                            address_,
                                            there.getInt32Ty(),
                                            word_,
                                            word_),
                {file, there.getInt32(at->getLine()), offset, llvm::ConstantInt::get(word_, bytes)});
        }
    }

    llvm::Module& module_;
    const WatchArrays& pass_;
    const llvm::DataLayout& layout_;
    llvm::LLVMContext& context_;
    llvm::Type* byte_ = nullptr;
    llvm::Type* word_ = nullptr;
    llvm::PointerType* address_ = nullptr;
    llvm::AllocaInst* array_ = nullptr;    // that is looked at
    llvm::AllocaInst* written_ = nullptr;  // which of its bytes were
};

}  // namespace

bool WatchArrays::watches(llvm::AllocaInst& variable, const llvm::DataLayout& layout) {
    const llvm::Optional<llvm::TypeSize> bits = variable.getAllocationSizeInBits(layout);
    LocalArray found{&variable, bits ? bits->getFixedSize() / 8 : 0};
    return variable.isStaticAlloca() && is_of_numbers(variable.getAllocatedType()) && found.bytes != 0 &&
           found.bytes <= most_array_bytes && collect(variable, found);
}

llvm::PreservedAnalyses WatchArrays::run(llvm::Module& module,
                                         llvm::ModuleAnalysisManager& /*analyses*/) const {
    ArrayWatch watch{module, *this};
    bool any = false;
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && watch.run(function)) {
            any = true;
            let_it_look(function);
        }
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
