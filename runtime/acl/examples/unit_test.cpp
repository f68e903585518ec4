// SPDX-License-Identifier: Apache-2.0
// A kernel unit test: memory that both sides see, a tiling struct, a tiling key, and GoogleTest around it.
//   ascendsim run unit_test.cpp -- --gtest_filter=*Doubles
#include <gtest/gtest.h>

#include "kernel_operator.h"
#include "tikicpulib.h"

struct Tiling {
    uint32_t elements;
    float factor;
};

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Tiling, data, tiling);
    const uint32_t n = data.elements / AscendC::GetBlockNum();
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, n * sizeof(float));
    pipe.InitBuffer(out, 1, n * sizeof(float));
    AscendC::GlobalTensor<float> gx;
    AscendC::GlobalTensor<float> gy;
    gx.SetGlobalBuffer((__gm__ float*)x + n * AscendC::GetBlockIdx(), n);
    gy.SetGlobalBuffer((__gm__ float*)y + n * AscendC::GetBlockIdx(), n);
    auto ux = in.AllocTensor<float>();
    AscendC::DataCopy(ux, gx, n);
    in.EnQue(ux);
    ux = in.DeQue<float>();
    auto uy = out.AllocTensor<float>();
    if (TILING_KEY_IS(1)) {
        AscendC::Muls(uy, ux, data.factor, n);
    } else if (TILING_KEY_IS(2)) {
        AscendC::Adds(uy, ux, data.factor, n);
    }
    out.EnQue(uy);
    in.FreeTensor(ux);
    uy = out.DeQue<float>();
    AscendC::DataCopy(gy, uy, n);
    out.FreeTensor(uy);
}

/// y = times * x, on one block and 256 elements.
template <uint32_t times>
__global__ __aicore__ void multiply(GM_ADDR x, GM_ADDR y) {
    using namespace AscendC;
    constexpr uint32_t n = 256;
    LocalTensor<float> tile(TPosition::VECCALC, 0, n);
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    from.SetGlobalBuffer((__gm__ float*)x, n);
    to.SetGlobalBuffer((__gm__ float*)y, n);
    DataCopy(tile, from, n);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Muls(tile, tile, float(times), n);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(to, tile, n);
}

class Scale : public testing::Test {
protected:
    static constexpr uint32_t n = 256;
    float* x = (float*)AscendC::GmAlloc(n * sizeof(float));
    float* y = (float*)AscendC::GmAlloc(n * sizeof(float));
    Tiling* tiling = (Tiling*)AscendC::GmAlloc(sizeof(Tiling));

    void TearDown() override {
        AscendC::GmFree(x);
        AscendC::GmFree(y);
        AscendC::GmFree(tiling);
    }

    void run(uint64_t key) {
        for (uint32_t i = 0; i < n; ++i) {
            x[i] = float(i);
        }
        *tiling = {n, 2.0F};
        AscendC::SetKernelMode(KernelMode::AIV_MODE);
        ICPU_SET_TILING_KEY(key);
        ICPU_RUN_KF(scale, 2, (uint8_t*)x, (uint8_t*)y, (uint8_t*)tiling);
    }
};

TEST_F(Scale, Doubles) {
    run(1);
    for (uint32_t i = 0; i < n; ++i) {
        ASSERT_EQ(y[i], 2.0F * float(i));
    }
}

TEST_F(Scale, AddsTwo) {
    run(2);
    for (uint32_t i = 0; i < n; ++i) {
        ASSERT_EQ(y[i], float(i) + 2.0F);
    }
}

TEST_F(Scale, RunsTheKernelThatAVariableHolds) {
    for (uint32_t i = 0; i < n; ++i) {
        x[i] = float(i);
    }
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    auto kernel = multiply<3>;
    ICPU_RUN_KF(kernel, 1, (uint8_t*)x, (uint8_t*)y);
    ASSERT_EQ(y[10], 30.0F);
    kernel = multiply<5>;
    ICPU_RUN_KF(kernel, 1, (uint8_t*)x, (uint8_t*)y);
    ASSERT_EQ(y[10], 50.0F);
#ifndef __CCE_KT_TEST__
    FAIL() << "unit tests are told by this macro what they are";
#endif
}
