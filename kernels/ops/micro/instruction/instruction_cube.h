// SPDX-License-Identifier: Apache-2.0
// The cube core's program of instruction.cpp: one instruction again and again, between two readings of the
// clock.
#pragma once

#include "kernels/ops/micro/instruction/instruction_tiling.hpp"
#include "kernels/shared/cube_loads.h"

namespace instruction {

using namespace AscendC;

class CubeProgram {
public:
    __aicore__ inline explicit CubeProgram(const Tiling& tiling)
        : t_(tiling),
          height_(cube::CeilTo(tiling.m, cube::fractal)),
          wide_(cube::CeilTo(tiling.n, cube::fractal)),
          depth_(cube::CeilTo(tiling.k, cube::fractal)),
          l1_a_(TPosition::A1, 0, height_ * depth_),
          l1_b_(TPosition::B1, height_ * depth_ * 2, depth_ * wide_),
          l0_a_(TPosition::A2, 0, height_ * depth_),
          l0_b_(TPosition::B2, 0, depth_ * wide_),
          l0_c_(TPosition::CO1, 0, height_ * wide_) {}

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR cycles) {
        GlobalTensor<half> a;
        GlobalTensor<half> b;
        a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
        b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
        out_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
        In::CopyIn(l1_a_, a, t_.m, t_.k, t_.k);  // (m, k) GM -> L1
        In::CopyIn(l1_b_, b, t_.k, t_.n, t_.n);  // (k, n) GM -> L1
        PipeBarrier<PIPE_ALL>();
        LoadA();
        LoadB();
        PipeBarrier<PIPE_ALL>();
        Multiply();
        PipeBarrier<PIPE_ALL>();
        const int64_t before = GetSystemCycle();
        for (uint32_t i = 0; i < t_.calls; ++i) {
            Issue();
        }
        PipeBarrier<PIPE_ALL>();
        const int64_t after = GetSystemCycle();
        Store();
        GlobalTensor<int64_t> taken;
        taken.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(cycles));
        taken.SetValue(0, after - before);
        DataCacheCleanAndInvalid<int64_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(taken);
    }

private:
    using In = cube::Loads<half>;

    __aicore__ inline void LoadA() { cube::LoadLeft(l0_a_, l1_a_, height_, depth_, 0, depth_); }

    __aicore__ inline void LoadB() { cube::LoadRight(l0_b_, l1_b_, depth_, wide_, 0, depth_); }

    __aicore__ inline void Multiply() {
        MmadParams params;
        params.m = static_cast<uint16_t>(t_.m == 1 ? cube::fractal : t_.m);
        params.n = static_cast<uint16_t>(t_.n);
        params.k = static_cast<uint16_t>(t_.k);
        params.cmatrixInitVal = true;
        Mmad(l0_c_, l0_a_, l0_b_, params);
    }

    // (m, n) L0C -> GM
    __aicore__ inline void Store() {
        FixpipeParamsV220 params;
        params.nSize = static_cast<uint16_t>(wide_);
        params.mSize = static_cast<uint16_t>(t_.m);
        params.srcStride = static_cast<uint16_t>(height_);
        params.dstStride = wide_;
        Fixpipe<float, float, CFG_ROW_MAJOR>(out_, l0_c_, params);
    }

    __aicore__ inline void Issue() {
        switch (t_.op) {
            case Op::mmad:
                Multiply();
                if (t_.barrier != 0) {
                    PipeBarrier<PIPE_M>();
                }
                break;
            case Op::load_l0a:
                LoadA();
                if (t_.barrier != 0) {
                    PipeBarrier<PIPE_MTE1>();
                }
                break;
            case Op::load_l0b:
                LoadB();
                if (t_.barrier != 0) {
                    PipeBarrier<PIPE_MTE1>();
                }
                break;
            default:
                Store();
                if (t_.barrier != 0) {
                    PipeBarrier<PIPE_FIX>();
                }
        }
    }

    Tiling t_;
    uint32_t height_;
    uint32_t wide_;
    uint32_t depth_;
    LocalTensor<half> l1_a_;
    LocalTensor<half> l1_b_;
    LocalTensor<half> l0_a_;
    LocalTensor<half> l0_b_;
    LocalTensor<float> l0_c_;
    GlobalTensor<float> out_;
};

}  // namespace instruction
