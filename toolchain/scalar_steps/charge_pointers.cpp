// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/charge_pointers.hpp"

#include <algorithm>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace {

/// Accesses that are charged as one: bytes [begin, end) from `base`, or `first` as it stands.
struct Charged {
    const PlainCharge* first = nullptr;
    llvm::Value* base = nullptr;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// Whether something happens from one instruction of a block up to a later one in which others may run, or
/// the cache be emptied.
bool calls_between(const llvm::Instruction& from, const llvm::Instruction& to) {
    for (const llvm::Instruction* one = &from; one != nullptr && one != &to; one = one->getNextNode()) {
        if (llvm::isa<llvm::CallBase>(one) && !llvm::isa<llvm::IntrinsicInst>(one)) {
            return true;
        }
    }
    return false;
}

/// Whether a pointer may be to an object whose fields are accessed at constant offsets. One that a loop
/// computes is to an element: what unrolling has put side by side stays as many accesses.
bool is_of_an_object(const llvm::Value* base) {
    return !llvm::isa<llvm::PHINode>(base) && !llvm::isa<llvm::GetElementPtrInst>(base);
}

class Charges {
public:
    explicit Charges(llvm::Module& module) : module_{module}, layout_{module.getDataLayout()} {}

    [[nodiscard]] std::vector<Charged> gathered(const std::vector<PlainCharge>& charges) const {
        std::vector<Charged> all;
        std::vector<std::size_t> open;  // of this block, that may still grow
        const llvm::Instruction* last = nullptr;
        for (const PlainCharge& one : charges) {
            if (last == nullptr || last->getParent() != one.instruction->getParent() ||
                calls_between(*last, *one.instruction)) {
                open.clear();
            }
            last = one.instruction;
            const Charged fresh = placed(one);
            const auto joins = [&](std::size_t i) { return join(all[i], fresh); };
            if (llvm::none_of(open, joins)) {
                all.push_back(fresh);
                if (fresh.base != nullptr) {
                    open.push_back(all.size() - 1);
                }
            }
        }
        return all;
    }

    void add(const Charged& charged) {
        const PlainCharge& at = *charged.first;
        llvm::IRBuilder<> builder{at.instruction};
        llvm::Type* word = builder.getInt64Ty();
        llvm::PointerType* address = builder.getInt8PtrTy();
        llvm::Value* pointer =
            builder.CreatePointerCast(charged.base == nullptr ? at.pointer : charged.base, address);
        llvm::Value* bytes =
            at.length == nullptr ? builder.getInt64(at.bytes) : builder.CreateZExtOrTrunc(at.length, word);
        if (charged.base != nullptr) {
            pointer = builder.CreateGEP(
                builder.getInt8Ty(), pointer, builder.getInt64(static_cast<std::uint64_t>(charged.begin)));
            bytes = builder.getInt64(static_cast<std::uint64_t>(charged.end - charged.begin));
        }
        const auto number = [&](const char* name) {
            return builder.CreateLoad(word, module_.getOrInsertGlobal(name, word));
        };
        llvm::Value* distance =
            builder.CreateSub(builder.CreatePtrToInt(pointer, word), number("ascendsim_global_begin"));
        llvm::Value* leads = builder.CreateICmpULT(distance, number("ascendsim_global_bytes"));
        builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(leads, at.instruction, false));
        builder.CreateCall(
            module_.getOrInsertFunction("ascendsim_pointer_access",
                                        builder.getVoidTy(),
                                        address,
                                        word,
                                        builder.getInt32Ty(),
                                        address,
                                        builder.getInt32Ty()),
            {pointer, bytes, builder.getInt32(at.write ? 1 : 0), at.file, builder.getInt32(at.line)});
    }

private:
    [[nodiscard]] Charged placed(const PlainCharge& one) const {
        llvm::APInt offset{layout_.getIndexTypeSizeInBits(one.pointer->getType()), 0};
        llvm::Value* base = one.pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
        if (one.length != nullptr || !is_of_an_object(base)) {
            return {.first = &one};
        }
        const std::int64_t begin = offset.getSExtValue();
        return {
            .first = &one, .base = base, .begin = begin, .end = begin + static_cast<std::int64_t>(one.bytes)};
    }

    /// Lets `known` grow by `more` if both are of one object and near each other.
    static bool join(Charged& known, const Charged& more) {
        constexpr std::int64_t line = 64;  // B; a gap this large may be a line that nobody touches
        if (more.base == nullptr || known.base != more.base || known.first->write != more.first->write ||
            more.begin > known.end + line || known.begin > more.end + line) {
            return false;
        }
        known.begin = std::min(known.begin, more.begin);
        known.end = std::max(known.end, more.end);
        return true;
    }

    llvm::Module& module_;
    const llvm::DataLayout& layout_;
};

}  // namespace

void charge_pointers(llvm::Module& module, const std::vector<PlainCharge>& charges) {
    Charges all{module};
    for (const Charged& one : all.gathered(charges)) {
        all.add(one);
    }
}
