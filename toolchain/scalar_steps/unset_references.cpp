// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/unset_references.hpp"

#include <cstdint>
#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "toolchain/scalar_steps/unset_names.hpp"

namespace {

constexpr unsigned most_calls = 8;  // through which a reference is followed

/// What the functions that get a reference do with it.
class References {
public:
    /// Whether the function of a call reads what the argument refers to, and does nothing else with it. Its
    /// text tells, since each of its copies is the same.
    static bool are_read(const llvm::CallBase& call, const llvm::Use& argument) {
        References references;
        const llvm::Argument* parameter = parameter_of(call, argument);
        return parameter != nullptr && references.only_read(*parameter, 0) && references.any_;
    }

private:
    static const llvm::Argument* parameter_of(const llvm::CallBase& call, const llvm::Use& argument) {
        const llvm::Function* function = call.getCalledFunction();
        if (function == nullptr || function->isDeclaration() || function->isVarArg() ||
            !call.isArgOperand(&argument)) {
            return nullptr;
        }
        return function->getArg(call.getArgOperandNo(&argument));
    }

    bool only_read(const llvm::Value& pointer, unsigned depth) {
        return depth < most_calls && llvm::all_of(pointer.uses(), [&](const llvm::Use& use) {
                   const llvm::User* user = use.getUser();
                   if (llvm::isa<llvm::LoadInst>(user)) {
                       any_ = true;
                       return true;
                   }
                   if (llvm::isa<llvm::BitCastInst>(user) || llvm::isa<llvm::GetElementPtrInst>(user)) {
                       return only_read(*user, depth);
                   }
                   if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
                       return known->isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(known);
                   }
                   const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
                   const llvm::Argument* parameter = call == nullptr ? nullptr : parameter_of(*call, use);
                   return parameter != nullptr && only_read(*parameter, depth + 1);
               });
    }

    bool any_ = false;  // read at least once
};

bool is_followed(const llvm::Type& type) {
    return type.isIntegerTy(8) || type.isIntegerTy(16) || says_unset(type);
}

bool is_end_of_life(const llvm::BitCastInst& cast) {
    return llvm::all_of(cast.users(), [](const llvm::User* user) {
        const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        return known != nullptr && known->isLifetimeStartOrEnd();
    });
}

std::optional<ReferredVariable> referred(llvm::AllocaInst& variable,
                                         const std::function<bool(const llvm::Function&)>& is_own) {
    ReferredVariable found{&variable, {}, {}, {}};
    if (!is_followed(*variable.getAllocatedType()) || !variable.isStaticAlloca()) {
        return std::nullopt;
    }
    for (llvm::Use& use : variable.uses()) {
        llvm::User* user = use.getUser();
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
            store != nullptr && use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex()) {
            found.stores.push_back(store);
            continue;
        }
        if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(user); cast != nullptr && is_end_of_life(*cast)) {
            continue;
        }
        const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        if (known != nullptr && known->isLifetimeStartOrEnd()) {  // of a variable of one byte
            continue;
        }
        auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (call != nullptr && known == nullptr && !llvm::isa<llvm::CallBrInst>(call)) {
            const llvm::Function* function = call->getCalledFunction();
            const bool reads = function != nullptr && !is_own(*function) && References::are_read(*call, use);
            (reads ? found.readers : found.writers).push_back(call);
            continue;
        }
        if (!llvm::isa<llvm::LoadInst>(user) && !llvm::isa<llvm::DbgInfoIntrinsic>(user)) {
            return std::nullopt;
        }
    }
    return found.stores.empty() || found.readers.empty() ? std::nullopt : std::optional{found};
}

/// Where a call has returned.
llvm::Instruction* behind(llvm::CallBase& call) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
    if (invoke == nullptr) {
        return call.getNextNode();
    }
    llvm::BasicBlock* next = invoke->getNormalDest();
    if (next->getSinglePredecessor() == nullptr) {
        next = llvm::SplitEdge(invoke->getParent(), next);
    }
    return &*next->getFirstInsertionPt();
}

bool points_to_object(const llvm::Value& pointer) {
    const auto* type = llvm::dyn_cast<llvm::PointerType>(pointer.getType());
    return type != nullptr && !type->isOpaque() && type->getNonOpaquePointerElementType()->isStructTy();
}

}  // namespace

std::vector<ReferredVariable> referred_variables(llvm::Function& function,
                                                 const std::function<bool(const llvm::Function&)>& is_own) {
    std::vector<ReferredVariable> all;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
            if (std::optional<ReferredVariable> one = referred(*variable, is_own)) {
                all.push_back(std::move(*one));
            }
        }
    }
    return all;
}

std::vector<std::pair<llvm::CallBase*, llvm::Value*>> undefined_at_readers(
    const ReferredVariable& of, const std::function<llvm::Value*(llvm::Value*)>& undefined) {
    llvm::Type& type = *of.variable->getAllocatedType();
    const llvm::DataLayout& layout = of.variable->getModule()->getDataLayout();
    const auto width = static_cast<unsigned>(layout.getTypeSizeInBits(&type).getFixedSize());
    llvm::IntegerType* bits = llvm::IntegerType::get(type.getContext(), width);
    llvm::Constant* none = llvm::ConstantInt::get(bits, 0);
    llvm::IRBuilder<> builder{of.variable};
    builder.SetCurrentDebugLocation(llvm::DebugLoc{});
    llvm::AllocaInst* beside = builder.CreateAlloca(bits);
    builder.SetInsertPoint(of.variable->getNextNode());
    builder.CreateStore(none, beside);
    for (llvm::StoreInst* store : of.stores) {
        llvm::Value* of_value = undefined(store->getValueOperand());
        builder.SetInsertPoint(store->getNextNode());
        builder.SetCurrentDebugLocation(llvm::DebugLoc{});
        builder.CreateStore(of_value, beside);
    }
    for (llvm::CallBase* writer : of.writers) {
        builder.SetInsertPoint(behind(*writer));
        builder.SetCurrentDebugLocation(llvm::DebugLoc{});
        builder.CreateStore(none, beside);
    }
    std::vector<std::pair<llvm::CallBase*, llvm::Value*>> found;
    for (llvm::CallBase* reader : of.readers) {
        builder.SetInsertPoint(reader);
        builder.SetCurrentDebugLocation(llvm::DebugLoc{});
        llvm::Value* open = builder.CreateLoad(bits, beside);
        if (says_unset(type)) {  // a function that may have set it left it as it was
            llvm::Value* content =
                builder.CreateLoad(bits, builder.CreateBitCast(of.variable, bits->getPointerTo()));
            llvm::Value* marked =
                builder.CreateICmpEQ(content, llvm::ConstantInt::get(bits, unset_bits(type)));
            open = builder.CreateOr(open, builder.CreateSExt(marked, bits));
        }
        found.emplace_back(reader, open);
    }
    return found;
}

bool is_of_the_machine(const llvm::Value& object) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(&object);
    if (argument == nullptr) {
        return (llvm::isa<llvm::LoadInst>(object) && !points_to_object(object)) ||
               llvm::isa<llvm::CallBase>(object);
    }
    const llvm::Function& function = *argument->getParent();
    return !function.hasLocalLinkage() && !function.hasLinkOnceLinkage() && !points_to_object(*argument);
}
