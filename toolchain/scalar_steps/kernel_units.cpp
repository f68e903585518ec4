// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scalar_steps/kernel_units.hpp"

#include <cstdint>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace {

constexpr std::uint32_t uses_cube = 1;
constexpr std::uint32_t uses_vector = 2;

/// What the function that an instruction of the simulator runs in says of the unit, by parts of its mangled
/// name. The cube's counts in passes for cube cores, the vector unit's (whatever reaches the unified buffer,
/// or waits for others) in those for vector cores.
std::uint32_t units_of(llvm::StringRef name) {
    if (!name.contains("9ascendsim3isa")) {
        return 0;
    }
    if (name.contains("4Mmad7execute") || name.contains("10MmadSparse7execute")) {
        return uses_cube;
    }
    for (const char* part :
         {"7copy_in", "8copy_out", "14copy_in_padded", "14copy_out_bytes", "5lanes", "14cross_core_set"}) {
        if (name.contains((llvm::Twine("3isa") + part).str())) {
            return uses_vector;
        }
    }
    return 0;
}

/// The functions that others lead to.
class Reach {
public:
    void add(const llvm::Function& function) {
        if (!seen_.insert(&function).second) {
            return;
        }
        units |= units_of(function.getName());
        if (!function.isDeclaration()) {
            for (const llvm::Instruction& instruction : llvm::instructions(function)) {
                for (const llvm::Use& operand : instruction.operands()) {
                    follow(operand.get());
                }
            }
        } else if (!function.isIntrinsic() && !function.getName().contains("9ascendsim")) {
            outside.push_back(&function);
        }
    }

    std::uint32_t units = 0;
    std::vector<const llvm::Function*> outside;  // of other files of the program, or of a library

private:
    /// Functions in constants: taken addresses, tables of virtual functions.
    void follow(const llvm::Value* value) {
        const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
        if (constant == nullptr || llvm::isa<llvm::ConstantData>(constant)) {
            return;
        }
        if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
            add(*function);
            return;
        }
        if (!constants_.insert(constant).second) {
            return;
        }
        if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant);
            variable != nullptr && variable->hasInitializer() && !variable->hasSection()) {
            follow(variable->getInitializer());
        }
        for (const llvm::Use& operand : constant->operands()) {
            follow(operand.get());
        }
    }

    llvm::SmallPtrSet<const llvm::Function*, 32> seen_;
    llvm::SmallPtrSet<const llvm::Constant*, 32> constants_;
};

/// Functions that a record of a launch calls, and those that other files can.
std::vector<llvm::Function*> callable(llvm::Module& module) {
    llvm::SmallPtrSet<const llvm::Function*, 16> called;
    for (const llvm::GlobalVariable& variable : module.globals()) {
        if (variable.getSection() == "ascendsim_calls" && variable.hasInitializer()) {
            for (const llvm::Use& operand : variable.getInitializer()->operands()) {
                if (const auto* function = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts())) {
                    called.insert(function);
                }
            }
        }
    }
    std::vector<llvm::Function*> found;
    for (llvm::Function& function : module) {
        if (!function.isDeclaration() && (called.contains(&function) || function.hasExternalLinkage())) {
            found.push_back(&function);
        }
    }
    return found;
}

/// Programs are compiled behind runtime/acl/launch.hpp, which leaves this word.
bool is_program(const llvm::Module& module) {
    return llvm::any_of(module.globals(), [](const llvm::GlobalVariable& variable) {
        return variable.getName().contains("ascendsim_notes_units");
    });
}

}  // namespace

llvm::PreservedAnalyses NameUnits::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& /*analyses*/) const {
    if (!is_program(module)) {
        return llvm::PreservedAnalyses::all();
    }
    auto* address = llvm::Type::getInt8PtrTy(module.getContext());
    auto* word = llvm::Type::getInt32Ty(module.getContext());
    auto* record = llvm::StructType::get(address, word, word, address->getPointerTo());
    std::vector<llvm::GlobalValue*> kept;
    for (llvm::Function* function : callable(module)) {
        Reach reach;
        reach.add(*function);
        std::vector<llvm::Constant*> others;
        for (const llvm::Function* other : reach.outside) {
            others.push_back(llvm::ConstantExpr::getPointerCast(const_cast<llvm::Function*>(other), address));
        }
        auto* list_type = llvm::ArrayType::get(address, others.size());
        auto* list = new llvm::GlobalVariable(module,
                                              list_type,
                                              true,
                                              llvm::GlobalValue::PrivateLinkage,
                                              llvm::ConstantArray::get(list_type, others),
                                              "ascendsim_outside");
        auto* entry = new llvm::GlobalVariable(
            module,
            record,
            true,
            llvm::GlobalValue::PrivateLinkage,
            llvm::ConstantStruct::get(record,
                                      {llvm::ConstantExpr::getPointerCast(function, address),
                                       llvm::ConstantInt::get(word, reach.units),
                                       llvm::ConstantInt::get(word, others.size()),
                                       llvm::ConstantExpr::getPointerCast(list, address->getPointerTo())}),
            "ascendsim_unit");
        entry->setSection("ascendsim_units");
        entry->setAlignment(llvm::Align(sizeof(void*)));  // read as an array: no gaps
        kept.push_back(entry);
    }
    llvm::appendToUsed(module, kept);
    return llvm::PreservedAnalyses::none();
}
