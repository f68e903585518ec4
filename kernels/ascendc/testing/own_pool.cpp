// SPDX-License-Identifier: Apache-2.0
// Doubles a tensor through a pool that divides its memory itself: the buffers of one queue, last first, and a
// buffer.
#include "kernel_operator.h"

using namespace AscendC;

class BackwardPool {
public:
    __aicore__ inline BackwardPool() { Init(); }

    template <class Queue>
    __aicore__ inline bool InitBuffer(Queue& queue, uint8_t num, uint32_t len) {
        const auto handle = GetBufHandle(GetCurBufSize());
        queue.InitStartBufHandle(handle, num, len);
        for (uint8_t i = 0; i < num; ++i) {
            queue.InitBufHandle(this, i, handle, GetCurAddr() + (num - 1 - i) * len, len);
        }
        SetCurAddr(GetCurAddr() + num * len);
        SetCurBufSize(GetCurBufSize() + num);
        return true;
    }

    template <TPosition pos>
    __aicore__ inline bool InitBuffer(TBuf<pos>& buffer, uint32_t len) {
        const auto handle = GetBufHandle(GetCurBufSize());
        buffer.InitStartBufHandle(handle, 1, len);
        buffer.InitBufHandle(this, 0, handle, GetCurAddr(), len);
        SetCurAddr(GetCurAddr() + len);
        SetCurBufSize(GetCurBufSize() + 1);
        return true;
    }

    EXTERN_IMPL_BUFPOOL(BackwardPool, TPosition::VECCALC, 4);
};

/// `x` and `z` hold `tiles` tiles of 64 floats; `room` is the pool's size in bytes. `addresses` gets where
/// the tensors lay.
extern "C" __global__ __aicore__ void own_pool(
    GM_ADDR x, GM_ADDR z, uint32_t tiles, uint32_t room, uint32_t* addresses) {
    constexpr uint32_t tile = 64;
    constexpr uint32_t bytes = tile * sizeof(float);
    TPipe pipe;
    TBuf<TPosition::VECCALC> before;
    pipe.InitBuffer(before, 32);
    BackwardPool pool;
    pipe.InitBufPool(pool, room);
    TQue<TPosition::VECIN, 1> in;
    TBuf<TPosition::VECCALC> sum;
    pool.InitBuffer(in, 2, bytes);
    pool.InitBuffer(sum, bytes);
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    from.SetGlobalBuffer((__gm__ float*)x, tiles * tile);
    to.SetGlobalBuffer((__gm__ float*)z, tiles * tile);
    for (uint32_t i = 0; i < tiles; ++i) {
        LocalTensor<float> part = in.AllocTensor<float>();
        addresses[i] = (uint32_t)part.GetLocalBufferAddr();
        DataCopy(part, from[i * tile], tile);
        in.EnQue(part);
        part = in.DeQue<float>();
        LocalTensor<float> twice = sum.Get<float>();
        Add(twice, part, part, tile);
        in.FreeTensor(part);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to[i * tile], twice, tile);
        PipeBarrier<PIPE_ALL>();
    }
    pool.Reset();
    addresses[tiles] = pool.GetCurAddr();
}

extern "C" __global__ __aicore__ void scalar_atomic(GM_ADDR x) {
    AtomicAdd((__gm__ int32_t*)x, 1);
}
