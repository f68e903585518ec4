// SPDX-License-Identifier: Apache-2.0
// Bytes that nobody wrote, read beside others: a defect if they arrive in a result, and none if they do not.
//
// Above each kernel stand its defect and what must be said of it; see corpus/memory.cpp.
#include "../corpus/corpus.h"

constexpr int32_t FULL = 200;  // of N elements: 56 words are left

__aicore__ inline void copy_full(const LocalTensor<float>& to, const GlobalTensor<float>& from) {
    DataCopyPad(to,
                from,
                DataCopyExtParams(1, FULL * sizeof(float), 0, 0, 0),
                DataCopyPadExtParams<float>(false, 0, 0, 0));
}

__aicore__ inline void copy_out(const GlobalTensor<float>& to,
                                const LocalTensor<float>& from,
                                int32_t count) {
    DataCopyPad(to, from, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
}

// 56 words that nobody copied in are summed up, too.
// expect: uninitialised_read vector@sum
extern "C" __global__ __aicore__ void sums_words_nobody_wrote(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    ReduceSum(t.c, t.a, t.b, N);  // @sum
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 1);
}

// Zeros stand where nothing was copied to.
// expect: silent
extern "C" __global__ __aicore__ void sums_words_set_to_zero(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 0.0f, N);
    Sync<HardEvent::V_MTE2>();
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    ReduceSum(t.c, t.a, t.b, N);
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 1);
}

// Whole repeats are computed, and what is copied out was copied in.
// expect: silent
extern "C" __global__ __aicore__ void computes_a_tail_and_drops_it(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    Exp(t.c, t.a, N);
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, FULL);
}

// The largest element may be one that nobody wrote.
// expect: uninitialised_read vector@most
extern "C" __global__ __aicore__ void finds_the_largest_of_too_many(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    ReduceMax(t.c, t.a, t.b, N);  // @most
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 1);
}

// The same among numbers beside which most others are small.
// expect: uninitialised_read vector@most
extern "C" __global__ __aicore__ void finds_the_largest_of_large_numbers(GM_ADDR x,
                                                                         GM_ADDR y,
                                                                         GM_ADDR z,
                                                                         GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    Adds(t.a, t.a, 1.0e9f, FULL);
    PipeBarrier<PIPE_V>();
    WholeReduceMax<float>(t.c, t.a, 64, 4, 1, 1, 8);  // @most
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 8);
}

// The second of two sums takes what the first left out; the first is innocent.
// expect: uninitialised_read vector@second
extern "C" __global__ __aicore__ void one_of_two_sums_is_wrong(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    copy_full(t.b, g.y);
    Sync<HardEvent::MTE2_V>();
    Exp(t.d, t.a, N);
    PipeBarrier<PIPE_V>();
    ReduceSum(t.d, t.b, t.c, N);  // @second
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.d, 1);
}

// The output is added to, and nobody has cleared it.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void adds_to_what_nobody_cleared(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);  // @out
    SetAtomicNone();
}

// The output is cleared before it is added to.
// expect: silent
extern "C" __global__ __aicore__ void adds_to_zeros(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.b, 0.0f, N);
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);
    Sync<HardEvent::MTE2_MTE3>();
    PipeBarrier<PIPE_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);
    SetAtomicNone();
}

// What a comparison says of elements that nobody wrote decides what is copied out.
// expect: uninitialised_read vector@compare
extern "C" __global__ __aicore__ void selects_by_lanes_nobody_wrote(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> chosen = t.d.ReinterpretCast<uint8_t>();
    Compare(chosen, t.a, t.b, CMPMODE::GT, N);  // @compare
    PipeBarrier<PIPE_V>();
    Select(t.c, chosen, t.b, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, N);
}

// Elements that nobody wrote are gathered, and leave.
// expect: uninitialised_read vector@gather
extern "C" __global__ __aicore__ void gathers_words_nobody_wrote(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, (FULL - 32) * 4, 4, 64);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Gather(t.c, t.a, table.ReinterpretCast<uint32_t>(), 0, 64);  // @gather
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 64);
}

// What is gathered was written, whatever lies beside it.
// expect: silent
extern "C" __global__ __aicore__ void gathers_words_that_are_there(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, (FULL - 64) * 4, 4, 64);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Gather(t.c, t.a, table.ReinterpretCast<uint32_t>(), 0, 64);
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 64);
}

// The last repeat has eight lanes, and all of its 64 are looked at.
// expect: uninitialised_read vector@most
extern "C" __global__ __aicore__ void takes_the_maximum_of_all_lanes(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    WholeReduceMax<float>(t.c, t.a, 64, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);  // @most
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 4);
}

// The last repeat is masked.
// expect: silent
extern "C" __global__ __aicore__ void takes_the_maximum_of_masked_lanes(GM_ADDR x,
                                                                        GM_ADDR y,
                                                                        GM_ADDR z,
                                                                        GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    WholeReduceMax<float>(t.c, t.a, 64, 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    WholeReduceMax<float>(t.c[8], t.a[192], 8, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, 3);
    copy_out(g.z[8], t.c[8], 1);
}

// Five of eight elements are there, and all eight are broadcast and leave.
// expect: uninitialised_read vector@brcb
extern "C" __global__ __aicore__ void broadcasts_words_nobody_wrote(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 5; ++i) {
        t.a.SetValue(i, 1.0f);
    }
    Sync<HardEvent::S_V>();
    Brcb(t.b, t.a, 1, BrcbRepeatParams(1, 8));  // @brcb
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.b, 64);
}

// Five blocks leave.
// expect: silent
extern "C" __global__ __aicore__ void broadcasts_and_drops_what_nobody_wrote(GM_ADDR x,
                                                                             GM_ADDR y,
                                                                             GM_ADDR z,
                                                                             GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 5; ++i) {
        t.a.SetValue(i, 1.0f);
    }
    Sync<HardEvent::S_V>();
    Brcb(t.b, t.a, 1, BrcbRepeatParams(1, 8));
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.b, 40);
}

// A maximum with what nobody wrote.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void takes_the_maximum_with_nothing(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    SetAtomicMax<float>();
    DataCopy(g.z, t.a, N);  // @out
    SetAtomicNone();
}

// A sum over words that nobody wrote decides whether a tile is doubled; small and strange ones decide alike.
// expect: uninitialised_read vector@sum
extern "C" __global__ __aicore__ void branches_on_words_nobody_wrote(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    DataCopy(t.d, g.y, N);
    Sync<HardEvent::MTE2_V>();
    ReduceSum(t.c, t.a, t.b, N);  // @sum
    Sync<HardEvent::V_S>();
    const float sum = t.c.GetValue(0);
    if (sum < -1.0e31f) {
        Muls(t.d, t.d, 2.0f, N);
    }
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.d, N);
}

// Only words that were written decide.
// expect: silent
extern "C" __global__ __aicore__ void branches_on_words_that_are_there(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    DataCopy(t.d, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.a, t.a, 1.0f, N);
    PipeBarrier<PIPE_V>();
    ReduceSum(t.c, t.a, t.b, FULL);
    Sync<HardEvent::V_S>();
    const float sum = t.c.GetValue(0);
    if (sum < -1.0e31f) {
        Muls(t.d, t.d, 2.0f, N);
    }
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.d, N);
}

// Bits that say which of the words are zero, of words that nobody wrote as well.
// expect: uninitialised_read vector@compare
extern "C" __global__ __aicore__ void says_which_words_are_zero(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_full(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.d.ReinterpretCast<uint8_t>();
    CompareScalar(bits, t.a, 0.0f, CMPMODE::EQ, N);  // @compare
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.d, 8);
}

constexpr int32_t LITTLE = 72;  // of N elements: two repeats hold nothing

__aicore__ inline void copy_little(const LocalTensor<float>& to, const GlobalTensor<float>& from) {
    DataCopyPad(to,
                from,
                DataCopyExtParams(1, LITTLE * sizeof(float), 0, 0, 0),
                DataCopyPadExtParams<float>(false, 0, 0, 0));
}

// Whole repeats that nobody wrote are computed and compared, and nothing of them leaves.
// expect: silent
extern "C" __global__ __aicore__ void computes_empty_repeats_and_drops_them(GM_ADDR x,
                                                                            GM_ADDR y,
                                                                            GM_ADDR z,
                                                                            GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_little(t.a, g.x);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.d.ReinterpretCast<uint8_t>();
    Muls(t.a, t.a, 0.5f, N);
    PipeBarrier<PIPE_V>();
    Compare(bits, t.a, t.b, CMPMODE::LT, N);
    PipeBarrier<PIPE_V>();
    Select(t.c, bits, t.a, 1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, LITTLE);
}

// One word of them leaves.
// expect: uninitialised_read vector@scale
extern "C" __global__ __aicore__ void computes_empty_repeats_and_keeps_one(GM_ADDR x,
                                                                           GM_ADDR y,
                                                                           GM_ADDR z,
                                                                           GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    copy_little(t.a, g.x);
    Sync<HardEvent::MTE2_V>();
    Muls(t.c, t.a, 0.5f, N);  // @scale
    Sync<HardEvent::V_MTE3>();
    copy_out(g.z, t.c, LITTLE + 1);
}
