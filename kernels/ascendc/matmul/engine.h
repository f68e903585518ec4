// SPDX-License-Identifier: Apache-2.0
// The Matmul object's work on a cube core: base blocks of C, one after the other.
//
//   GM --chunks of stepM x stepKa, stepN x stepKb--> L1 --base blocks--> L0A, L0B --Mmad--> L0C --Fixpipe-->
//   GM, L1
//
// Buffers and their number come from TCubeTiling as its documentation tells: depthA1 and depthB1 base blocks
// in L1, fetched one by one (Norm) or a step at a time (MDL); dbL0A, dbL0B and dbL0C buffers in L0.
#pragma once

#include "kernels/ascendc/matmul/block_order.h"
#include "kernels/ascendc/matmul/cube_feed.h"
#include "kernels/ascendc/matmul/side_rows.h"

namespace AscendC::matmul_detail {

/// Scalar work of the object itself besides the instructions it issues, in simple instructions, one of which
/// is issued each cycle: choosing sizes and addresses. From aic_scalar_time of GEMM-001 to GEMM-008 (910B1):
/// 450 cycles a base block where each brings two chunks, 310 and 265 with fewer chunks, 150 where the
/// compiler knows the tiling; of which the instructions' own issue takes about 40. The start: init times of
/// GEMM-021 and GEMM-022 less what reading the tiling and the pipe take here.
struct ObjectCosts {
    static constexpr uint32_t step = 180;
    static constexpr uint32_t step_static = 110;
    static constexpr uint32_t init = 4000;
    static constexpr uint32_t init_static = 2000;
};

template <class A, class B, class C, class BIAS, const auto& CFG, class CB>
class Engine {
public:
    static constexpr MatmulConfig config = ToMatmulConfig(CFG);
    using AT = typename A::T;
    using BT = typename B::T;
    using CT = typename C::T;
    using BiasT = typename BIAS::T;
    using Sum = std::conditional_t<std::is_same_v<AT, int8_t> || std::is_same_v<AT, int4b_t>, int32_t, float>;
    using BiasSum = Sum;

    void Init(const TCubeTiling& tiling, TPipe& pipe, Site site) {
        RequireKnown(site);
        ascendsim::isa::scalar_instructions(IsStatic(CFG) ? ObjectCosts::init_static : ObjectCosts::init,
                                            site);
        core_ = CubeCore::Get(pipe, site);
        t_ = tiling;
        constexpr bool steps = config.doMultiDataLoad || config.doSpecialMDL;
        const uint32_t a_bytes =
            a_.Init(CutOf(t_.baseM, steps ? t_.stepM : 1, steps ? t_.stepKa : 1), t_.depthA1);
        const uint32_t b_bytes =
            b_.Init(CutOf(t_.baseN, steps ? t_.stepN : 1, steps ? t_.stepKb : 1), t_.depthB1);
        const uint32_t start = core_->l1.Take(pipe, a_bytes + b_bytes, site);
        if (a_bytes != 0) {
            a_.Place(start, site);
        }
        if (b_bytes != 0) {
            b_.Place(start + a_bytes, site);
        }
        core_->l1.holder = this;
        if constexpr (!std::is_same_v<BIAS, void>) {
            bias_.Init(pipe, t_.isBias != 0 ? t_.baseN : 0, sizeof(BiasT), site);
        }
        scales_.Init(pipe, 0, sizeof(uint64_t), site);
        pipe_ = &pipe;
    }

    [[nodiscard]] bool ready() const { return core_ != nullptr; }

    [[nodiscard]] const TCubeTiling& tiling() const { return t_; }

    /// Takes operands and shapes for what follows, asked for by vector core `sub`.
    void Set(const Arguments& arguments, uint32_t sub = 0) {
        args_ = arguments;
        sub_ = sub;
        order_ = BlockOrder{args_, t_};
        k_steps_ = CeilDiv(args_.single_k, t_.baseK);
        a_.Set(args_.a, args_.single_m, args_.single_k, args_.org_m, args_.org_ka);
        b_.Set(args_.b, args_.single_n, args_.single_k, args_.org_n, args_.org_kb);
        a_.SetUser(args_.user_tiling, args_.user_data);
        b_.SetUser(args_.user_tiling, args_.user_data);
        HoldL1();
        bias_.Forget();
        if constexpr (!std::is_same_v<BIAS, void>) {
            if (args_.bias.place != Place::none) {
                bias_.Init(*pipe_, t_.baseN, sizeof(BiasT), Site::here());
            }
        }
        if (args_.scales.place == Place::gm) {
            scales_.Init(*pipe_, t_.baseN, sizeof(uint64_t), Site::here());
        }
    }

    /// Where block `block` lies in the single shape.
    [[nodiscard]] MatrixOffset Offset(int32_t block) const {
        MatrixOffset place;
        place.row = order_.Row(block) * t_.baseM;
        place.col = order_.Column(block) * t_.baseN;
        place.height = Smaller(t_.baseM, args_.single_m - place.row);
        place.width = Smaller(t_.baseN, args_.single_n - place.col);
        const int32_t pitch = args_.org_kc != 0 ? args_.org_kc : args_.org_n;
        place.offset = place.row * pitch + place.col;
        return place;
    }

    /// Multiplies block `block` into L0C; `partial`: adds to the block that lies there.
    void Compute(int32_t block, bool partial, uint8_t unit_flag) {
        if (!partial) {
            TakeResult(unit_flag);
        }
        if constexpr (std::is_same_v<AT, float>) {
            SetHF32Mode(args_.hf32);
        }
        for (int32_t step = 0; step < k_steps_; ++step) {
            Step(block, step, partial, unit_flag);
        }
    }

    /// Multiplies into a place in L0C of the kernel's own.
    void ComputeTo(int32_t block, bool partial, uint32_t l0c) {
        result_[sub_] = LocalTensor<Sum>(TBuffAddr{0, l0c, nullptr, static_cast<uint8_t>(TPosition::CO1)});
        for (int32_t step = 0; step < k_steps_; ++step) {
            Step(block, step, partial, 0);
        }
    }

    /// Writes the block that lies in L0C.
    void Write(int32_t block, const Destination& to, uint8_t unit_flag) {
        if (unit_flag == 0) {
            SetFlag<HardEvent::M_FIX>(core_->result_ready);
            WaitFlag<HardEvent::M_FIX>(core_->result_ready);
        }
        if constexpr (CB::data_copy_out != nullptr) {
            CallBackOut(block, to, unit_flag);
        } else {
            Output(block, to, unit_flag);
        }
        core_->freed[buffer_[sub_]] = core_->fixpipe_done.Raise();
    }

    /// All blocks; `after` is called after each.
    template <class After>
    void All(const Destination& to, After&& after) {
        constexpr uint8_t unit_flag = config.enUnitFlag ? 3 : 0;
        for (int32_t block = order_.From(0); block < order_.Count(); block = order_.From(block + 1)) {
            Destination place = to;
            if (to.sequential) {
                place.address += static_cast<uint64_t>(block) * to.block_bytes;
            }
            Compute(block, false, unit_flag);
            Write(block, place, unit_flag);
            after(block);
        }
    }

    /// Leaves no flag up.
    void Drain() {
        if (core_ != nullptr) {
            core_->Drain();
        }
    }

private:
    // What would give another result than on the chip stops here.
    static void RequireKnown(Site site) {
        if constexpr (config.intraBlockPartSum) {
            ascendsim::isa::not_implemented("MatmulConfig::intraBlockPartSum", site);
        } else if constexpr (config.isPartialOutput) {
            ascendsim::isa::not_implemented("MatmulConfig::isPartialOutput", site);
        } else if constexpr (!std::is_same_v<AT, BT>) {
            ascendsim::isa::not_implemented("a Matmul of operands of two types", site);
        }
    }

    // Where objects use L1 in turn, what another one's loads have yet to read comes first.
    void HoldL1() {
        if (!core_->l1.in_turn || core_->l1.holder == this) {
            return;
        }
        core_->a_read.Drain();
        core_->b_read.Drain();
        a_.TakeOver(Site::here());
        b_.TakeOver(Site::here());
        core_->l1.holder = this;
    }

    static int32_t Smaller(int32_t a, int32_t b) { return a < b ? a : b; }

    [[nodiscard]] Cut CutOf(int32_t base, int32_t step_outer, int32_t step_k) const {
        return {.base_outer = base, .base_k = t_.baseK, .step_outer = step_outer, .step_k = step_k};
    }

    // ---- one step of k ----

    void Step(int32_t block, int32_t step, bool partial, uint8_t unit_flag) {
        const int32_t row = order_.Row(block);
        const int32_t column = order_.Column(block);
        ascendsim::isa::scalar_instructions(IsStatic(CFG) ? ObjectCosts::step_static : ObjectCosts::step,
                                            Site::here());
        Supply(block, step);
        const int32_t rows = Smaller(t_.baseM, args_.single_m - row * t_.baseM);
        const int32_t columns = Smaller(t_.baseN, args_.single_n - column * t_.baseN);
        const int32_t depth = Smaller(t_.baseK, args_.single_k - step * t_.baseK);
        const LocalTensor<AT> l0a = LeftBuffer();
        const LocalTensor<BT> l0b = RightBuffer();
        if (step == 0 && !partial) {
            bias_.template Load<BiasT, BiasSum>(args_.bias, column * t_.baseN, columns, *core_);
        }
        // Where L1 has room for one base block of each, both come and go together: nothing is fetched while
        // either is read [GEMM-001 to GEMM-004].
        const bool together = a_.Single() && b_.Single();
        a_.Await(core_->a_loaded);
        if (together) {
            b_.Await(core_->b_loaded);
        }
        OperandLoads<AT>::LoadA(l0a,
                                a_.Matrix(row / a_.cut().step_outer, step / a_.cut().step_k),
                                a_.Transposed(),
                                a_.OuterWithin(row),
                                rows,
                                a_.DepthWithin(step),
                                depth);
        const bool last = step + 1 == k_steps_;
        const bool leaves_a = last || (step + 1) % a_.cut().step_k == 0;
        if (leaves_a && !together) {
            a_.Leave(core_->a_read);
        }
        if (!together) {
            b_.Await(core_->b_loaded);
        }
        OperandLoads<BT>::LoadB(l0b,
                                b_.Matrix(column / b_.cut().step_outer, step / b_.cut().step_k),
                                b_.Transposed(),
                                b_.OuterWithin(column),
                                columns,
                                b_.DepthWithin(step),
                                depth);
        if (leaves_a && together) {
            a_.Leave(core_->a_read);
        }
        if (last || (step + 1) % b_.cut().step_k == 0) {
            b_.Leave(core_->b_read);
        }
        const TEventID flag = core_->operands_ready[core_->steps % 2];
        SetFlag<HardEvent::MTE1_M>(flag);
        WaitFlag<HardEvent::MTE1_M>(flag);
        Multiply(l0a, l0b, rows, columns, depth, step == 0 && !partial, unit_flag == 0 ? 0 : last ? 3 : 2);
        core_->mmad_done.Raise();
        ++core_->steps;
    }

    // What this step needs comes to L1, and what the next chunk will need starts to come.
    void Supply(int32_t block, int32_t step) {
        const bool new_a = step % a_.cut().step_k == 0;
        const bool new_b = step % b_.cut().step_k == 0;
        if (new_a) {
            a_.Enter(order_.Row(block) / a_.cut().step_outer,
                     step / a_.cut().step_k,
                     core_->a_loaded,
                     core_->a_read);
        }
        if (new_b) {
            b_.Enter(order_.Column(block) / b_.cut().step_outer,
                     step / b_.cut().step_k,
                     core_->b_loaded,
                     core_->b_read);
        }
        const int32_t block_behind = order_.From(block + 1);
        const bool more = block_behind < order_.Count();
        if (new_a) {
            const int32_t next = step / a_.cut().step_k + 1;
            if (next < a_.cut().ChunksK() || more) {
                const bool same = next < a_.cut().ChunksK();
                a_.Prefetch(order_.Row(same ? block : block_behind) / a_.cut().step_outer,
                            same ? next : 0,
                            core_->a_loaded,
                            core_->a_read);
            }
        }
        if (new_b) {
            const int32_t next = step / b_.cut().step_k + 1;
            if (next < b_.cut().ChunksK() || more) {
                const bool same = next < b_.cut().ChunksK();
                b_.Prefetch(order_.Column(same ? block : block_behind) / b_.cut().step_outer,
                            same ? next : 0,
                            core_->b_loaded,
                            core_->b_read);
            }
        }
    }

    // The next buffer of L0A, once the Mmad that read it is done.
    LocalTensor<AT> LeftBuffer() {
        const bool whole = t_.dbL0A < 2;
        const uint64_t behind = whole || core_->whole_a ? 0 : 1;
        core_->mmad_done.Await(core_->mmad_done.raised() - Behind(behind));
        core_->whole_a = whole;
        const uint32_t half = ascendsim::isa::buffer_capacity(ascendsim::Memory::l0a) / 2;
        const uint32_t at = whole ? 0 : static_cast<uint32_t>(core_->steps % 2) * half;
        return LocalTensor<AT>(TBuffAddr{half, at, nullptr, static_cast<uint8_t>(TPosition::A2)});
    }

    LocalTensor<BT> RightBuffer() {
        const bool whole = t_.dbL0B < 2;
        const uint64_t behind = whole || core_->whole_b ? 0 : 1;
        core_->mmad_done.Await(core_->mmad_done.raised() - Behind(behind));
        core_->whole_b = whole;
        const uint32_t half = ascendsim::isa::buffer_capacity(ascendsim::Memory::l0b) / 2;
        const uint32_t at = whole ? 0 : static_cast<uint32_t>(core_->steps % 2) * half;
        return LocalTensor<BT>(TBuffAddr{half, at, nullptr, static_cast<uint8_t>(TPosition::B2)});
    }

    [[nodiscard]] uint64_t Behind(uint64_t wanted) const {
        return wanted < core_->mmad_done.raised() ? wanted : core_->mmad_done.raised();
    }

    void Multiply(const LocalTensor<AT>& left,
                  const LocalTensor<BT>& right,
                  int32_t rows,
                  int32_t columns,
                  int32_t depth,
                  bool fresh,
                  int32_t unit_flag) {
        constexpr int32_t fractal = 16;
        MmadParams params;
        params.m =
            static_cast<uint16_t>(rows == 1 ? fractal : rows);  // one row would be read as a plain vector
        params.n = static_cast<uint16_t>(OperandLoads<BT>::MadColumns(columns, b_.Transposed()));
        params.k = static_cast<uint16_t>(depth);
        params.unitFlag = static_cast<int8_t>(unit_flag);
        if (fresh && args_.bias.place != Place::none) {
            params.cmatrixInitVal = false;
            Mmad(result_[sub_], left, right, bias_.template Table<Sum>(), params);
        } else {
            params.cmatrixInitVal = fresh;
            Mmad(result_[sub_], left, right, params);
        }
        // Small results leave the pipe open to the next multiplication into them.
        if (CeilDiv(rows, fractal) * CeilDiv(columns, fractal) < 10) {
            PipeBarrier<PIPE_M>();
        }
    }

    // ---- results ----

    // The next buffer of L0C, once Fixpipe has left it.
    void TakeResult(uint8_t unit_flag) {
        const uint32_t half = ascendsim::isa::buffer_capacity(ascendsim::Memory::l0c) / 2;
        const bool whole = t_.dbL0C < 2 || static_cast<uint32_t>(t_.baseM * t_.baseN * 4) > half;
        const auto next = whole ? 0U : static_cast<uint32_t>(core_->results % 2);
        const bool alike = whole == core_->whole_c && core_->unit_flag == (unit_flag != 0);
        if (unit_flag == 0 || !alike) {
            // With the unit flag, Mmad itself waits for the place.
            core_->fixpipe_done.Await(whole || !alike ? core_->fixpipe_done.raised() : core_->freed[next]);
        }
        core_->whole_c = whole;
        core_->unit_flag = unit_flag != 0;
        ++core_->results;
        buffer_[sub_] = next;
        result_[sub_] =
            LocalTensor<Sum>(TBuffAddr{half, next * half, nullptr, static_cast<uint8_t>(TPosition::CO1)});
    }

    void CallBackOut(int32_t block, const Destination& to, uint8_t unit_flag) {
        if constexpr (CB::data_copy_out != nullptr) {
            const MatrixOffset place = Offset(block);
            DataCopyOutParams params;
            params.cBurstNum = static_cast<uint16_t>(CeilDiv(place.width, 16));
            params.burstLen = static_cast<uint16_t>(CeilTo(place.height, 16) * 16 * 4 / 32);
            params.dstStride = static_cast<uint32_t>(args_.org_kc != 0 ? args_.org_kc : args_.org_n);
            params.oriNSize = static_cast<uint16_t>(place.width);
            params.enUnitFlag = unit_flag != 0;
            params.quantScalar = args_.scale;
            const auto* gm = reinterpret_cast<const void*>(
                to.address + (to.sequential ? 0 : static_cast<uint64_t>(place.offset) * sizeof(CT)));
            CB::data_copy_out(gm,
                              result_[sub_].template ReinterpretCast<int8_t>(),
                              &params,
                              args_.user_tiling,
                              args_.user_data);
        }
    }

    void Output(int32_t block, const Destination& to, uint8_t unit_flag);
    void Atomic(uint8_t kind);
    [[nodiscard]] QuantMode_t Mode() const;

    std::shared_ptr<CubeCore> core_;
    TCubeTiling t_;
    TPipe* pipe_ = nullptr;
    Arguments args_;
    Feed<A, true, CB::copy_a1> a_;
    Feed<B, false, CB::copy_b1> b_;
    SideRow bias_;
    SideRow scales_;
    LocalTensor<Sum> result_[2];  // in L0C, of each vector core that asks
    uint32_t buffer_[2]{};
    uint32_t sub_ = 0;
    BlockOrder order_;
    int32_t k_steps_ = 0;
};

}  // namespace AscendC::matmul_detail

#include "kernels/ascendc/matmul/engine_output.h"
