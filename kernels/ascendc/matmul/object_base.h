// SPDX-License-Identifier: Apache-2.0
// What a Matmul object holds, and how its requests reach the engine: at once on a cube core, by messages from
// a vector core.
#pragma once

#include "kernels/ascendc/matmul/batches.h"
#include "kernels/ascendc/matmul/client.h"
#include "kernels/ascendc/matmul/engine.h"
#include "kernels/ascendc/matmul/server.h"
#include "models/port/call_mark.hpp"

namespace AscendC::matmul_detail {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG, class MM_CB>
class ObjectBase {
public:
    using Engine = matmul_detail::Engine<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
    using SrcAT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using SrcT = SrcAT;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    using L0cT = typename Engine::Sum;
    static constexpr MatmulConfig config = Engine::config;
    static constexpr bool direct = has_cube_unit;  // this core multiplies itself
    // The cube core runs the kernel's own code too, beside the vector cores.
    static constexpr bool dual_master = config.enableMixDualMaster;

    ObjectBase() = default;
    ObjectBase(const ObjectBase&) = delete;

    /// One object has one engine, on the cube core; kernels that choose between objects by value stop here.
    ObjectBase& operator=(const ObjectBase&) {
        ascendsim::isa::not_implemented("assignment of a Matmul object", Site{});
        return *this;
    }

    /// REGIST_MATMUL_OBJ: the object's number among those of the kernel.
    void Register(uint8_t object) {
        sub_block_ = static_cast<uint8_t>(AscendC::GetSubBlockIdx());
        object_ = object;
        client_.Register(object);
        registered_ = true;
    }

    /// The address that Serve takes.
    static void* Root(ObjectBase& object) { return &object; }

    /// On the cube core: does what a vector core asked for.
    static void Serve(void* object, uint32_t sub, const Message& message) {
        static_cast<ObjectBase*>(object)->Do(sub, message);
    }

    void Init(const TCubeTiling* __restrict cubeTiling, TPipe* tpipe = nullptr, Site site = Site::here()) {
        Adopt(cubeTiling, tpipe == nullptr ? *GetTPipePtr() : *tpipe, site);
        if constexpr (!direct && !dual_master) {
            if (registered_) {
                client_.SendTiling(tiling_, site);
            }
        }
    }

    /// Takes a tiling that the cube core, if it is another, has too.
    void Adopt(const TCubeTiling* cubeTiling, TPipe& pipe, Site site) {
        const ascendsim::isa::CallMark scope{site};
        tiling_ = Merged<MM_CFG>(cubeTiling);
        args_.Shape(tiling_);
        Restart();
        if constexpr (direct) {
            engine_.Init(tiling_, pipe, site);
        }
    }

    void End() {
        Restart();
        pending_ = false;
        if constexpr (direct) {
            engine_.Drain();
        }
    }

protected:
    // ---- operands ----

    /// A transposed operand needs ISTRANS of its MatmulType: L1 has no room for it else, and the chip's
    /// result is documented to be wrong.
    template <class TYPE>
    static void RequireTransposable(const char* call, bool transpose, Site site) {
        if (transpose && !TYPE::isTrans) {
            ascendsim::isa::kernel_fault(
                call, "the operand is to be transposed, but ISTRANS of its MatmulType is false", site);
        }
    }

    /// Results on their way to the unified buffer are copied, never added up.
    static void RequireNoAtomic(const char* call, uint8_t atomic, Site site) {
        if (atomic != 0) {
            ascendsim::isa::kernel_fault(
                call,
                "a result for the unified buffer is copied and never added up: enAtomic has to be 0",
                site);
        }
    }

    /// With an outer product one Iterate multiplies two blocks, which differs where their order is the
    /// caller's.
    static void RequireInnerProduct(const char* call, Site site) {
        if constexpr (config.scheduleType == ScheduleType::OUTER_PRODUCT) {
            ascendsim::isa::not_implemented(call, site);
        }
    }

    void SetGlobal(Operand& operand, const void* address, bool transpose, bool shared) {
        operand = {};
        operand.place = Place::gm;
        operand.transpose = transpose;
        operand.value = reinterpret_cast<uint64_t>(address);
        // Both vector cores of a group may use what one of them brought to L1, if the operand says so.
        operand.version = ++version_ * 2 + (shared ? 0U : sub_block_ % 2U);
        Restart();
    }

    template <typename T>
    void SetLocal(Operand& operand, LocalTensor<T>& kept, const LocalTensor<T>& tensor, bool transpose) {
        operand = {};
        operand.transpose = transpose;
        operand.version = ++version_ * 2 + sub_block_ % 2U;
        if (tensor.Memory() == ascendsim::Memory::l1) {
            if constexpr (!direct) {
                ascendsim::isa::not_implemented("a Matmul operand in L1, set by a vector core", Site::here());
            }
            operand.place = Place::l1;
            operand.value = tensor.address_.bufferAddr;
        } else {
            operand.place = Place::gm;  // by way of global memory, when the shape is known
            kept = tensor;
        }
        Restart();
    }

    template <typename T>
    void SetScalar(Operand& operand, T value) {
        operand = {};
        operand.place = Place::scalar;
        operand.version = ++version_ * 2 + sub_block_ % 2U;
        __builtin_memcpy(&operand.value, static_cast<const void*>(&value), sizeof(T));
        Restart();
    }

    // Brings operands that lie in the unified buffer to where the cube core can read them.
    void Stage(Site site) {
        if constexpr (!direct) {
            const auto m = static_cast<uint64_t>(args_.single_m);
            const auto n = static_cast<uint64_t>(args_.single_n);
            const auto k = static_cast<uint64_t>(args_.single_k);
            StageOne<A_TYPE>(args_.a, local_a_, m, k, 0, site);
            StageOne<B_TYPE>(args_.b, local_b_, n, k, 1, site);
            if (local_bias_.address_.dataLen != 0) {
                args_.bias.value = client_.Stage(local_bias_, n, 2, site);
                local_bias_ = {};
            }
        }
    }

    // ---- shapes ----

    void Restart() {
        next_block_ = 0;
        asked_ = false;
    }

    [[nodiscard]] BlockOrder Order() const { return {args_, tiling_}; }

    /// Turns to the next block that is multiplied. False if there is none left.
    bool NextBlock() {
        const BlockOrder order = Order();
        next_block_ = order.From(next_block_);
        if (next_block_ >= order.Count()) {
            Restart();
            return false;
        }
        return true;
    }

    [[nodiscard]] int64_t Pitch() const { return args_.org_kc != 0 ? args_.org_kc : args_.org_n; }

    [[nodiscard]] static int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

    [[nodiscard]] static Destination To(const GlobalTensor<DstT>& gm, uint8_t atomic, bool sequential) {
        Destination to;
        to.address = reinterpret_cast<uint64_t>(gm.GetPhyAddr());
        to.atomic = atomic;
        to.sequential = sequential;
        return to;
    }

    [[nodiscard]] uint64_t BlockBytes() const {
        return BytesOf<DstT>(static_cast<uint64_t>(tiling_.baseM) * static_cast<uint64_t>(tiling_.baseN));
    }

    // ---- requests ----

    void SendCompute(Site site) {
        Request request;
        request.verb = Verb::compute;
        request.partial = pending_partial_;
        request.block = block_;
        request.arguments = pending_args_;
        pending_ = false;
        client_.Ask(request, site);
    }

    void SendGet(const Destination& to, Site site) {
        Request request;
        request.verb = Verb::compute_and_get;
        request.partial = pending_partial_;
        request.block = block_;
        request.notify = true;
        request.to = to;
        request.arguments = pending_args_;
        pending_ = false;
        client_.Ask(request, site);
    }

    template <bool sync>
    void RunAll(Request& request, Site site) {
        const ascendsim::isa::CallMark scope{site};
        if constexpr (direct) {
            if (!request.fake) {
                engine_.Set(args_);
                engine_.All(request.to, [](int32_t) {});
            }
            if constexpr (dual_master) {
                for (uint32_t sub = 0; sub < ascendsim::isa::CorePort::current().identity().task_ratio;
                     ++sub) {
                    Answer(sub, site);
                }
            }
        } else {
            client_.Require("IterateAll", site);
            if constexpr (dual_master) {
                client_.Expect(1);
            } else {
                Stage(site);
                request.verb = Verb::all;
                request.arguments = args_;
                client_.Ask(request, site);
            }
            if constexpr (sync) {
                client_.AwaitAll(site);
            }
        }
        Restart();
    }

    void RunBatch(Request& request, bool sync, Site site) {
        const ascendsim::isa::CallMark scope{site};
        request.verb = Verb::batch;
        request.arguments = args_;
        if constexpr (direct) {
            RunBatches<A_TYPE, B_TYPE, C_TYPE>(engine_, request, 0, [](int32_t) {});
        } else {
            client_.Require("IterateBatch", site);
            StageBatch(request, site);
            request.arguments = args_;
            client_.Ask(request, site);
            if (request.each_block) {
                client_.Expect(static_cast<uint64_t>(request.batch_loops));
            }
            if (sync) {
                client_.AwaitAll(site);
            }
        }
    }

    void AwaitOne(Site site) {
        if constexpr (!direct) {
            client_.AwaitOne(site);
        }
    }

    Arguments args_;
    Arguments pending_args_;
    TCubeTiling tiling_;
    Engine engine_;
    Client client_;
    LocalTensor<SrcAT> local_a_;
    LocalTensor<SrcBT> local_b_;
    LocalTensor<BiasT> local_bias_;
    uint64_t version_ = 0;
    uint64_t workspace_ = 0;
    int32_t next_block_ = 0;
    int32_t block_ = 0;
    int32_t async_block_ = 0;
    bool async_ = false;
    bool asked_ = false;  // an asynchronous Iterate has asked for all blocks
    bool pending_ = false;
    bool pending_partial_ = false;
    bool registered_ = false;
    uint8_t object_ = 0;
    uint8_t sub_block_ = 0;

private:
    template <class TYPE, typename T>
    void StageOne(
        Operand& operand, LocalTensor<T>& kept, uint64_t outer, uint64_t k, uint32_t which, Site site) {
        if (kept.address_.dataLen == 0) {
            return;
        }
        StagePitch<TYPE>(operand, outer, k, which);
        const auto elements = static_cast<uint64_t>(MatrixElements<TYPE>(
            (which == 0) != operand.transpose, static_cast<int32_t>(outer), static_cast<int32_t>(k)));
        operand.value = client_.Stage(kept, elements, which, site);
        kept = {};
    }

    // Rows of a tensor in the unified buffer lie close together.
    template <class TYPE>
    static void StagePitch(Operand& operand, uint64_t outer, uint64_t k, uint32_t which) {
        if constexpr (TYPE::format != CubeFormat::NZ) {
            operand.pitch = static_cast<int64_t>(((which == 0) != operand.transpose) ? k : outer);
        }
    }

    /// The same of `batches` matrices that lie one behind the other, `stride` elements apart if that is told.
    template <class TYPE, typename T>
    void StageBatchOne(Operand& operand,
                       LocalTensor<T>& kept,
                       int64_t batches,
                       int32_t outer,
                       int64_t& stride,
                       uint32_t which,
                       Site site) {
        if (kept.address_.dataLen == 0) {
            return;
        }
        const bool outer_rows = (which == 0) != operand.transpose;
        stride = stride != 0 ? stride : MatrixElements<TYPE>(outer_rows, outer, args_.single_k);
        if constexpr (TYPE::layout == LayoutMode::NORMAL || TYPE::layout == LayoutMode::NONE) {
            StagePitch<TYPE>(
                operand, static_cast<uint64_t>(outer), static_cast<uint64_t>(args_.single_k), which);
        }
        operand.value = client_.Stage(kept, static_cast<uint64_t>(batches * stride), which, site);
        kept = {};
    }

    void StageBatch(Request& request, Site site) {
        StageBatchOne<A_TYPE>(args_.a, local_a_, args_.batch_a, args_.single_m, request.stride_a, 0, site);
        StageBatchOne<B_TYPE>(args_.b, local_b_, args_.batch_b, args_.single_n, request.stride_b, 1, site);
        if (local_bias_.address_.dataLen != 0) {
            const int32_t batches = args_.batch_a > args_.batch_b ? args_.batch_a : args_.batch_b;
            const int32_t rows = config.isBiasBatch ? batches : 1;
            args_.bias.value =
                client_.Stage(local_bias_, static_cast<uint64_t>(rows * args_.single_n), 2, site);
            local_bias_ = {};
        }
    }

    void Answer(uint32_t sub, Site site) {
        ascendsim::isa::answer_message(
            ascendsim::Pipe::fixpipe, sub, ascendsim::isa::first_answer + object_, site);
    }

    void Do(uint32_t sub, const Message& message) {
        const ascendsim::isa::CallMark scope{message.asked};
        const Request& request = message.request;
        const Site site = Site::here();
        if (request.verb == Verb::tiling) {
            engine_.Init(message.tiling, *GetTPipePtr(), site);
            return;
        }
        if (!engine_.ready()) {
            ascendsim::isa::kernel_fault("Matmul", "the object has no tiling; call Init first", site);
        }
        if (request.verb == Verb::batch) {
            RunBatches<A_TYPE, B_TYPE, C_TYPE>(engine_, request, sub, [&](int32_t) {
                if (request.each_block) {
                    Answer(sub, site);
                }
            });
        } else if (!request.fake) {
            engine_.Set(request.arguments, sub);
            Multiply(sub, request, site);
        }
        if (request.notify) {
            Answer(sub, site);
        }
    }

    void Multiply(uint32_t sub, const Request& request, Site site) {
        switch (request.verb) {
            case Verb::compute:
                engine_.Compute(request.block, request.partial, 0);
                return;
            case Verb::compute_and_get: {
                constexpr uint8_t unit_flag = config.enUnitFlag ? 3 : 0;
                const uint8_t flag = request.partial ? 0 : unit_flag;
                engine_.Compute(request.block, request.partial, flag);
                engine_.Write(request.block, request.to, flag);
                return;
            }
            default:
                engine_.All(request.to, [&](int32_t) {
                    if (request.each_block) {
                        Answer(sub, site);
                    }
                });
        }
    }
};

}  // namespace AscendC::matmul_detail
