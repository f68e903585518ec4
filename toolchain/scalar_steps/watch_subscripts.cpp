// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/watch_subscripts.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "toolchain/scalar_steps/kernel_text.hpp"

namespace {

/// The array that a subscript of the source's is of, or null. One of one element, or none, at the end of an
/// object stands for as many as there is room for.
llvm::ArrayType* subscripted(const llvm::GEPOperator& address) {
    auto* array = llvm::dyn_cast<llvm::ArrayType>(address.getSourceElementType());
    return array != nullptr && address.getNumIndices() == 2 && array->getNumElements() > 1 ? array : nullptr;
}

/// The elements of `array` that lie in the outermost array which `address` was reached through.
std::uint64_t reachable(const llvm::GEPOperator& address, const llvm::ArrayType& array) {
    std::uint64_t elements = array.getNumElements();
    const llvm::Value* base = address.getPointerOperand();
    while (const auto* outer = llvm::dyn_cast<llvm::GEPOperator>(base)) {
        const llvm::ArrayType* around = subscripted(*outer);
        if (around == nullptr || !around->getElementType()->isArrayTy()) {
            break;
        }
        elements *= around->getNumElements();
        base = outer->getPointerOperand();
    }
    return elements;
}

/// An index that may lie beyond its array.
struct Index {
    llvm::Value* number = nullptr;
    std::uint64_t elements = 0;
    std::uint64_t element_bytes = 0;
};

/// What an instruction does to memory through one of its operands.
struct Reach {
    llvm::Value* pointer = nullptr;
    llvm::Value* block = nullptr;  // bytes, of a copy or a fill
    bool write = false;
};

llvm::SmallVector<Reach, 2> reaches_of(llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        return {{load->getPointerOperand(), nullptr, false}};
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return {{store->getPointerOperand(), nullptr, true}};
    }
    if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
        llvm::SmallVector<Reach, 2> both{{block->getRawDest(), block->getLength(), true}};
        if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(block)) {
            both.push_back({copy->getRawSource(), block->getLength(), false});
        }
        return both;
    }
    llvm::SmallVector<Reach, 2> objects;
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
        for (const llvm::Use& argument : call->args()) {
            if (argument->getType()->isPointerTy()) {
                objects.push_back({argument.get(), nullptr, false});
            }
        }
    }
    return objects;
}

class Watch {
public:
    Watch(llvm::Module& module, const WatchSubscripts& pass)
        : module_{module},
          pass_{pass},
          layout_{module.getDataLayout()},
          word_{llvm::Type::getInt64Ty(module.getContext())} {}

    bool run(llvm::Function& function, llvm::function_ref<llvm::ScalarEvolution&()> evolution) {
        struct Found {
            llvm::Instruction* instruction;
            Reach reach;
            Index index;
        };

        std::vector<Found> found;
        for (llvm::BasicBlock& block : function) {
            std::set<std::pair<llvm::Value*, bool>> seen;
            for (llvm::Instruction& instruction : block) {
                if (pass_.callers_place(instruction) == nullptr) {
                    continue;
                }
                for (const Reach& reach : reaches_of(instruction)) {
                    for (const Index& index : indexes_of(instruction, reach)) {
                        if (may_leave(index, reach, evolution) &&
                            (llvm::isa<llvm::Constant>(index.number) ||
                             seen.insert({index.number, reach.write}).second)) {
                            found.push_back({&instruction, reach, index});
                        }
                    }
                }
            }
        }
        for (const Found& one : found) {
            compare(*one.instruction, one.reach, one.index);
        }
        if (!found.empty()) {
            let_it_look(function);
        }
        return !found.empty();
    }

private:
    /// The elements of an array if the source has a subscript of its type where `instruction` comes from;
    /// otherwise 0.
    std::uint64_t noted_elements(const llvm::Instruction& instruction, const llvm::Type& array) const {
        for (const llvm::DILocation* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
            const auto known = pass_.noted->find({file_of(*at), at->getLine(), &array});
            if (known != pass_.noted->end()) {
                return known->second;
            }
        }
        return 0;
    }

    std::vector<Index> indexes_of(const llvm::Instruction& instruction, const Reach& reach) const {
        std::vector<Index> indexes;
        llvm::Value* pointer = reach.pointer->stripPointerCasts();
        while (auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
            const auto* made = llvm::dyn_cast<llvm::Instruction>(address);
            auto type = llvm::gep_type_begin(address);
            for (auto end = llvm::gep_type_end(address); type != end; ++type) {
                llvm::Type* array = type.isStruct() ? nullptr : array_around(*address, type);
                if (array == nullptr) {
                    continue;
                }
                std::uint64_t elements = made == nullptr ? 0 : noted_elements(*made, *array);
                elements = elements != 0 ? elements : noted_elements(instruction, *array);
                if (elements != 0) {
                    const auto bytes = layout_.getTypeAllocSize(array->getArrayElementType()).getFixedSize();
                    indexes.push_back({type.getOperand(), elements, bytes});
                }
            }
            pointer = address->getPointerOperand()->stripPointerCasts();
        }
        return is_array_of_numbers(pointer) ? std::vector<Index>{} : indexes;
    }

    /// WatchPointers knows the bounds of a variable.
    static bool is_array_of_numbers(const llvm::Value* variable) {
        const auto* local = llvm::dyn_cast<llvm::AllocaInst>(variable);
        llvm::Type* type = local == nullptr ? nullptr : local->getAllocatedType();
        if (type == nullptr || !type->isArrayTy()) {
            return false;
        }
        while (type->isArrayTy()) {
            type = type->getArrayElementType();
        }
        return !type->isStructTy();
    }

    /// The array that an index of an address is of; null for the first index, which is of the pointer.
    static llvm::Type* array_around(const llvm::GEPOperator& address, const llvm::gep_type_iterator& type) {
        llvm::SmallVector<llvm::Value*, 4> before;
        for (auto one = llvm::gep_type_begin(&address); one != type; ++one) {
            before.push_back(one.getOperand());
        }
        return before.empty() ? nullptr
                              : llvm::GetElementPtrInst::getIndexedType(address.getSourceElementType(),
                                                                        llvm::makeArrayRef(before));
    }

    bool may_leave(const Index& index,
                   const Reach& reach,
                   llvm::function_ref<llvm::ScalarEvolution&()> evolution) const {
        if (reach.block != nullptr || !llvm::isa<llvm::Instruction>(index.number)) {
            const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index.number);
            const auto* bytes = llvm::dyn_cast_or_null<llvm::ConstantInt>(reach.block);
            const bool known = number != nullptr && (reach.block == nullptr || bytes != nullptr);
            return !known || number->getValue().uge(index.elements) ||
                   (bytes != nullptr &&
                    bytes->getZExtValue() > (index.elements - number->getZExtValue()) * index.element_bytes);
        }
        return evolution().getUnsignedRangeMax(evolution().getSCEV(index.number)).uge(index.elements);
    }

    void compare(llvm::Instruction& instruction, const Reach& reach, const Index& index) {
        llvm::IRBuilder<> builder{&instruction};
        const auto number = [this](std::uint64_t value) { return llvm::ConstantInt::get(word_, value); };
        llvm::Value* at = builder.CreateSExtOrTrunc(index.number, word_);
        llvm::Value* last = at;  // the last element that is reached
        if (reach.block != nullptr) {
            llvm::Value* bytes = builder.CreateZExtOrTrunc(reach.block, word_);
            llvm::Value* more = builder.CreateUDiv(
                builder.CreateSub(builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, bytes, number(1)),
                                  number(1)),
                number(index.element_bytes));
            last = builder.CreateAdd(at, more);
        }
        llvm::Value* beyond = builder.CreateOr(builder.CreateICmpUGE(at, number(index.elements)),
                                               builder.CreateICmpUGE(last, number(index.elements)));
        llvm::MDNode* rarely = llvm::MDBuilder{module_.getContext()}.createBranchWeights(1, 100000);
        llvm::Instruction* before = llvm::SplitBlockAndInsertIfThen(beyond, &instruction, false, rarely);
        llvm::IRBuilder<> there{before};
        const llvm::DILocation* place = pass_.callers_place(instruction);
        there.CreateCall(module_.getOrInsertFunction("ascendsim_index_beyond",
                                                     there.getVoidTy(),
                                                     there.getInt8PtrTy(),
                                                     there.getInt32Ty(),
                                                     word_,
                                                     word_,
                                                     there.getInt32Ty()),
                         {there.CreateGlobalStringPtr(file_of(*place), "ascendsim_file", 0, &module_),
                          there.getInt32(place->getLine()),
                          last,
                          number(index.elements),
                          there.getInt32(reach.write ? 1 : 0)});
    }

    llvm::Module& module_;
    const WatchSubscripts& pass_;
    const llvm::DataLayout& layout_;
    llvm::Type* word_ = nullptr;
};

}  // namespace

llvm::PreservedAnalyses NoteSubscripts::run(llvm::Module& module,
                                            llvm::ModuleAnalysisManager& /*analyses*/) const {
    for (llvm::Function& function : module) {
        const llvm::DISubprogram* text = function.getSubprogram();
        if (function.isDeclaration() || text == nullptr || !is_own(*text)) {
            continue;
        }
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
            const llvm::DILocation* at = instruction.getDebugLoc();
            const llvm::ArrayType* array =
                address == nullptr ? nullptr : subscripted(llvm::cast<llvm::GEPOperator>(*address));
            if (array == nullptr || at == nullptr || address->hasAllZeroIndices()) {
                continue;
            }
            std::uint64_t& elements = (*found)[{file_of(*at), at->getLine(), array}];
            elements = std::max(elements, reachable(llvm::cast<llvm::GEPOperator>(*address), *array));
        }
    }
    return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses WatchSubscripts::run(llvm::Module& module,
                                             llvm::ModuleAnalysisManager& analyses) const {
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    Watch watch{module, *this};
    bool any = false;
    for (llvm::Function& function : module) {
        if (noted->empty() || function.isDeclaration()) {
            continue;
        }
        any = watch.run(function, [&]() -> llvm::ScalarEvolution& {
            return functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
        }) || any;
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
