// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/unset_arrays.hpp"

#include <cstdint>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "toolchain/scalar_steps/local_arrays.hpp"
#include "toolchain/scalar_steps/unset_names.hpp"

namespace {

constexpr std::uint64_t most_bytes = 65536;

llvm::Type* element_of(llvm::Type* type) {
    while (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
        type = array->getElementType();
    }
    return type;
}

/// Where the life of a variable begins.
llvm::SmallVector<llvm::IntrinsicInst*, 4> births_of(llvm::AllocaInst& variable) {
    llvm::SmallVector<llvm::IntrinsicInst*, 4> births;
    llvm::SmallVector<llvm::User*, 8> users{variable.users()};
    for (std::size_t i = 0; i < users.size(); ++i) {
        auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(users[i]);
        if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
            births.push_back(call);
        } else if (llvm::isa<llvm::BitCastInst>(users[i])) {
            users.append(users[i]->user_begin(), users[i]->user_end());
        }
    }
    return births;
}

void fill(llvm::AllocaInst& array, llvm::IntrinsicInst& birth) {
    llvm::Module& module = *array.getModule();
    const llvm::DataLayout& layout = module.getDataLayout();
    llvm::Type* element = element_of(array.getAllocatedType());
    llvm::IRBuilder<> builder{birth.getNextNode()};
    builder.SetCurrentDebugLocation(birth.getDebugLoc());
    const llvm::FunctionCallee filler = module.getOrInsertFunction("ascendsim_fill_unset",
                                                                   builder.getVoidTy(),
                                                                   builder.getInt8PtrTy(),
                                                                   builder.getInt64Ty(),
                                                                   builder.getInt64Ty(),
                                                                   builder.getInt32Ty());
    const std::uint64_t bytes = layout.getTypeAllocSize(array.getAllocatedType()).getFixedSize();
    const std::uint64_t element_bytes = layout.getTypeAllocSize(element).getFixedSize();
    builder.CreateCall(filler,
                       {builder.CreatePointerCast(&array, builder.getInt8PtrTy()),
                        builder.getInt64(bytes),
                        builder.getInt64(unset_bits(*element)),
                        builder.getInt32(static_cast<std::uint32_t>(element_bytes))});
}

}  // namespace

FilledArrays fill_unset_arrays(llvm::Function& function,
                               const std::function<bool(const llvm::DISubprogram&)>& is_own) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
    for (llvm::Instruction& instruction : function.getEntryBlock()) {
        auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        if (array != nullptr && array->isStaticAlloca() && array->getAllocatedType()->isArrayTy() &&
            says_unset(*element_of(array->getAllocatedType())) &&
            layout.getTypeAllocSize(array->getAllocatedType()).getFixedSize() <= most_bytes &&
            !WatchArrays::watches(*array, layout)) {
            arrays.push_back(array);
        }
    }
    FilledArrays filled;
    for (llvm::AllocaInst* array : arrays) {
        for (llvm::IntrinsicInst* birth : births_of(*array)) {
            const llvm::DebugLoc& at = birth->getDebugLoc();
            if (!at || !is_own(*at->getScope()->getSubprogram())) {
                continue;
            }
            fill(*array, *birth);
            filled.insert(array);
        }
    }
    return filled;
}
