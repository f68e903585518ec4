// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "toolchain/scalar_steps/unset_names.hpp"
#include "toolchain/scalar_steps/unset_values.hpp"

namespace {

constexpr unsigned most_members = 256;  // of one object
constexpr unsigned most_elements = 32;  // of an array in it

/// A number or an address in an object.
struct Leaf {
    llvm::Type* type = nullptr;
    llvm::SmallVector<unsigned, 4> path;  // of members that lead to it
    std::uint64_t offset = 0;
};

bool is_scalar(const llvm::Type* type) {
    return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32) || type->isIntegerTy(64) ||
           type->isFloatTy() || type->isDoubleTy() ||
           (type->isPointerTy() && type->getPointerAddressSpace() == 0);
}

/// The name that a type has in the source; empty for one that the compiler has made up.
llvm::StringRef source_name(const llvm::StructType& type) {
    if (type.isLiteral() || !type.hasName()) {
        return {};
    }
    llvm::StringRef name = type.getName();
    return name.consume_front("class.") || name.consume_front("struct.") ? name : llvm::StringRef{};
}

class Marks {
public:
    Marks(llvm::Module& module, const MarkUnset& pass)
        : module_{module}, pass_{pass}, layout_{module.getDataLayout()} {
        for (const llvm::Function& function : module) {
            note_methods(function);
        }
    }

    bool run(llvm::Function& function) {
        const llvm::DISubprogram* text = function.getSubprogram();
        if (text == nullptr || !pass_.is_own(*text)) {
            return false;
        }
        std::vector<llvm::AllocaInst*> variables;
        for (llvm::Instruction& instruction : function.getEntryBlock()) {
            auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
            if (variable != nullptr && variable->isStaticAlloca()) {
                variables.push_back(variable);
            }
        }
        bool any = false;
        for (llvm::AllocaInst* variable : variables) {
            any |= mark(*variable);
        }
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
            if (store != nullptr && is_scalar(store->getValueOperand()->getType())) {
                store->setMetadata(scalar_store, llvm::MDNode::get(module_.getContext(), {}));
                any = true;
            }
        }
        return any;
    }

private:
    /// A type with functions of the framework's is the framework's.
    void note_methods(const llvm::Function& function) {
        const llvm::DISubprogram* text = function.getSubprogram();
        if (text == nullptr || function.arg_empty() || !function.getName().startswith("_ZN") ||
            pass_.is_own(*text)) {
            return;
        }
        const auto* pointer = llvm::dyn_cast<llvm::PointerType>(function.getArg(0)->getType());
        if (pointer != nullptr && !pointer->isOpaque()) {
            frameworks_.insert(pointer->getNonOpaquePointerElementType());
        }
    }

    bool is_own(const llvm::StructType& type) const {
        const llvm::StringRef name = source_name(type);
        return !name.empty() && !name.contains("AscendC::") && !name.contains("ascendsim::") &&
               !name.startswith("std::") && !frameworks_.contains(&type);
    }

    void collect(llvm::Type* type, Leaf at, std::vector<Leaf>& found) {
        if (is_scalar(type)) {
            at.type = type;
            found.push_back(std::move(at));
            return;
        }
        if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type); array != nullptr && !at.path.empty()) {
            const std::uint64_t bytes = layout_.getTypeAllocSize(array->getElementType()).getFixedSize();
            for (unsigned i = 0; i < array->getNumElements() && i < most_elements; ++i) {
                Leaf element = at;
                element.path.push_back(i);
                element.offset += i * bytes;
                collect(array->getElementType(), std::move(element), found);
            }
            return;
        }
        auto* object = llvm::dyn_cast<llvm::StructType>(type);
        if (object == nullptr || !is_own(*object) || object->isOpaque()) {
            return;
        }
        note_object(*object);
        const llvm::StructLayout* places = layout_.getStructLayout(object);
        for (unsigned i = 0; i < object->getNumElements() && found.size() < most_members; ++i) {
            Leaf member = at;
            member.path.push_back(i);
            member.offset += places->getElementOffset(i);
            collect(object->getElementType(i), std::move(member), found);
        }
    }

    void note_object(llvm::StructType& object) {
        if (!pass_.types->objects.insert({&object, {}}).second) {
            return;
        }
        std::vector<Leaf> leaves;
        collect(&object, {}, leaves);
        for (const Leaf& leaf : leaves) {
            pass_.types->objects[&object].insert(leaf.offset);
        }
    }

    bool mark(llvm::AllocaInst& variable) {
        std::vector<Leaf> leaves;
        llvm::Type* type = variable.getAllocatedType();
        collect(type, {}, leaves);
        if (leaves.empty()) {
            return false;
        }
        llvm::SmallVector<llvm::Instruction*, 4> births = births_of(variable);
        const auto* object = llvm::dyn_cast<llvm::StructType>(type);
        if (births.empty() && object != nullptr) {
            births.push_back(last_variable(*variable.getFunction()));  // what the function returns
        }
        const std::string name = object == nullptr ? std::string{} : source_name(*object).str();
        for (llvm::Instruction* birth : births) {
            llvm::IRBuilder<> builder{birth->getNextNode()};
            builder.SetCurrentDebugLocation(llvm::DebugLoc{});
            for (const Leaf& leaf : leaves) {
                store(builder, variable, leaf, name);
            }
        }
        return !births.empty();
    }

    /// Where the life of a variable of the source's begins; what the compiler needs for itself has no such
    /// place.
    static llvm::SmallVector<llvm::Instruction*, 4> births_of(llvm::AllocaInst& variable) {
        llvm::SmallVector<llvm::Instruction*, 4> births;
        for (llvm::User* user : variable.users()) {
            note_birth(*user, births);
            if (llvm::isa<llvm::BitCastInst>(user)) {
                for (llvm::User* of_cast : user->users()) {
                    note_birth(*of_cast, births);
                }
            }
        }
        return births;
    }

    static llvm::Instruction* last_variable(llvm::Function& function) {
        llvm::Instruction* last = nullptr;
        for (llvm::Instruction& instruction : function.getEntryBlock()) {
            last = llvm::isa<llvm::AllocaInst>(instruction) ? &instruction : last;
        }
        return last;
    }

    static void note_birth(llvm::User& user, llvm::SmallVectorImpl<llvm::Instruction*>& births) {
        auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
        if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::lifetime_start) {
            births.push_back(call);
        }
    }

    void store(llvm::IRBuilder<>& builder,
               llvm::AllocaInst& variable,
               const Leaf& leaf,
               const std::string& object) {
        const std::uint64_t bytes = layout_.getTypeStoreSize(leaf.type).getFixedSize();
        llvm::Type* held = leaf.type->isPointerTy() ? builder.getInt8PtrTy() : leaf.type;
        llvm::Constant* none = module_.getOrInsertGlobal(
            unset_name({.object = object, .begin = leaf.offset, .end = leaf.offset + bytes}, *leaf.type),
            held);
        llvm::cast<llvm::GlobalVariable>(none)->setConstant(true);
        llvm::Value* content = builder.CreateLoad(held, none);
        llvm::SmallVector<llvm::Value*, 5> path{builder.getInt64(0)};
        for (const unsigned member : leaf.path) {
            path.push_back(builder.getInt32(member));
        }
        llvm::Value* place = leaf.path.empty()
                                 ? &variable
                                 : builder.CreateInBoundsGEP(variable.getAllocatedType(), &variable, path);
        builder.CreateStore(held == leaf.type ? content : builder.CreatePointerCast(content, leaf.type),
                            place);
    }

    llvm::Module& module_;
    const MarkUnset& pass_;
    const llvm::DataLayout& layout_;
    llvm::SmallPtrSet<const llvm::Type*, 32> frameworks_;
};

}  // namespace

llvm::PreservedAnalyses MarkUnset::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& /*analyses*/) const {
    Marks marks{module, *this};
    bool any = false;
    for (llvm::Function& function : module) {
        any = (!function.isDeclaration() && marks.run(function)) || any;
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
