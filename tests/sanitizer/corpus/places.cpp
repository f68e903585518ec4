// SPDX-License-Identifier: Apache-2.0
// Where things lie: before, behind and between buffers, and what nobody wrote there.
//
// See races.cpp for what stands above each kernel.
#include "corpus.h"

// The tensor begins before its buffer, in the one before.
// expect: buffer_overrun vector@add
extern "C" __global__ __aicore__ void reads_below_its_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    int32_t back = -8;
    Adds(t.c, t.b[back], 1.0f, 64);  // @add
}

// One element before the buffer.
// expect: buffer_overrun scalar@get
extern "C" __global__ __aicore__ void gets_an_element_below_its_buffer(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_S>();
    int32_t back = -1;
    float s = t.b.GetValue(back);  // @get
    Duplicate(t.c, s, N);
}

// The tile goes to the buffer behind.
// expect: buffer_overrun mte2@in
extern "C" __global__ __aicore__ void writes_behind_its_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a[N], g.x, N);  // @in
}

// An element is stored in the buffer behind.
// expect: buffer_overrun scalar@set
extern "C" __global__ __aicore__ void sets_an_element_behind_its_buffer(GM_ADDR x,
                                                                        GM_ADDR y,
                                                                        GM_ADDR z,
                                                                        GM_ADDR w) {
    Tiles t;
    t.a.SetValue(N + 3, 1.0f);  // @set
}

// A result goes to the buffer behind.
// expect: buffer_overrun vector@add
extern "C" __global__ __aicore__ void computes_behind_its_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.b[N + 64], t.a, 1.0f, 64);  // @add
}

// What leaves is the buffer behind.
// expect: buffer_overrun mte3@out
extern "C" __global__ __aicore__ void copies_out_what_lies_behind(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Duplicate(t.b, 2.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a[N], N);  // @out
}

// Both tensors of a queue are out, and one is taken for the other.
// expect: buffer_overrun vector@add
extern "C" __global__ __aicore__ void reads_the_other_tensor_of_its_queue(GM_ADDR x,
                                                                          GM_ADDR y,
                                                                          GM_ADDR z,
                                                                          GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TBuf<TPosition::VECCALC> sum;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(sum, BYTES);
    for (int32_t i = 0; i < 2; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        in.EnQue(v);
    }
    LocalTensor<float> first = in.DeQue<float>();
    LocalTensor<float> second = in.DeQue<float>();
    Adds(sum.Get<float>(), first[N], 1.0f, N);  // @add
    in.FreeTensor(first);
    in.FreeTensor(second);
}

// Back and forth within one buffer.
// expect: silent
extern "C" __global__ __aicore__ void goes_back_within_its_buffer(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<float> middle = t.a[128];
    int32_t back = -64;
    Adds(t.c, middle[back], 1.0f, 64);
}

// A tensor of half the buffer reaches the other half.
// expect: silent
extern "C" __global__ __aicore__ void reaches_the_rest_of_its_buffer(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<float> first = t.bufA.Get<float>(64);
    Adds(t.c, first[128], 1.0f, 64);
}

// The place behind the last round is computed, and nobody uses it.
// expect: silent
extern "C" __global__ __aicore__ void steps_behind_its_buffer_unused(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<float> next = t.a;
    for (int32_t i = 0; i < 4; ++i) {
        Adds(t.c[i * 64], next, 1.0f, 64);
        next = t.a[(i + 1) * 64];
    }
    Duplicate(t.d, 1.0f, N);
}

// Widened numbers take twice the room.
// expect: buffer_overrun vector@cast
extern "C" __global__ __aicore__ void widens_beyond_its_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Cast(t.b, t.a.ReinterpretCast<half>(), RoundMode::CAST_NONE, 2 * N);  // @cast
}

// Five repeats in a buffer of four.
// expect: buffer_overrun vector@fill
extern "C" __global__ __aicore__ void one_repeat_too_many(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Tiles t;
    Duplicate(t.a, 1.0f, (uint64_t)64, 5, 1, 8);  // @fill
}

// Strides take the last repeat out of the buffer.
// expect: buffer_overrun vector@add
extern "C" __global__ __aicore__ void strides_out_of_its_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, (uint64_t)64, 4, {1, 1, 16, 8});  // @add
}

// Sums a block apart need more room than sums side by side.
// expect: buffer_overrun vector@sum
extern "C" __global__ __aicore__ void sums_too_far_apart(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    WholeReduceSum<float>(t.b[N - 8], t.a, 64, 4, 8, 1, 8);  // @sum
}

// Rows that leave are further apart than the buffer is long.
// expect: buffer_overrun mte3@out
extern "C" __global__ __aicore__ void rows_out_of_its_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Duplicate(t.b, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, DataCopyParams(3, 8, 8, 0));  // @out
}

// More buffers than the unified buffer has room for, and the last is used.
// expect: oversized scalar@init
// expect: out_of_range vector@fill
extern "C" __global__ __aicore__ void more_than_the_unified_buffer_holds(GM_ADDR x,
                                                                         GM_ADDR y,
                                                                         GM_ADDR z,
                                                                         GM_ADDR w) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 160 * 1024);
    pipe.InitBuffer(second, 64 * 1024);               // @init
    Duplicate(second.Get<float>()[12288], 1.0f, 64);  // @fill
}

// All of the unified buffer.
// expect: silent
extern "C" __global__ __aicore__ void all_of_the_unified_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 160 * 1024);
    pipe.InitBuffer(second, 32 * 1024);
    Duplicate(second.Get<float>()[8128], 1.0f, 64);
}

// Thirteen numbers, padded.
// expect: silent
extern "C" __global__ __aicore__ void copies_thirteen_numbers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopyPad(t.a, g.x, DataCopyExtParams(1, 52, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 3, 0.0f));
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, 16);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(g.z, t.c, DataCopyExtParams(1, 52, 0, 0, 0));
}

// What is converted was never written.
// expect: uninitialised_read vector@cast
extern "C" __global__ __aicore__ void converts_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Tiles t;
    Cast(t.b.ReinterpretCast<half>(), t.a, RoundMode::CAST_NONE, 64);  // @cast
}

// What is broadcast was never written.
// expect: uninitialised_read vector@brcb
extern "C" __global__ __aicore__ void broadcasts_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Tiles t;
    Brcb(t.b, t.a, 1, BrcbRepeatParams(1, 8));  // @brcb
}

// What is summed up was never written.
// expect: uninitialised_read vector@sum
extern "C" __global__ __aicore__ void sums_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Tiles t;
    WholeReduceSum<float>(t.b, t.a, 64, 1, 1, 1, 8);  // @sum
}

// What chooses was never written.
// expect: uninitialised_read vector@select
extern "C" __global__ __aicore__ void chooses_by_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.b.ReinterpretCast<uint8_t>();
    Select(t.c, bits, t.a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);  // @select
}

// What is compared was never written.
// expect: uninitialised_read vector@compare
extern "C" __global__ __aicore__ void compares_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Tiles t;
    LocalTensor<uint8_t> bits = t.b.ReinterpretCast<uint8_t>();
    CompareScalar(bits, t.a, 3.0f, CMPMODE::GT, N);  // @compare
}

// A tensor goes back to its queue twice.
// expect: illegal scalar@again
extern "C" __global__ __aicore__ void freed_twice(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v, g.x, N);
    in.EnQue(v);
    v = in.DeQue<float>();
    in.FreeTensor(v);
    in.FreeTensor(v);  // @again
}

// Buffers of a phase are given anew to the next one.
// expect: silent
extern "C" __global__ __aicore__ void phases_with_buffers_of_their_own(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    {
        TQue<TPosition::VECIN, 1> in;
        pipe.InitBuffer(in, 1, BYTES);
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x, N);
        in.EnQue(v);
        v = in.DeQue<float>();
        Adds(v, v, 1.0f, N);
        in.FreeTensor(v);
    }
    PipeBarrier<PIPE_ALL>();
    pipe.Reset();
    TBuf<TPosition::VECCALC> calc;
    pipe.InitBuffer(calc, 2 * BYTES);
    Duplicate(calc.Get<float>(), 1.0f, 2 * N);
}

// A tail of its own length comes, is computed and leaves.
// expect: silent
extern "C" __global__ __aicore__ void tail_of_its_own_length(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 2; ++i) {
        int32_t count = i == 0 ? N : 40;
        DataCopy(t.a, g.x[i * N], count);
        Sync<HardEvent::MTE2_V>();
        Adds(t.c, t.a, 1.0f, count);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, count);
        PipeBarrier<PIPE_ALL>();
    }
}
