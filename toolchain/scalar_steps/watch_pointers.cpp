// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/watch_pointers.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "toolchain/scalar_steps/charge_pointers.hpp"
#include "toolchain/scalar_steps/kernel_text.hpp"

namespace {

using Places = std::function<const llvm::DILocation*(const llvm::Instruction&)>;

/// A load, a store, or one side of a copy.
struct PlainUse {
    llvm::Instruction* instruction = nullptr;
    llvm::Value* pointer = nullptr;
    llvm::Value* root = nullptr;    // what the kernel computed the pointer from
    llvm::Value* length = nullptr;  // of a block, if it is no constant
    std::uint64_t bytes = 0;
    std::uint64_t align = 1;  // of the type, if it is that of an element
    bool write = false;
    std::optional<std::uint64_t> size;  // of the variable that the pointer leads into
    std::string file{};
    unsigned line = 0;
};

constexpr std::uint64_t most_element = 8;   // bytes of the largest element
constexpr std::uint64_t most_bytes = 4096;  // of an access that is treated as one load or store

/// Whether an address has a part in a number.
bool holds_address(const llvm::Value* number, unsigned depth = 8) {
    const auto* made = llvm::dyn_cast<llvm::Operator>(number);
    if (made == nullptr || depth == 0 || !number->getType()->isIntegerTy()) {
        return false;
    }
    const unsigned code = made->getOpcode();
    return code == llvm::Instruction::PtrToInt ||
           (code != llvm::Instruction::Load && code != llvm::Instruction::Call &&
            llvm::any_of(made->operands(),
                         [depth](const llvm::Use& part) { return holds_address(part.get(), depth - 1); }));
}

/// The numbers that a number was computed from, as far as it may be an address; the pointer behind a cast is
/// one of them. False if it cannot be told: how far one address is from another, added to the one, is the
/// other.
bool follow_number(llvm::Value* number, llvm::SmallVectorImpl<llvm::Value*>& open) {
    const auto* user = llvm::dyn_cast<llvm::User>(number);
    if (user == nullptr) {
        return true;
    }
    switch (llvm::Operator::getOpcode(number)) {
        case llvm::Instruction::Add:
        case llvm::Instruction::Or:
        case llvm::Instruction::PHI:
            open.append(user->op_begin(), user->op_end());
            return true;
        case llvm::Instruction::Select:
            open.append(std::next(user->op_begin()), user->op_end());
            return true;
        case llvm::Instruction::Sub:
            open.push_back(user->getOperand(0));
            return !holds_address(user->getOperand(1));
        case llvm::Instruction::And:
        case llvm::Instruction::Freeze:
        case llvm::Instruction::PtrToInt:
            open.push_back(user->getOperand(0));
            return true;
        default:
            return !holds_address(number);
    }
}

/// What a pointer was computed from: over offsets that the kernel adds, casts, sums of numbers, and loops
/// that move it. The offsets of the framework's functions lead to what they return.
llvm::Value* root_of(llvm::Value* pointer, const Places& places) {
    constexpr unsigned most = 24;
    llvm::Value* root = nullptr;
    llvm::SmallVector<llvm::Value*, 8> open{pointer};
    llvm::SmallPtrSet<llvm::Value*, 8> seen;
    while (!open.empty()) {
        llvm::Value* value = open.pop_back_val()->stripPointerCasts();
        if (!seen.insert(value).second) {
            continue;
        }
        if (seen.size() > most) {
            return pointer;
        }
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        const bool own = instruction == nullptr || places(*instruction) != nullptr;
        if (auto* offset = llvm::dyn_cast<llvm::GEPOperator>(value); offset != nullptr && own) {
            open.push_back(offset->getPointerOperand());
        } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
            open.append(phi->incoming_values().begin(), phi->incoming_values().end());
        } else if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(value)) {
            open.push_back(choice->getTrueValue());
            open.push_back(choice->getFalseValue());
        } else if (own && llvm::Operator::getOpcode(value) == llvm::Instruction::IntToPtr) {
            open.push_back(llvm::cast<llvm::User>(value)->getOperand(0));
        } else if (value->getType()->isIntegerTy()) {
            if (!follow_number(value, open)) {
                return pointer;
            }
        } else if (root != nullptr && root != value) {
            return pointer;
        } else {
            root = value;
        }
    }
    return root == nullptr ? pointer : root;
}

/// The variable that a pointer leads into, whoever added the offsets, and its size.
std::pair<llvm::Value*, std::uint64_t> variable_of(llvm::Value* pointer, const llvm::DataLayout& layout) {
    llvm::Value* root = root_of(
        pointer, [](const llvm::Instruction& instruction) { return instruction.getDebugLoc().get(); });
    if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(root)) {
        const auto bits = local->getAllocationSizeInBits(layout);
        return {root, bits && !bits->isScalable() ? bits->getFixedSize() / 8 : 0};
    }
    if (const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(root)) {
        const bool known = table->hasDefinitiveInitializer() && !table->isThreadLocal();
        return {root, known ? layout.getTypeAllocSize(table->getValueType()).getFixedSize() : 0};
    }
    return {nullptr, 0};
}

/// Whether a pointer is a constant offset within an object that a reference or `this` leads to: not the
/// element that a reference is to.
bool is_member(const llvm::Value* pointer, std::uint64_t bytes, const llvm::DataLayout& layout) {
    llvm::APInt offset{layout.getIndexTypeSizeInBits(pointer->getType()), 0};
    const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
    const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
    if (argument == nullptr || offset.isNegative()) {
        return false;
    }
    const std::uint64_t size = argument->getDereferenceableBytes();
    return size > bytes && offset.getZExtValue() + bytes <= size;
}

class Watch {
public:
    Watch(llvm::Module& module, const Places& places)
        : module_{module}, places_{places}, layout_{module.getDataLayout()}, context_{module.getContext()} {
        word_ = llvm::Type::getInt64Ty(context_);
        half_ = llvm::Type::getInt32Ty(context_);
        address_ = llvm::Type::getInt8PtrTy(context_);
        site_ = llvm::StructType::get(
            context_, {word_, word_, word_, word_, address_, address_, address_, half_, half_, half_, half_});
    }

    bool run(llvm::Function& function, llvm::function_ref<llvm::ScalarEvolution&()> evolution) {
        std::vector<PlainUse> uses;
        for (llvm::BasicBlock& block : function) {
            last_ = nullptr;
            for (llvm::Instruction& instruction : block) {
                find(instruction, uses);
            }
        }
        const bool large = watch_frame(function);
        llvm::erase_if(uses, [&](PlainUse& use) { return !wanted(use, evolution); });
        sites_.clear();
        charge(uses);
        for (const PlainUse& use : uses) {
            instrument(use);
        }
        if (large || !uses.empty()) {
            let_it_look(function);
        }
        return large || !uses.empty();
    }

private:
    /// In front of what watches: nothing may happen between that and the access.
    void charge(const std::vector<PlainUse>& uses) {
        std::vector<PlainCharge> charges;
        for (const PlainUse& use : uses) {
            if (!use.size) {
                llvm::IRBuilder<> builder{use.instruction};
                charges.push_back({.instruction = use.instruction,
                                   .pointer = use.pointer,
                                   .length = use.length,
                                   .bytes = use.bytes,
                                   .write = use.write,
                                   .file = text(use.file, builder),
                                   .line = use.line});
            }
        }
        charge_pointers(module_, charges);
    }

    /// Small frames add up where a function calls itself.
    static bool calls_itself(const llvm::Function& function) {
        return llvm::any_of(function.users(), [&function](const llvm::User* user) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
            return call != nullptr && call->getFunction() == &function;
        });
    }

    /// The first function of the kernel's own that is, or was inlined into, this one; or null. A kernel
    /// itself is inlined into what calls it with arguments from a plan.
    const llvm::DISubprogram* first_own_function(const llvm::Function& function) const {
        if (function.getSubprogram() == nullptr) {
            return nullptr;
        }
        for (const llvm::Instruction& one : llvm::instructions(function)) {
            if (const llvm::DILocation* at = places_(one)) {
                return at->getScope()->getSubprogram();
            }
        }
        return nullptr;
    }

    /// A function with large variables says how deep it is when it begins.
    bool watch_frame(llvm::Function& function) {
        constexpr std::uint64_t large = 1024;
        const std::uint64_t least = calls_itself(function) ? 1 : large;
        std::uint64_t bytes = 0;
        llvm::AllocaInst* last = nullptr;
        for (llvm::Instruction& instruction : function.getEntryBlock()) {
            auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
            const auto bits = local == nullptr ? llvm::None : local->getAllocationSizeInBits(layout_);
            if (bits && !bits->isScalable()) {
                bytes += bits->getFixedSize() / 8;
                last = local;
            }
        }
        const llvm::DISubprogram* place = bytes < least ? nullptr : first_own_function(function);
        if (place == nullptr) {
            return false;
        }
        llvm::IRBuilder<> builder{last->getNextNode()};
        builder.SetCurrentDebugLocation(llvm::DILocation::get(
            context_, place->getLine(), 0, const_cast<llvm::DISubprogram*>(function.getSubprogram())));
        llvm::Value* frame = builder.CreateIntrinsic(
            llvm::Intrinsic::frameaddress, {address_}, {llvm::ConstantInt::get(half_, 0)});
        llvm::Value* end = builder.CreateGEP(llvm::Type::getInt8Ty(context_),
                                             frame,
                                             llvm::ConstantInt::getSigned(word_, -std::int64_t(bytes)));
        builder.CreateCall(
            module_.getOrInsertFunction(
                "ascendsim_plain_frame", builder.getVoidTy(), address_, address_, half_),
            {end, text(file_of(*place), builder), llvm::ConstantInt::get(half_, place->getLine())});
        return true;
    }

    void find(llvm::Instruction& instruction, std::vector<PlainUse>& uses) {
        const llvm::DILocation* place = places_(instruction);
        if (place != nullptr && place->getLine() != 0) {
            last_ = place;
        }
        if (place == nullptr || last_ == nullptr) {
            return;
        }
        const llvm::DILocation& at = place->getLine() != 0 ? *place : *last_;
        const auto add = [&](llvm::Value* pointer,
                             std::uint64_t bytes,
                             llvm::Value* length,
                             bool write,
                             std::uint64_t align = 1) {
            if (pointer->getType()->getPointerAddressSpace() == 0) {
                uses.push_back({.instruction = &instruction,
                                .pointer = pointer,
                                .length = length,
                                .bytes = bytes,
                                .align = align > 1 && align <= bytes && bytes <= most_element ? align : 1,
                                .write = write,
                                .size = std::nullopt,
                                .file = file_of(at),
                                .line = at.getLine()});
            }
        };
        const auto bytes_of = [this](llvm::Type* type) {
            return layout_.getTypeStoreSize(type).getKnownMinSize();
        };
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
            add(load->getPointerOperand(),
                bytes_of(load->getType()),
                nullptr,
                false,
                load->getAlign().value());
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
            add(store->getPointerOperand(),
                bytes_of(store->getValueOperand()->getType()),
                nullptr,
                true,
                store->getAlign().value());
        } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
            add(update->getPointerOperand(), bytes_of(update->getType()), nullptr, true);
        } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
            add(exchange->getPointerOperand(),
                bytes_of(exchange->getNewValOperand()->getType()),
                nullptr,
                true);
        } else if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
            const auto* number = llvm::dyn_cast<llvm::ConstantInt>(block->getLength());
            const bool constant = number != nullptr && number->getZExtValue() <= most_bytes;
            const std::uint64_t bytes = constant ? number->getZExtValue() : 0;
            llvm::Value* length = constant ? nullptr : block->getLength();
            if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(block)) {
                add(copy->getRawSource(), bytes, length, false);
            }
            add(block->getRawDest(), bytes, length, true);
        }
    }

    bool wanted(PlainUse& use, llvm::function_ref<llvm::ScalarEvolution&()> evolution) {
        if (use.length == nullptr && use.bytes == 0) {
            return false;
        }
        const auto [variable, size] = variable_of(use.pointer, layout_);
        if (variable != nullptr) {
            use.root = variable;
            use.size = size;
            return size != 0 && (use.length != nullptr || use.bytes > size || may_leave(use, evolution));
        }
        if (use.length == nullptr && is_member(use.pointer, use.bytes, layout_)) {
            return false;
        }
        use.root = root_of(use.pointer, places_);
        return !llvm::isa<llvm::Function>(use.root) && !llvm::isa<llvm::UndefValue>(use.root);
    }

    /// Whether nothing shows that an access stays in its variable.
    bool may_leave(const PlainUse& use, llvm::function_ref<llvm::ScalarEvolution&()> evolution) const {
        llvm::APInt offset{layout_.getIndexTypeSizeInBits(use.pointer->getType()), 0};
        const llvm::Value* base = use.pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
        if (base == use.root) {
            return offset.isNegative() || offset.getZExtValue() + use.bytes > *use.size;
        }
        llvm::ScalarEvolution& numbers = evolution();
        const llvm::SCEV* distance =
            numbers.getMinusSCEV(numbers.getSCEV(use.pointer), numbers.getSCEV(use.root));
        return llvm::isa<llvm::SCEVCouldNotCompute>(distance) ||
               numbers.getUnsignedRangeMax(distance).ugt(*use.size - use.bytes);
    }

    llvm::Constant* text(const std::string& words, llvm::IRBuilder<>& builder) {
        llvm::Constant*& known = texts_[words];
        if (known == nullptr) {
            known = builder.CreateGlobalStringPtr(words, "ascendsim_file", 0, &module_);
        }
        return known;
    }

    /// What the optimiser made of one load or store, by unrolling a loop, is one place.
    llvm::GlobalVariable* site_of(const PlainUse& use, llvm::IRBuilder<>& builder) {
        llvm::GlobalVariable*& known =
            sites_[{use.instruction->getDebugLoc().get(), use.root, use.bytes, use.write}];
        if (known == nullptr) {
            known = made_site(use, builder);
        }
        return known;
    }

    llvm::GlobalVariable* made_site(const PlainUse& use, llvm::IRBuilder<>& builder) {
        const auto number = [](llvm::Type* type, std::uint64_t value) {
            return llvm::ConstantInt::get(type, value);
        };
        llvm::Constant* fields =
            llvm::ConstantStruct::get(site_,
                                      {number(word_, 0),
                                       number(word_, 0),
                                       number(word_, 0),
                                       number(word_, 0),
                                       llvm::Constant::getNullValue(address_),
                                       llvm::Constant::getNullValue(address_),
                                       text(use.file, builder),
                                       number(half_, use.line),
                                       number(half_, use.bytes),
                                       number(half_, use.align << 16U | (use.write ? 1U : 0U)),
                                       number(half_, 0)});
        return new llvm::GlobalVariable(
            module_, site_, false, llvm::GlobalValue::PrivateLinkage, fields, "ascendsim_plain_site");
    }

    llvm::MDNode* rarely() { return llvm::MDBuilder{context_}.createBranchWeights(1, 100000); }

    void compare_with_variable(const PlainUse& use, llvm::Value* site, llvm::IRBuilder<>& builder) {
        llvm::Value* size = llvm::ConstantInt::get(word_, *use.size);
        llvm::Value* bytes = use.length == nullptr ? llvm::ConstantInt::get(word_, use.bytes)
                                                   : builder.CreateZExtOrTrunc(use.length, word_);
        llvm::Value* offset = builder.CreateSub(builder.CreatePtrToInt(use.pointer, word_),
                                                builder.CreatePtrToInt(use.root, word_));
        llvm::Value* leaves =
            use.length == nullptr && use.bytes <= *use.size
                ? builder.CreateICmpUGT(offset, llvm::ConstantInt::get(word_, *use.size - use.bytes))
                : builder.CreateOr(builder.CreateICmpUGT(offset, size),
                                   builder.CreateICmpUGT(bytes, builder.CreateSub(size, offset)));
        builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(leaves, use.instruction, false, rarely()));
        builder.CreateCall(module_.getOrInsertFunction(
                               "ascendsim_array_access", builder.getVoidTy(), address_, word_, word_, word_),
                           {site, offset, bytes, size});
    }

    /// Whether it is not known that this access was seen since the site's runs were closed: one through the
    /// same root, to the same bytes, and that wrote if this one does (PlainSeen in
    /// models/port/plain_access.hpp).
    llvm::Value* not_seen(const PlainUse& use,
                          llvm::GlobalVariable* site,
                          llvm::Value* root,
                          llvm::Instruction* before) {
        constexpr std::uint64_t entries = 65536;  // PlainSeen::entries
        llvm::IRBuilder<> builder{before};
        const auto field = [&](unsigned i) { return builder.CreateStructGEP(site_, site, i); };
        llvm::Type* table = llvm::ArrayType::get(word_, entries);
        llvm::Value* address = builder.CreatePtrToInt(use.pointer, word_);
        llvm::Value* place = builder.CreateAnd(builder.CreateLShr(address, llvm::Log2_64(use.bytes)),
                                               llvm::ConstantInt::get(word_, entries - 1));
        llvm::Value* known =
            builder.CreateLoad(word_,
                               builder.CreateGEP(table,
                                                 module_.getOrInsertGlobal("ascendsim_plain_seen", table),
                                                 {llvm::ConstantInt::get(word_, 0), place}));
        llvm::Value* wanted = builder.CreateAdd(address, builder.CreateLoad(word_, field(3)));
        llvm::Value* differs = builder.CreateXor(known, wanted);
        if (!use.write) {  // the highest bit says that it wrote
            differs = builder.CreateShl(differs, 1);
        }
        return builder.CreateOr(builder.CreateIsNotNull(differs),
                                builder.CreateICmpNE(root, builder.CreateLoad(address_, field(4))));
    }

    void instrument(const PlainUse& use) {
        llvm::IRBuilder<> builder{use.instruction};
        llvm::GlobalVariable* site = site_of(use, builder);
        llvm::Value* site_address = llvm::ConstantExpr::getPointerCast(site, address_);
        llvm::Type* none = builder.getVoidTy();
        if (use.size) {
            return compare_with_variable(use, site_address, builder);
        }
        llvm::Value* pointer = builder.CreatePointerCast(use.pointer, address_);
        llvm::Value* root = builder.CreatePointerCast(use.root, address_);
        if (use.length != nullptr) {
            builder.CreateCall(module_.getOrInsertFunction(
                                   "ascendsim_plain_block", none, address_, address_, address_, word_),
                               {site_address, pointer, root, builder.CreateZExtOrTrunc(use.length, word_)});
            return;
        }
        const auto field = [&](unsigned i) { return builder.CreateStructGEP(site_, site, i); };
        llvm::Value* distance = builder.CreateSub(builder.CreatePtrToInt(use.pointer, word_),
                                                  builder.CreateLoad(word_, field(0)));
        llvm::Value* starts = builder.CreateLoad(word_, field(1));
        llvm::Value* unknown = builder.CreateICmpUGE(distance, starts);
        if (use.align > 1) {
            llvm::Value* rest = builder.CreateAnd(builder.CreatePtrToInt(use.pointer, word_),
                                                  llvm::ConstantInt::get(word_, use.align - 1));
            unknown = builder.CreateOr(unknown, builder.CreateIsNotNull(rest));
        }
        llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(unknown, use.instruction, false, rarely());
        if (llvm::isPowerOf2_64(use.bytes) && use.bytes <= most_element) {
            end = llvm::SplitBlockAndInsertIfThen(not_seen(use, site, root, end), end, false);
        }
        // Right behind the run, and within what it may come to?
        builder.SetInsertPoint(end);
        llvm::Value* behind = builder.CreateICmpEQ(
            distance, builder.CreateAdd(starts, llvm::ConstantInt::get(word_, use.bytes - 1)));
        llvm::Value* room = builder.CreateICmpULT(distance, builder.CreateLoad(word_, field(2)));
        llvm::Instruction* grow = nullptr;
        llvm::Instruction* ask = nullptr;
        llvm::SplitBlockAndInsertIfThenElse(builder.CreateAnd(behind, room), end, &grow, &ask);
        builder.SetInsertPoint(grow);
        builder.CreateStore(builder.CreateAdd(starts, llvm::ConstantInt::get(word_, use.bytes)), field(1));
        builder.SetInsertPoint(ask);
        builder.CreateCall(
            module_.getOrInsertFunction("ascendsim_plain_access", none, address_, address_, address_),
            {site_address, pointer, root});
    }

    llvm::Module& module_;
    const Places& places_;
    const llvm::DataLayout& layout_;
    llvm::LLVMContext& context_;
    llvm::Type* word_ = nullptr;
    llvm::Type* half_ = nullptr;
    llvm::PointerType* address_ = nullptr;
    llvm::StructType* site_ = nullptr;
    std::map<std::string, llvm::Constant*> texts_;
    std::map<std::tuple<const llvm::DILocation*, llvm::Value*, std::uint64_t, bool>, llvm::GlobalVariable*>
        sites_;
    const llvm::DILocation* last_ = nullptr;  // of the block's instructions so far that have a line
};

}  // namespace

llvm::PreservedAnalyses WatchPointers::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager& analyses) const {
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    Watch watch{module, kernels_place};
    bool any = false;
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) {
            continue;
        }
        any |= watch.run(function, [&]() -> llvm::ScalarEvolution& {
            return functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
        });
    }
    return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
