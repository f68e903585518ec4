// SPDX-License-Identifier: Apache-2.0
// Copies slices in and out, and quantises with the scales of SetDeqScale.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t extent = 87;  // elements of a row of x and y

__aicore__ inline void CopySlices(GM_ADDR x, GM_ADDR packed, GM_ADDR y) {
    GlobalTensor<float> from;
    GlobalTensor<float> dense;
    GlobalTensor<float> to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    dense.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(packed));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    const LocalTensor<float> local(TPosition::VECCALC, 0, 96);
    SliceInfo spread[] = {{16, 70, 7, 3, extent}, {0, 2, 1, 1, 3}};
    SliceInfo close[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    DataCopy(local, from, close, spread, 2);
    PipeBarrier<PIPE_ALL>();
    DataCopy(dense, local, 96);
    DataCopy(to, local, spread, close, 2);
    PipeBarrier<PIPE_ALL>();
}

__aicore__ inline void Quantise(GM_ADDR numbers, GM_ADDR bytes, GM_ADDR halves) {
    GlobalTensor<int16_t> from;
    GlobalTensor<int32_t> sums;
    GlobalTensor<int8_t> to;
    GlobalTensor<half> positive;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(numbers));
    sums.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(numbers) + 64);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(bytes));
    positive.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(halves));
    const LocalTensor<int16_t> in(TPosition::VECCALC, 0, 128);
    const LocalTensor<int32_t> addends(TPosition::VECCALC, 512, 64);
    const LocalTensor<int8_t> out(TPosition::VECCALC, 1024, 256);
    const LocalTensor<half> clipped(TPosition::VECCALC, 2048, 64);
    const LocalTensor<uint64_t> table(TPosition::VECCALC, 4096, 16);
    DataCopy(in, from, 128);
    DataCopy(addends, sums, 64);
    PipeBarrier<PIPE_ALL>();
    SetDeqScale(0.5f, 1, true);
    CastDeq<int8_t, int16_t, false, false>(out, in, 128);
    float scales[VDEQ_TENSOR_SIZE];
    int16_t offsets[VDEQ_TENSOR_SIZE];
    bool signs[VDEQ_TENSOR_SIZE];
    for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
        scales[i] = static_cast<float>(i);
        offsets[i] = 0;
        signs[i] = true;
    }
    PipeBarrier<PIPE_ALL>();
    SetDeqScale(table, VdeqInfo(scales, offsets, signs));
    PipeBarrier<PIPE_ALL>();
    CastDeq<int8_t, int16_t, true, true>(out, in, 128);
    SetDeqScale(half(0.25f));
    AddDeqRelu(clipped, addends, addends, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, out, 256);
    DataCopy(positive, clipped, 64);
    PipeBarrier<PIPE_ALL>();
}

}  // namespace

extern "C" __global__ __aicore__ void slice_calls(
    GM_ADDR x, GM_ADDR packed, GM_ADDR y, GM_ADDR numbers, GM_ADDR bytes, GM_ADDR halves) {
    CopySlices(x, packed, y);
    Quantise(numbers, bytes, halves);
}
