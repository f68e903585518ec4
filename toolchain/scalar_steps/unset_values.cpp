// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/unset_values.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "toolchain/scalar_steps/kernel_text.hpp"
#include "toolchain/scalar_steps/unset_arrays.hpp"
#include "toolchain/scalar_steps/unset_names.hpp"
#include "toolchain/scalar_steps/unset_references.hpp"

namespace {

constexpr std::size_t most_uses = 256;  // asked about in one function
constexpr unsigned most_steps = 8;      // from a use to a line

/// Where undefined bits must not arrive.
struct UnsetUse {
    llvm::Instruction* at = nullptr;
    llvm::Value* value = nullptr;
};

class Tell {
public:
    Tell(llvm::Module& module, const TellUnset& pass)
        : module_{module}, pass_{pass}, layout_{module.getDataLayout()}, context_{module.getContext()} {}

    bool run(llvm::Function& function) {
        sources_.clear();
        origin_.clear();
        shadows_.clear();
        filled_ = fill_unset_arrays(function, pass_.is_own);
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            note_source(instruction);
        }
        if (sources_.empty()) {
            return !filled_.empty();
        }
        const std::vector<UnsetUse> uses = follow();
        std::vector<std::tuple<UnsetUse, const llvm::DILocation*, llvm::Value*>> asked;
        for (const UnsetUse& use : uses) {
            const llvm::DILocation* at = place_of(use);
            llvm::Value* undefined = at == nullptr ? nullptr : shadow(use.value);
            if (undefined != nullptr && !is_zero(undefined)) {
                asked.emplace_back(use, at, undefined);
            }
        }
        for (const ReferredVariable& one :
             referred_variables(function, [this](const llvm::Function& of) { return is_own(of); })) {
            const auto* source = llvm::find_if(one.stores, [this](const llvm::StoreInst* store) {
                auto* value = llvm::dyn_cast<llvm::Instruction>(store->getValueOperand());
                return value != nullptr && origin_.count(value) != 0;
            });
            if (source == one.stores.end()) {
                continue;
            }
            for (const auto& [reader, undefined] :
                 undefined_at_readers(one, [this](llvm::Value* value) { return shadow(value); })) {
                if (const llvm::DILocation* at = pass_.callers_place(*reader)) {
                    asked.emplace_back(UnsetUse{reader, (*source)->getValueOperand()}, at, undefined);
                }
            }
        }
        for (const auto& [use, at, undefined] : asked) {
            ask(use, *at, undefined);
        }
        return !filled_.empty() || !asked.empty();
    }

    /// What the optimiser has left of the marking contents becomes a number.
    bool replace_marks() {
        std::vector<llvm::GlobalVariable*> marks;
        for (llvm::GlobalVariable& global : module_.globals()) {
            if (global.getName().startswith(unset_prefix)) {
                marks.push_back(&global);
            }
        }
        for (llvm::GlobalVariable* mark : marks) {
            llvm::Type* type = mark->getValueType();
            mark->setInitializer(content_of(type));
            mark->setLinkage(llvm::GlobalValue::PrivateLinkage);
            mark->setName("ascendsim_unset");
        }
        return !marks.empty();
    }

private:
    llvm::Constant* content_of(llvm::Type* type) {
        const std::uint64_t bits = unset_bits(*type);
        if (type->isPointerTy()) {
            return llvm::ConstantExpr::getIntToPtr(llvm::ConstantInt::get(integer(*type), bits), type);
        }
        return llvm::ConstantExpr::getBitCast(llvm::ConstantInt::get(integer(*type), bits), type);
    }

    llvm::IntegerType* integer(const llvm::Type& type) const {
        return llvm::IntegerType::get(
            context_,
            static_cast<unsigned>(layout_.getTypeSizeInBits(const_cast<llvm::Type*>(&type)).getFixedSize()));
    }

    static bool is_followed(const llvm::Type* type) {
        return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || type->isFloatTy() ||
               type->isDoubleTy() || type->isPointerTy();
    }

    static bool is_zero(const llvm::Value* value) {
        const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
        return number != nullptr && number->isZero();
    }

    /// The mark that a load reads; the optimiser may choose between that and another place.
    static llvm::GlobalVariable* mark_behind(llvm::LoadInst& load) {
        llvm::SmallVector<const llvm::Value*, 4> objects;
        llvm::getUnderlyingObjects(load.getPointerOperand(), objects);
        for (const llvm::Value* object : objects) {
            const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
            if (global != nullptr && global->getName().startswith(unset_prefix)) {
                return const_cast<llvm::GlobalVariable*>(global);
            }
        }
        return nullptr;
    }

    bool is_own(const llvm::Function& function) const {
        return function.getSubprogram() != nullptr && pass_.is_own(*function.getSubprogram());
    }

    static bool is_truth_value(const llvm::LoadInst& load) {
        const llvm::MDNode* range = load.getMetadata(llvm::LLVMContext::MD_range);
        if (!load.getType()->isIntegerTy(8) || range == nullptr || range->getNumOperands() != 2) {
            return false;
        }
        const auto* end = llvm::mdconst::dyn_extract<llvm::ConstantInt>(range->getOperand(1));
        return end != nullptr && end->equalsInt(2);
    }

    /// The type of the variable or object that a load reads a member of; null if it is none that was marked.
    const llvm::Type* marked_object(const llvm::LoadInst& load) const {
        llvm::APInt offset{layout_.getIndexTypeSizeInBits(load.getPointerOperandType()), 0};
        const llvm::Value* base =
            load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
        const llvm::Type* type = nullptr;
        if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(base)) {
            type = local->getAllocatedType();
            if (type->isArrayTy()) {
                return filled_.contains(local) ? type : nullptr;
            }
        } else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(base)) {
            const auto* pointer = llvm::dyn_cast<llvm::PointerType>(argument->getType());
            type = pointer == nullptr || pointer->isOpaque() ? nullptr
                                                             : pointer->getNonOpaquePointerElementType();
            type = type != nullptr && type->isStructTy() ? type : nullptr;
        }
        if (type == nullptr) {
            return element_of_object(load);
        }
        if (!type->isStructTy()) {
            return type;
        }
        const auto object = pass_.types->objects.find(type);
        const bool marked =
            object != pass_.types->objects.end() && object->second.count(offset.getZExtValue()) != 0;
        return marked ? type : nullptr;
    }

    /// The same for an element of an array within an object, whose index is not known.
    const llvm::Type* element_of_object(const llvm::LoadInst& load) const {
        const llvm::Value* base = llvm::getUnderlyingObject(load.getPointerOperand());
        const auto* local = llvm::dyn_cast<llvm::AllocaInst>(base);
        if (local != nullptr && filled_.contains(local)) {
            return local->getAllocatedType();
        }
        const auto* pointer = llvm::dyn_cast<llvm::PointerType>(base->getType());
        const llvm::Type* type =
            local != nullptr ? local->getAllocatedType()
            : pointer == nullptr || pointer->isOpaque() || !llvm::isa<llvm::Argument>(base)
                ? nullptr
                : pointer->getNonOpaquePointerElementType();
        return type != nullptr && type->isStructTy() && pass_.types->objects.count(type) != 0 ? type
                                                                                              : nullptr;
    }

    void note_source(llvm::Instruction& instruction) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load == nullptr || !is_followed(load->getType())) {
            return;
        }
        if (llvm::GlobalVariable* mark = mark_behind(*load)) {
            sources_[load] = unset_words(mark->getName());
            return;
        }
        if ((!says_unset(*load->getType()) && !is_truth_value(*load)) || load->isVolatile()) {
            return;
        }
        if (load->getDebugLoc() && pass_.callers_place(*load) == nullptr) {
            return;
        }
        if (const llvm::Type* object = marked_object(*load)) {
            sources_[load] = words_of(*load, *object);
        }
    }

    std::string words_of(const llvm::LoadInst& load, const llvm::Type& object) const {
        const auto* type = llvm::dyn_cast<llvm::StructType>(&object);
        if (object.isArrayTy()) {
            return "an element of an array of its own";
        }
        if (type == nullptr || !type->hasName()) {
            return "a variable of its own";
        }
        llvm::APInt offset{layout_.getIndexTypeSizeInBits(load.getPointerOperandType()), 0};
        const llvm::Value* base =
            load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
        if (!llvm::isa<llvm::AllocaInst>(base) && !llvm::isa<llvm::Argument>(base)) {
            return "an element of its object of type " + type->getName().split('.').second.str();
        }
        const std::uint64_t bytes = layout_.getTypeStoreSize(load.getType()).getFixedSize();
        const llvm::StringRef name = type->getName();
        return "bytes [" + std::to_string(offset.getSExtValue()) + ", " +
               std::to_string(offset.getSExtValue() + static_cast<std::int64_t>(bytes)) +
               ") of its object of type " + name.substr(name.find('.') + 1).str();
    }

    /// Whether a value that is computed from an undefined one is looked at for that.
    static bool is_computed(const llvm::Instruction& user) {
        if (!is_followed(user.getType())) {
            return false;
        }
        if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&user)) {
            return call->doesNotAccessMemory();
        }
        return user.isBinaryOp() || user.isUnaryOp() || user.isCast() || llvm::isa<llvm::CmpInst>(user) ||
               llvm::isa<llvm::GetElementPtrInst>(user) || llvm::isa<llvm::PHINode>(user) ||
               llvm::isa<llvm::SelectInst>(user);
    }

    /// All values that may come from a source, and where they must not arrive.
    std::vector<UnsetUse> follow() {
        std::vector<UnsetUse> uses;
        llvm::SmallVector<llvm::Instruction*, 32> open;
        for (const auto& [source, words] : sources_) {
            origin_[source] = &words;
            open.push_back(source);
        }
        while (!open.empty() && uses.size() < most_uses) {
            llvm::Instruction* value = open.pop_back_val();
            for (llvm::Use& use : value->uses()) {
                auto* user = llvm::cast<llvm::Instruction>(use.getUser());
                if (is_computed(*user)) {
                    if (origin_.insert({user, origin_.lookup(value)}).second) {
                        open.push_back(user);
                    }
                } else if (decides(*user, use)) {
                    uses.push_back({user, value});
                }
            }
        }
        return uses;
    }

    bool decides(llvm::Instruction& user, const llvm::Use& use) const {
        if (llvm::isa<llvm::BranchInst>(user) || llvm::isa<llvm::SwitchInst>(user)) {
            return true;
        }
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&user)) {
            return mark_behind(*load) == nullptr;
        }
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&user)) {
            return use.get() == store->getPointerOperand() || leaves_the_kernel(*store);
        }
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&user)) {
            return takes_argument(*call, use);
        }
        return false;
    }

    /// What is stored through a pointer that the kernel was given or has asked for, and what a function of
    /// the framework's keeps of its argument, is used; what is copied within the kernel's variables is not.
    bool leaves_the_kernel(const llvm::StoreInst& store) const {
        const auto* computed = llvm::dyn_cast<llvm::Instruction>(store.getValueOperand());
        const llvm::DebugLoc& at = store.getDebugLoc();
        if (at && !pass_.is_own(*at->getScope()->getSubprogram())) {
            return true;
        }
        const bool is_copy =
            computed == nullptr || sources_.count(const_cast<llvm::Instruction*>(computed)) != 0;
        if (is_copy && store.getMetadata(scalar_store) == nullptr) {
            return false;  // perhaps of a whole object
        }
        llvm::SmallVector<const llvm::Value*, 4> objects;
        llvm::getUnderlyingObjects(store.getPointerOperand(), objects);
        return llvm::any_of(objects, [](const llvm::Value* object) { return is_of_the_machine(*object); });
    }

    bool takes_argument(const llvm::CallBase& call, const llvm::Use& use) const {
        if (!call.isArgOperand(&use)) {
            return call.isCallee(&use);
        }
        if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
            return llvm::isa<llvm::MemIntrinsic>(known);
        }
        const llvm::Function* function = call.getCalledFunction();
        return function != nullptr && !is_own(*function);
    }

    // Shadows: the undefined bits of a value.

    llvm::Constant* none_of(const llvm::Type& type) const { return llvm::ConstantInt::get(integer(type), 0); }

    llvm::Value* shadow(llvm::Value* value) {
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        if (instruction == nullptr || origin_.count(instruction) == 0) {
            return none_of(*value->getType());
        }
        if (llvm::Value* known = shadows_.lookup(value)) {
            return known;
        }
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
            return shadow_of_phi(*phi);
        }
        // Operands first: those of a loop lead to its phi, which is known by then.
        for (llvm::Value* operand : instruction->operands()) {
            if (is_followed(operand->getType()) && sources_.count(instruction) == 0) {
                static_cast<void>(shadow(operand));
            }
        }
        llvm::IRBuilder<> builder{instruction->getNextNode()};
        builder.SetCurrentDebugLocation(llvm::DebugLoc{});
        llvm::Value* made = made_shadow(*instruction, builder);
        shadows_[value] = made;
        return made;
    }

    llvm::Value* shadow_of_phi(llvm::PHINode& phi) {
        llvm::IRBuilder<> builder{&phi};
        builder.SetCurrentDebugLocation(llvm::DebugLoc{});
        llvm::PHINode* made = builder.CreatePHI(integer(*phi.getType()), phi.getNumIncomingValues());
        shadows_[&phi] = made;
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
            made->addIncoming(shadow(phi.getIncomingValue(i)), phi.getIncomingBlock(i));
        }
        return made;
    }

    /// All bits of `type` if any of `undefined` is.
    llvm::Value* spread(llvm::Value* undefined, const llvm::Type& type, llvm::IRBuilder<>& builder) {
        return is_zero(undefined) ? none_of(type)
                                  : builder.CreateSExt(builder.CreateIsNotNull(undefined), integer(type));
    }

    llvm::Value* bits(llvm::Value* value, llvm::IRBuilder<>& builder) {
        llvm::IntegerType* type = integer(*value->getType());
        return value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, type)
                                               : builder.CreateBitCast(value, type);
    }

    llvm::Value* made_shadow(llvm::Instruction& of, llvm::IRBuilder<>& builder) {
        if (sources_.count(&of) != 0) {
            return shadow_of_source(llvm::cast<llvm::LoadInst>(of), builder);
        }
        if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&of)) {
            llvm::Value* chosen = builder.CreateSelect(
                choice->getCondition(), shadow(choice->getTrueValue()), shadow(choice->getFalseValue()));
            return builder.CreateOr(chosen, spread(shadow(choice->getCondition()), *of.getType(), builder));
        }
        if (of.isCast()) {
            return shadow_of_cast(llvm::cast<llvm::CastInst>(of), builder);
        }
        if (of.isBinaryOp()) {
            return shadow_of_operation(llvm::cast<llvm::BinaryOperator>(of), builder);
        }
        if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&of);
            compare != nullptr && compare->isEquality()) {
            // Bits that are known to differ decide.
            llvm::Value* left = compare->getOperand(0);
            llvm::Value* right = compare->getOperand(1);
            llvm::Value* undefined = builder.CreateOr(shadow(left), shadow(right));
            llvm::Value* differ = builder.CreateAnd(
                builder.CreateXor(bits(left, builder), bits(right, builder)), builder.CreateNot(undefined));
            return builder.CreateAnd(builder.CreateIsNotNull(undefined), builder.CreateIsNull(differ));
        }
        if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&of)) {
            return shadow_of_order(*compare, builder);
        }
        llvm::Value* any = none_of(*builder.getInt1Ty());
        for (llvm::Value* operand : of.operands()) {
            if (is_followed(operand->getType())) {
                any = builder.CreateOr(any, spread(shadow(operand), *builder.getInt1Ty(), builder));
            }
        }
        return spread(any, *of.getType(), builder);
    }

    /// The order of two numbers is open if it is not the same for the least and the greatest that their
    /// undefined bits allow.
    llvm::Value* shadow_of_order(llvm::ICmpInst& compare, llvm::IRBuilder<>& builder) {
        const auto ends = [&](unsigned i) {
            llvm::Value* number = bits(compare.getOperand(i), builder);
            llvm::Value* undefined = shadow(compare.getOperand(i));
            if (compare.isSigned()) {  // the sign's bit turned, they lie as unsigned ones do
                const unsigned width = number->getType()->getIntegerBitWidth();
                number = builder.CreateXor(
                    number, llvm::ConstantInt::get(number->getType(), llvm::APInt::getSignMask(width)));
            }
            return std::pair{builder.CreateAnd(number, builder.CreateNot(undefined)),
                             builder.CreateOr(number, undefined)};
        };
        const auto [least, greatest] = ends(0);
        const auto [other_least, other_greatest] = ends(1);
        const llvm::CmpInst::Predicate order = compare.getUnsignedPredicate();
        return builder.CreateXor(builder.CreateICmp(order, least, other_greatest),
                                 builder.CreateICmp(order, greatest, other_least));
    }

    llvm::Value* shadow_of_source(llvm::LoadInst& load, llvm::IRBuilder<>& builder) {
        llvm::Type& type = *load.getType();
        if (llvm::GlobalVariable* mark = mark_behind(load)) {
            llvm::Type* address = builder.getInt8PtrTy();
            return builder.CreateSExt(
                builder.CreateICmpEQ(builder.CreatePointerCast(load.getPointerOperand(), address),
                                     llvm::ConstantExpr::getPointerCast(mark, address)),
                integer(type));
        }
        load.setMetadata(llvm::LLVMContext::MD_range, nullptr);  // it may hold what marks it
        load.setMetadata(llvm::LLVMContext::MD_noundef, nullptr);
        load.setMetadata(llvm::LLVMContext::MD_nonnull, nullptr);
        return builder.CreateSExt(
            builder.CreateICmpEQ(bits(&load, builder),
                                 llvm::ConstantInt::get(integer(type), unset_bits(type))),
            integer(type));
    }

    llvm::Value* shadow_of_cast(llvm::CastInst& cast, llvm::IRBuilder<>& builder) {
        llvm::Value* from = shadow(cast.getOperand(0));
        llvm::IntegerType* type = integer(*cast.getType());
        switch (cast.getOpcode()) {
            case llvm::Instruction::SExt:
                return builder.CreateSExt(from, type);
            case llvm::Instruction::Trunc:
            case llvm::Instruction::ZExt:
            case llvm::Instruction::BitCast:
            case llvm::Instruction::PtrToInt:
            case llvm::Instruction::IntToPtr:
                return builder.CreateZExtOrTrunc(from, type);
            default:
                return spread(from, *cast.getType(), builder);
        }
    }

    llvm::Value* shadow_of_operation(llvm::BinaryOperator& of, llvm::IRBuilder<>& builder) {
        llvm::Value* left = shadow(of.getOperand(0));
        llvm::Value* right = shadow(of.getOperand(1));
        llvm::Value* both = builder.CreateOr(left, right);
        const auto open_bits = [&](bool opens) {  // of an operand: those that let the other one's through
            const auto of_operand = [&](unsigned i, llvm::Value* undefined) {
                llvm::Value* known = opens ? of.getOperand(i) : builder.CreateNot(of.getOperand(i));
                return builder.CreateOr(known, undefined);
            };
            return builder.CreateAnd(both, builder.CreateAnd(of_operand(0, left), of_operand(1, right)));
        };
        switch (of.getOpcode()) {
            case llvm::Instruction::And:
                return open_bits(true);
            case llvm::Instruction::Or:
                return open_bits(false);
            case llvm::Instruction::Xor:
                return both;
            case llvm::Instruction::Add:
            case llvm::Instruction::Sub:
                return is_zero(both) ? both : shadow_of_sum(of, left, right, builder);
            case llvm::Instruction::Shl:
            case llvm::Instruction::LShr:
            case llvm::Instruction::AShr:
                if (is_zero(right)) {
                    return builder.CreateBinOp(of.getOpcode(), left, of.getOperand(1));
                }
                [[fallthrough]];
            default:
                return spread(both, *of.getType(), builder);
        }
    }

    /// Of a sum or a difference: a bit is open too if the carries of its least and its greatest value differ
    /// there. Fields of one word are added to so.
    static llvm::Value* shadow_of_sum(llvm::BinaryOperator& of,
                                      llvm::Value* left,
                                      llvm::Value* right,
                                      llvm::IRBuilder<>& builder) {
        const auto least = [&](unsigned i, llvm::Value* undefined) {
            return builder.CreateAnd(of.getOperand(i), builder.CreateNot(undefined));
        };
        const auto greatest = [&](unsigned i, llvm::Value* undefined) {
            return builder.CreateOr(of.getOperand(i), undefined);
        };
        const bool adds = of.getOpcode() == llvm::Instruction::Add;
        llvm::Value* low =
            builder.CreateBinOp(of.getOpcode(), least(0, left), adds ? least(1, right) : greatest(1, right));
        llvm::Value* high = builder.CreateBinOp(
            of.getOpcode(), greatest(0, left), adds ? greatest(1, right) : least(1, right));
        return builder.CreateOr(builder.CreateXor(low, high), builder.CreateOr(left, right));
    }

    /// The line to name: that of the use, or where the optimiser has joined several, of what it uses.
    const llvm::DILocation* place_of(const UnsetUse& use) const {
        const llvm::Value* value = use.value;
        const llvm::DILocation* at = pass_.callers_place(*use.at);
        for (unsigned steps = 0; at == nullptr && steps < most_steps; ++steps) {
            const auto* made = llvm::dyn_cast<llvm::Instruction>(value);
            if (made == nullptr) {
                break;
            }
            at = pass_.callers_place(*made);
            const auto* next = llvm::find_if(made->operands(), [this](const llvm::Use& operand) {
                auto* one = llvm::dyn_cast<llvm::Instruction>(operand.get());
                return one != nullptr && origin_.count(one) != 0;
            });
            value = next == made->op_end() ? nullptr : next->get();
            if (value == nullptr) {
                break;
            }
        }
        return at;
    }

    void ask(const UnsetUse& use, const llvm::DILocation& at, llvm::Value* undefined) {
        llvm::MDNode* rarely = llvm::MDBuilder{context_}.createBranchWeights(1, 100000);
        llvm::IRBuilder<> builder{use.at};
        llvm::Value* any = builder.CreateIsNotNull(undefined);
        llvm::IRBuilder<> there{llvm::SplitBlockAndInsertIfThen(any, use.at, false, rarely)};
        there.SetCurrentDebugLocation(use.at->getDebugLoc());
        const std::string& words = *origin_.lookup(llvm::cast<llvm::Instruction>(use.value));
        there.CreateCall(module_.getOrInsertFunction("ascendsim_value_unset",
                                                     there.getVoidTy(),
                                                     there.getInt8PtrTy(),
                                                     there.getInt32Ty(),
                                                     there.getInt8PtrTy()),
                         {text(file_of(at), there), there.getInt32(at.getLine()), text(words, there)});
    }

    llvm::Constant* text(const std::string& words, llvm::IRBuilder<>& builder) {
        llvm::Constant*& known = texts_[words];
        if (known == nullptr) {
            known = builder.CreateGlobalStringPtr(words, "ascendsim_file", 0, &module_);
        }
        return known;
    }

    llvm::Module& module_;
    const TellUnset& pass_;
    const llvm::DataLayout& layout_;
    llvm::LLVMContext& context_;
    llvm::MapVector<llvm::Instruction*, std::string> sources_;       // and their words
    llvm::DenseMap<llvm::Instruction*, const std::string*> origin_;  // of what may come from one
    llvm::DenseMap<llvm::Value*, llvm::Value*> shadows_;
    FilledArrays filled_;  // of the function
    std::map<std::string, llvm::Constant*> texts_;
};

}  // namespace

llvm::PreservedAnalyses TellUnset::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& /*analyses*/) const {
    Tell tell{module, *this};
    bool any = false;
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && tell.run(function)) {
            any = true;
            let_it_look(function);
        }
    }
    any |= tell.replace_marks();
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
