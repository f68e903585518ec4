// SPDX-License-Identifier: Apache-2.0
// One call of ReduceSum, ReduceMax or ReduceMin for reduce_calls_test.cpp, on the generation that it is
// compiled for.
#include "kernel_operator.h"

using namespace AscendC;

struct ReduceArguments {
    uint32_t how;  // 0: sum, 1: largest, 2: smallest
    uint32_t with_index;
    uint32_t count;  // 0: the form with a mask
    uint32_t lanes;  // of each repeat
    uint32_t repeats;
    uint32_t stride;  // blocks
    uint32_t work;    // elements from the tensor's first; `dst` is behind
};

namespace {

template <typename T>
__aicore__ inline void ReduceOne(GM_ADDR from, GM_ADDR to, uint32_t elements, const ReduceArguments& a) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> room, result;
    pipe.InitBuffer(room, 131072);
    pipe.InitBuffer(result, 64);
    const LocalTensor<T> x = room.Get<T>(), y = result.Get<T>(), work = x[a.work];
    GlobalTensor<T> source, target;
    source.SetGlobalBuffer((__gm__ T*)from);
    target.SetGlobalBuffer((__gm__ T*)to);
    DataCopy(x, source, elements);
    Duplicate(y, T(-7.0f), 32 / static_cast<int32_t>(sizeof(T)));
    PipeBarrier<PIPE_ALL>();
    const auto count = static_cast<int32_t>(a.count), lanes = static_cast<int32_t>(a.lanes);
    const auto repeats = static_cast<int32_t>(a.repeats), stride = static_cast<int32_t>(a.stride);
    const bool with_index = a.with_index != 0;
    if (a.how == 0) {
        a.count != 0 ? ReduceSum(y, x, work, count) : ReduceSum(y, x, work, lanes, repeats, stride);
    } else if (a.how == 1) {
        a.count != 0 ? ReduceMax(y, x, work, count, with_index)
                     : ReduceMax(y, x, work, lanes, repeats, stride, with_index);
    } else {
        a.count != 0 ? ReduceMin(y, x, work, count, with_index)
                     : ReduceMin(y, x, work, lanes, repeats, stride, with_index);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(target, y, 32 / static_cast<uint32_t>(sizeof(T)));
}

}  // namespace

#if __NPU_ARCH__ == 2201
#define REDUCE_CALLS reduce_calls_910b
#else
#define REDUCE_CALLS reduce_calls_310p
#endif

extern "C" __global__ __aicore__ void REDUCE_CALLS(
    GM_ADDR from, GM_ADDR to, uint32_t bytes, uint32_t elements, ReduceArguments arguments) {
    if (bytes == 2) {
        ReduceOne<half>(from, to, elements, arguments);
    } else {
        ReduceOne<float>(from, to, elements, arguments);
    }
}
