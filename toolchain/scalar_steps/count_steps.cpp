// SPDX-License-Identifier: Apache-2.0
// A pass of clang's that lets a kernel count its own scalar work. Everything between two calls of Ascend C
// (addresses, loop counters, branches) runs on the chip's scalar unit, but natively here, where the simulator
// cannot see it. So each basic block adds what it is worth to ascendsim_scalar_steps, and to
// ascendsim_scalar_divisions what of it are divisions (models/port/scalar_steps.hpp); the next operation of
// the core takes both along. It runs when everything is optimised: the vendor's compiler is built on LLVM
// too, and what the optimiser folds away here costs nothing there.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/Path.h>

#include "toolchain/scalar_steps/kernel_units.hpp"
#include "toolchain/scalar_steps/local_arrays.hpp"
#include "toolchain/scalar_steps/number_addresses.hpp"
#include "toolchain/scalar_steps/unset_values.hpp"
#include "toolchain/scalar_steps/watch_pointers.hpp"
#include "toolchain/scalar_steps/watch_subscripts.hpp"

namespace {

using Functions = llvm::SmallPtrSet<const llvm::DISubprogram*, 16>;

/// What is known of a module before the optimiser works on it.
struct Known {
    Functions folded;
    std::vector<std::string> uncounted;  // folders of the simulator's sources, each with a slash at its end
};

/// The functions marked KERNEL_FOLDED (kernels/shared/library_cost.h). To be asked before they are inlined
/// and gone.
Functions folded_functions(const llvm::Module& module) {
    Functions found;
    const llvm::GlobalVariable* list = module.getNamedGlobal("llvm.global.annotations");
    if (list == nullptr || !list->hasInitializer()) {
        return found;
    }
    for (const llvm::Use& entry : list->getInitializer()->operands()) {
        const auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(entry.get());
        const auto* function = llvm::dyn_cast<llvm::Function>(fields->getOperand(0)->stripPointerCasts());
        const auto* text = llvm::dyn_cast<llvm::GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
        const auto* word =
            text == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
        if (function != nullptr && word != nullptr && word->isCString() &&
            word->getAsCString() == "ascendsim.folded") {
            found.insert(function->getSubprogram());
        }
    }
    return found;
}

/// A file's path in full and without `..`.
std::string full_path(llvm::StringRef folder, llvm::StringRef file) {
    llvm::SmallString<256> path{file.startswith("/") ? file.str() : (folder + "/" + file).str()};
    llvm::sys::path::remove_dots(path, true);
    return path.str().str();
}

/// The compiler keeps apart what a file's folder has in common with the one it runs in.
std::string path_of(const llvm::DILocation& at) {
    return full_path(at.getDirectory(), at.getFilename());
}

/// The folders that ascendsim_uncounted names (models/port/entry.hpp).
std::vector<std::string> uncounted_folders(const llvm::Module& module) {
    std::vector<std::string> folders;
    for (const llvm::GlobalVariable& variable : module.globals()) {
        const auto* list = variable.getName().contains("ascendsim_uncounted") && variable.hasInitializer()
                               ? llvm::dyn_cast<llvm::ConstantDataArray>(variable.getInitializer())
                               : nullptr;
        if (list == nullptr || !list->isCString() || module.debug_compile_units().empty()) {
            continue;
        }
        const llvm::StringRef here = (*module.debug_compile_units().begin())->getDirectory();
        llvm::SmallVector<llvm::StringRef, 8> names;
        list->getAsCString().split(names, ':', -1, false);
        for (const llvm::StringRef name : names) {
            folders.push_back(full_path(here, name) + "/");
        }
    }
    return folders;
}

bool is_of_the_compiler(llvm::StringRef path) {
    return path.startswith("/usr/include/") || path.contains("/include/c++/") || path.contains("/lib/clang/");
}

bool is_of_the_simulator(llvm::StringRef path, const std::vector<std::string>& folders) {
    return llvm::any_of(folders, [path](const std::string& folder) { return path.startswith(folder); });
}

/// Where an instruction stands in the kernel's own text, or null. Where a header of the C++ library was
/// inlined, its caller decides. The line is 0 where the optimiser made one of several instructions.
const llvm::DILocation* kernels_place(const llvm::Instruction& instruction, const Known& known) {
    for (const llvm::DILocation* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
        const std::string file = path_of(*at);
        if (is_of_the_compiler(file)) {
            continue;
        }
        const bool own = !is_of_the_simulator(file, known.uncounted) &&
                         !known.folded.contains(at->getScope()->getSubprogram());
        return own ? at : nullptr;
    }
    return nullptr;
}

/// Whether a function is none of the framework's.
bool is_own(const llvm::DISubprogram& function, const Known& known) {
    return !is_of_the_simulator(full_path(function.getDirectory(), function.getFilename()),
                                known.uncounted) &&
           !known.folded.contains(&function);
}

/// The kernel's own line that an instruction stands in, or that calls what it was inlined from; or null.
const llvm::DILocation* callers_place(const llvm::Instruction& instruction, const Known& known) {
    for (const llvm::DILocation* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
        const llvm::DISubprogram* function = at->getScope()->getSubprogram();
        if (at->getLine() != 0 && is_own(*function, known) && !is_of_the_compiler(path_of(*at))) {
            return at;
        }
    }
    return nullptr;
}

/// Whether an instruction stands in the kernel's own text. What has no line belongs to nobody: stores of
/// arguments to the stack, or what the optimiser made of several instructions, of the simulator's too.
bool is_kernels_own(const llvm::Instruction& instruction, const Known& known) {
    const llvm::DILocation* at = kernels_place(instruction, known);
    return at != nullptr && at->getLine() != 0;
}

/// Whether a load or store reaches a member or a local variable: everything is inlined on the chip, where
/// those live in registers. Elements of arrays, whose index varies, do not.
bool is_register(const llvm::Value* pointer) {
    const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer->stripPointerCasts());
    return address == nullptr ||
           (address->hasAllConstantIndices() && is_register(address->getPointerOperand()));
}

/// Minimum, maximum and the like; what marks lifetimes or copies a structure is not.
bool is_arithmetic(const llvm::IntrinsicInst& call) {
    return call.getType()->isIntOrIntVectorTy() || call.getType()->isFPOrFPVectorTy();
}

/// The division whose remainder `remainder` is, if the kernel takes both: a remainder is then a product and a
/// difference.
bool has_quotient(const llvm::Instruction& remainder) {
    const unsigned wanted =
        remainder.getOpcode() == llvm::Instruction::URem ? llvm::Instruction::UDiv : llvm::Instruction::SDiv;
    for (const llvm::User* user : remainder.getOperand(1)->users()) {
        const auto* other = llvm::dyn_cast<llvm::Instruction>(user);
        if (other != nullptr && other->getOpcode() == wanted &&
            other->getOperand(0) == remainder.getOperand(0) &&
            other->getOperand(1) == remainder.getOperand(1)) {
            return true;
        }
    }
    return false;
}

bool is_loop_of_its_own(const llvm::BranchInst& branch) {
    return !branch.isConditional() && branch.getSuccessor(0) == branch.getParent();
}

/// What a part of a kernel executes: instructions, and the divisions among them.
struct Worth {
    std::uint64_t steps = 0;
    std::uint64_t divisions = 0;
};

/// What an instruction costs, in steps of one cycle; divisions are counted apart. Calls cost nothing:
/// functions of a kernel's own are inlined on the chip, those of the framework issue operations, which have
/// costs of their own. Nor do jumps, which the layout of code saves, but for the one that is all of an
/// endless loop.
Worth worth(const llvm::Instruction& instruction) {
    constexpr Worth division{1, 1};
    constexpr Worth by_constant{3};  // a product, a shift, a correction
    constexpr Worth simple{1};
    constexpr Worth nothing{};
    switch (instruction.getOpcode()) {
        case llvm::Instruction::URem:
        case llvm::Instruction::SRem:
            if (has_quotient(instruction)) {
                return {2};
            }
            [[fallthrough]];
        case llvm::Instruction::UDiv:
        case llvm::Instruction::SDiv:
            return llvm::isa<llvm::Constant>(instruction.getOperand(1)) ? by_constant : division;
        case llvm::Instruction::Br: {
            const auto& branch = llvm::cast<llvm::BranchInst>(instruction);
            return branch.isConditional() || is_loop_of_its_own(branch) ? simple : nothing;
        }
        case llvm::Instruction::Switch:
        case llvm::Instruction::ICmp:
        case llvm::Instruction::FCmp:
        case llvm::Instruction::Select:
            return simple;
        case llvm::Instruction::Load:
        case llvm::Instruction::Store:
            return is_register(llvm::getLoadStorePointerOperand(&instruction)) ? nothing : simple;
        case llvm::Instruction::GetElementPtr:
            return llvm::cast<llvm::GetElementPtrInst>(instruction).hasAllConstantIndices() ? nothing
                                                                                            : simple;
        case llvm::Instruction::Call: {
            const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            return intrinsic != nullptr && is_arithmetic(*intrinsic) ? simple : nothing;
        }
        default:
            return instruction.isBinaryOp() || instruction.isUnaryOp() ? simple : nothing;
    }
}

/// What a pass through `block` adds.
Worth worth(const llvm::BasicBlock& block, const Known& known) {
    Worth sum;
    for (const llvm::Instruction& instruction : block) {
        const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
        if (is_kernels_own(instruction, known) || (branch != nullptr && is_loop_of_its_own(*branch))) {
            const Worth one = worth(instruction);
            sum.steps += one.steps;
            sum.divisions += one.divisions;
        }
    }
    return sum;
}

bool has_line(const llvm::DebugLoc& at) {
    return at && at.getLine() != 0;
}

/// A place for what is added to a block: of its first instruction that has one, or of what leads to it.
llvm::DebugLoc place_of(const llvm::BasicBlock& block) {
    for (const llvm::Instruction& instruction : block) {
        if (has_line(instruction.getDebugLoc())) {
            return instruction.getDebugLoc();
        }
    }
    for (const llvm::BasicBlock* before : llvm::predecessors(&block)) {
        if (has_line(before->getTerminator()->getDebugLoc())) {
            return before->getTerminator()->getDebugLoc();
        }
    }
    return {};
}

/// Has `block` add `amount` to a counter of 64 bits.
void add(llvm::BasicBlock& block, const char* counter, std::uint64_t amount) {
    if (amount == 0) {
        return;
    }
    llvm::IRBuilder<> builder{&block, block.getFirstInsertionPt()};
    builder.SetCurrentDebugLocation(place_of(block));
    llvm::Type* word = builder.getInt64Ty();
    llvm::Value* place = block.getModule()->getOrInsertGlobal(counter, word);
    llvm::Value* before = builder.CreateLoad(word, place);
    builder.CreateStore(builder.CreateAdd(before, llvm::ConstantInt::get(word, amount)), place);
}

struct FindFolded : llvm::PassInfoMixin<FindFolded> {
    std::shared_ptr<Known> known;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) const {
        *known = {folded_functions(module), uncounted_folders(module)};
        if (known->uncounted.empty()) {
            module.getContext().emitError(
                "scalar_steps: the module does not define ascendsim_uncounted (models/port/entry.hpp)");
        }
        return llvm::PreservedAnalyses::all();
    }
};

struct CountSteps : llvm::PassInfoMixin<CountSteps> {
    std::shared_ptr<Known> known;

    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) const {
        for (llvm::Function& function : module) {
            for (llvm::BasicBlock& block : function) {
                const Worth sum = worth(block, *known);
                add(block, "ascendsim_scalar_steps", sum.steps);
                add(block, "ascendsim_scalar_divisions", sum.divisions);
            }
        }
        return llvm::PreservedAnalyses::none();
    }
};

void register_passes(llvm::PassBuilder& builder) {
    const auto known = std::make_shared<Known>();
    const auto types = std::make_shared<MarkedTypes>();
    const auto subscripts = std::make_shared<Subscripts>();
    const auto own = [known](const llvm::DISubprogram& function) { return is_own(function, *known); };
    builder.registerPipelineStartEPCallback(
        [known, own, types, subscripts](llvm::ModulePassManager& passes, llvm::OptimizationLevel /*level*/) {
            passes.addPass(FindFolded{{}, known});
            passes.addPass(NoteSubscripts{{}, own, subscripts});
            passes.addPass(MarkUnset{{}, own, types});
        });
    builder.registerOptimizerLastEPCallback(
        [known, own, types, subscripts](llvm::ModulePassManager& passes, llvm::OptimizationLevel /*level*/) {
            passes.addPass(CountSteps{{}, known});
            passes.addPass(TellUnset{
                {},
                own,
                [known](const llvm::Instruction& instruction) { return callers_place(instruction, *known); },
                types});
            passes.addPass(WatchSubscripts{
                {},
                [known](const llvm::Instruction& instruction) { return callers_place(instruction, *known); },
                subscripts});
            passes.addPass(WatchPointers{{}, [known](const llvm::Instruction& instruction) {
                                             return kernels_place(instruction, *known);
                                         }});
            passes.addPass(WatchArrays{{}, [known](const llvm::Instruction& instruction) {
                                           return kernels_place(instruction, *known);
                                       }});
            passes.addPass(PlaceNumbers{{}, [known](const llvm::Instruction& instruction) {
                                            return kernels_place(instruction, *known) != nullptr;
                                        }});
            passes.addPass(NameUnits{});
        });
}

}  // namespace

/// What clang looks up in the file that -fpass-plugin names.
extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "ascendsim-scalar-steps", "1", register_passes};
}
