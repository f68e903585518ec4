// SPDX-License-Identifier: Apache-2.0
// A pass of clang's over the host's code of a program. Threads of such a program run one at a time, each with
// a clock of its own (runtime/acl/host_threads.hpp). One that waits for an atomic value with nothing but a
// loop around it would keep its turn for ever. So whatever looks at a value that threads share, or changes
// it, tells the simulator (runtime/acl/threads/value_calls.cpp). It runs when everything is optimised, so
// that it hinders no optimisation but that of looks at atomic values, and so that loops are as short as they
// get.
#include <cstdint>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

namespace {

/// The widest value that the simulator compares.
constexpr std::uint64_t most_bytes = 16;

/// An access to a value that threads share.
struct Access {
    llvm::Instruction* instruction = nullptr;
    llvm::Value* place = nullptr;
    std::uint64_t bytes = 0;
    bool changes = false;
    bool loops = false;
};

/// The compiler's own notes of whether a static variable of a function has its value.
bool is_guard(const llvm::Value* place) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(place->stripPointerCasts());
    return variable != nullptr && variable->getName().startswith("_ZGV");
}

Access access_of(llvm::Instruction& instruction) {
    const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
    Access access;
    llvm::Type* type = nullptr;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (load->isAtomic() || load->isVolatile()) {
            access = {load, load->getPointerOperand()};
            type = load->getType();
        }
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (store->isAtomic() || store->isVolatile()) {
            access = {store, store->getPointerOperand(), 0, true};
            type = store->getValueOperand()->getType();
        }
    } else if (auto* both = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        access = {both, both->getPointerOperand(), 0, true};
        type = both->getValOperand()->getType();
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        access = {exchange, exchange->getPointerOperand(), 0, true};
        type = exchange->getCompareOperand()->getType();
    }
    if (type != nullptr) {
        access.bytes = layout.getTypeStoreSize(type).getFixedSize();
    }
    if (access.bytes == 0 || access.bytes > most_bytes || is_guard(access.place)) {
        return {};
    }
    return access;
}

/// A call that leaves everything as it is: a pause, or a word to the compiler.
bool is_harmless(const llvm::CallBase& call) {
    if (const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
        const llvm::StringRef words = llvm::StringRef{text->getAsmString()}.trim();
        return words.empty() || words.contains("pause") || words.contains("nop") || words == "yield";
    }
    const llvm::Function* function = call.getCalledFunction();
    if (function == nullptr || !function->isIntrinsic()) {
        return false;
    }
    const llvm::StringRef name = function->getName();
    return !call.mayHaveSideEffects() || llvm::isa<llvm::DbgInfoIntrinsic>(call) ||
           name.startswith("llvm.x86.sse2.pause") || name.startswith("llvm.aarch64.hint") ||
           name.startswith("llvm.lifetime");
}

/// True for a loop in which nothing goes on but looking at shared values: each round is like the one before,
/// until one of them is another.
bool only_looks(const llvm::Loop& loop) {
    for (const llvm::BasicBlock* block : loop.blocks()) {
        for (const llvm::Instruction& instruction : *block) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            const bool goes_on = (llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader()) ||
                                 (llvm::isa<llvm::StoreInst>(instruction)) ||
                                 (call != nullptr && !is_harmless(*call));
            const bool allowed =
                llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::AtomicRMWInst>(instruction) ||
                llvm::isa<llvm::AtomicCmpXchgInst>(instruction) || llvm::isa<llvm::FenceInst>(instruction) ||
                call != nullptr || !instruction.mayHaveSideEffects();
            if (goes_on || !allowed) {
                return false;
            }
        }
    }
    return true;
}

class Words {
public:
    explicit Words(llvm::Module& module) : module_{module} {}

    /// In front of a look at a value: void ascendsim_look_at(place, bytes, loops).
    void look(const Access& access) const {
        llvm::IRBuilder<> builder{access.instruction};
        call(builder, "ascendsim_look_at", access, true);
    }

    /// In a loop without a way out, which waits for what never comes: the optimiser knows that nobody else
    /// has the value.
    void look_for_ever(llvm::BasicBlock& block) const {
        llvm::IRBuilder<> builder{&block, block.getFirstInsertionPt()};
        for (const llvm::Instruction& instruction : block) {
            if (instruction.getDebugLoc()) {
                builder.SetCurrentDebugLocation(instruction.getDebugLoc());
            }
        }
        llvm::Type* byte = builder.getInt8Ty();
        auto* never = new llvm::GlobalVariable{module_,
                                               byte,
                                               true,
                                               llvm::GlobalValue::PrivateLinkage,
                                               llvm::ConstantInt::get(byte, 0),
                                               "ascendsim_never"};
        call(builder, "ascendsim_look_at", {nullptr, never, 1, false, true}, true);
    }

    /// Around a change of one.
    void change(const Access& access) const {
        llvm::IRBuilder<> before{access.instruction};
        call(before, "ascendsim_before_change", access, false);
        llvm::IRBuilder<> after{access.instruction->getNextNode()};
        after.SetCurrentDebugLocation(access.instruction->getDebugLoc());
        call(after, "ascendsim_after_change", access, true);
    }

private:
    void call(llvm::IRBuilder<>& builder, const char* name, const Access& access, bool with_loops) const {
        std::vector<llvm::Type*> types{builder.getInt8PtrTy(), builder.getInt32Ty()};
        std::vector<llvm::Value*> values{
            builder.CreatePointerBitCastOrAddrSpaceCast(access.place, types.front()),
            builder.getInt32(static_cast<std::uint32_t>(access.bytes))};
        if (with_loops) {
            types.push_back(builder.getInt32Ty());
            values.push_back(builder.getInt32(access.loops ? 1 : 0));
        }
        builder.CreateCall(
            module_.getOrInsertFunction(name, llvm::FunctionType::get(builder.getVoidTy(), types, false)),
            values);
    }

    llvm::Module& module_;
};

struct WatchValues : llvm::PassInfoMixin<WatchValues> {
    static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
        auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
        std::vector<Access> found;
        std::vector<llvm::BasicBlock*> endless;
        for (llvm::Function& function : module) {
            if (function.isDeclaration()) {
                continue;
            }
            const auto& loops = functions.getResult<llvm::LoopAnalysis>(function);
            for (const llvm::Loop* loop : loops) {
                if (loop->hasNoExitBlocks() && only_looks(*loop)) {
                    endless.push_back(loop->getHeader());
                }
            }
            for (llvm::BasicBlock& block : function) {
                const llvm::Loop* loop = loops.getLoopFor(&block);
                for (llvm::Instruction& instruction : block) {
                    if (Access access = access_of(instruction); access.instruction != nullptr) {
                        access.loops = loop != nullptr && only_looks(*loop);
                        found.push_back(access);
                    }
                }
            }
        }
        const Words words{module};
        for (const Access& access : found) {
            access.changes ? words.change(access) : words.look(access);
        }
        for (llvm::BasicBlock* block : endless) {
            words.look_for_ever(*block);
        }
        return found.empty() && endless.empty() ? llvm::PreservedAnalyses::all()
                                                : llvm::PreservedAnalyses::none();
    }
};

/// Keeps looks at atomic values: those at a variable that no other function knows would be taken out, and a
/// loop around one would be left that tells nobody.
class KeepLooks : public llvm::PassInfoMixin<KeepLooks> {
public:
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) {  // NOLINT
        for (llvm::Function& function : module) {
            for (llvm::BasicBlock& block : function) {
                for (llvm::Instruction& instruction : block) {
                    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
                        load != nullptr && load->isAtomic()) {
                        load->setVolatile(true);
                    }
                }
            }
        }
        return llvm::PreservedAnalyses::none();
    }
};

void register_pass(llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel /*level*/) {
            passes.addPass(KeepLooks{});
        });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel /*level*/) {
            passes.addPass(WatchValues{});
        });
}

}  // namespace

/// What clang looks up in the file that -fpass-plugin names.
extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "ascendsim-shared-values", "1", register_pass};
}
