// SPDX-License-Identifier: Apache-2.0
// What one vector instruction may not do, and chains of them.
//
// See races.cpp for what stands above each kernel.
#include "corpus.h"

// The destination begins in the midst of the source.
// expect: operands_overlap vector@add
extern "C" __global__ __aicore__ void destination_within_the_source(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.a[8], t.a, 1.0f, 64);  // @add
}

// The destination ends in the midst of the source.
// expect: operands_overlap vector@mul
extern "C" __global__ __aicore__ void shifts_down_by_a_quarter_of_a_repeat(GM_ADDR x,
                                                                           GM_ADDR y,
                                                                           GM_ADDR z,
                                                                           GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 64;
    Muls(t.a, t.a[16], 2.0f, mask, 3, {1, 1, 8, 8});  // @mul
}

// Each repeat reads what the one before has written.
// expect: operands_overlap vector@add
extern "C" __global__ __aicore__ void repeats_that_feed_each_other(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 64;
    Add(t.a[64], t.a, t.b, mask, 3, {1, 1, 1, 8, 8, 8});  // @add
}

// The second source is half under the destination.
// expect: operands_overlap vector@max
extern "C" __global__ __aicore__ void second_source_half_under_the_result(GM_ADDR x,
                                                                          GM_ADDR y,
                                                                          GM_ADDR z,
                                                                          GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Max(t.b[32], t.a, t.b, 64);  // @max
}

// All operands are one tensor.
// expect: silent
extern "C" __global__ __aicore__ void exactly_in_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.a, t.a, t.a, N);
    PipeBarrier<PIPE_V>();
    uint64_t mask = 64;
    Muls(t.a, t.a, 2.0f, mask, 4, {1, 1, 8, 8});
}

// Repeats are summed up in one place, as the interface allows.
// expect: silent
extern "C" __global__ __aicore__ void sums_repeats_in_one_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Duplicate(t.c, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    uint64_t mask = 64;
    Add(t.c, t.a, t.c, mask, 4, {1, 1, 1, 0, 8, 0});
}

// A whole repeat further down: every repeat reads before the next one writes.
// expect: silent
extern "C" __global__ __aicore__ void shifts_down_by_a_repeat(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 64;
    Adds(t.a, t.a[64], 1.0f, mask, 3, {1, 1, 8, 8});
}

// Halves in the upper half of the floats that they become.
// expect: silent
extern "C" __global__ __aicore__ void widens_in_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<half> narrow = t.a.ReinterpretCast<half>()[N];
    GlobalTensor<half> source;
    source.SetGlobalBuffer((__gm__ half*)x, 2 * ALL);
    DataCopy(narrow, source, N);
    Sync<HardEvent::MTE2_V>();
    Cast(t.a, narrow, RoundMode::CAST_NONE, N);
}

// A repeat of floats has 64 lanes.
// expect: illegal vector@add
extern "C" __global__ __aicore__ void a_mask_of_halves_for_floats(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 128;
    Adds(t.c, t.a, 1.0f, mask, 2, {1, 1, 8, 8});  // @add
}

// So has a repeat of a sum.
// expect: illegal vector@sum
extern "C" __global__ __aicore__ void sums_more_lanes_than_there_are(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    WholeReduceSum<float>(t.c, t.a, 128, 2, 1, 1, 8);  // @sum
}

// A repeat that narrows floats has their 64 lanes, too.
// expect: illegal vector@cast
extern "C" __global__ __aicore__ void narrows_more_lanes_than_there_are(GM_ADDR x,
                                                                        GM_ADDR y,
                                                                        GM_ADDR z,
                                                                        GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 128;
    Cast(t.c.ReinterpretCast<half>(), t.a, RoundMode::CAST_NONE, mask, 2, {1, 1, 4, 8});  // @cast
}

// Every lane of both types.
// expect: silent
extern "C" __global__ __aicore__ void full_masks(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, (uint64_t)64, 4, {1, 1, 8, 8});
    LocalTensor<half> h = t.b.ReinterpretCast<half>();
    Duplicate(h, (half)1.0, (uint64_t)128, 4, 1, 8);
}

// 300 repeats are 44 of a field with eight bits.
// expect: illegal vector@fill
extern "C" __global__ __aicore__ void more_repeats_than_the_field_holds(GM_ADDR x,
                                                                        GM_ADDR y,
                                                                        GM_ADDR z,
                                                                        GM_ADDR w) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 300 * 256);
    int32_t repeats = 300;
    Duplicate(buffer.Get<float>(), 1.0f, (uint64_t)64, repeats, 1, 8);  // @fill
}

// The same of an instruction with two sources.
// expect: illegal vector@sum
extern "C" __global__ __aicore__ void more_sums_than_the_field_holds(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 300 * 256);
    LocalTensor<float> a = buffer.Get<float>();
    Duplicate(a, 1.0f, 300 * 64);
    PipeBarrier<PIPE_V>();
    int32_t repeats = 300;
    Add(a, a, a, (uint64_t)64, repeats, {1, 1, 1, 8, 8, 8});  // @sum
}

// 256 repeats are none.
// expect: illegal vector@sum
extern "C" __global__ __aicore__ void repeats_that_wrap_to_none(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> from, to;
    pipe.InitBuffer(from, 65536);
    pipe.InitBuffer(to, 1024);
    Duplicate(from.Get<float>(), 1.0f, 16384);
    PipeBarrier<PIPE_V>();
    WholeReduceSum<float>(to.Get<float>(), from.Get<float>(), 64, 256, 1, 1, 8);  // @sum
}

// As many repeats as there can be.
// expect: silent
extern "C" __global__ __aicore__ void as_many_repeats_as_there_can_be(GM_ADDR x,
                                                                      GM_ADDR y,
                                                                      GM_ADDR z,
                                                                      GM_ADDR w) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 255 * 256);
    Duplicate(buffer.Get<float>(), 1.0f, (uint64_t)64, 255, 1, 8);
}

// A float at an odd byte.
// expect: misaligned scalar@get
extern "C" __global__ __aicore__ void reads_a_float_at_an_odd_byte(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_S>();
    LocalTensor<float> odd = t.a.ReinterpretCast<uint8_t>()[1].ReinterpretCast<float>();
    float s = odd.GetValue(2);  // @get
    Duplicate(t.b, s, N);
}

// A word of eight bytes between two.
// expect: misaligned scalar@set
extern "C" __global__ __aicore__ void stores_a_long_word_between_two(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Tiles t;
    LocalTensor<int64_t> between = t.a[1].ReinterpretCast<int64_t>();
    between.SetValue(0, 7);  // @set
}

// A half at an even byte is where halves are.
// expect: silent
extern "C" __global__ __aicore__ void reads_halves_where_they_are(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_S>();
    LocalTensor<half> halves = t.a.ReinterpretCast<half>()[3];
    half s = halves.GetValue(2);
    Duplicate(t.b.ReinterpretCast<half>(), s, N);
}

// A table of 128 KiB among the local variables, of which the compiler cannot keep a part.
// expect: stack_overflow scalar
extern "C" __global__ __aicore__ void large_table_on_the_stack(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    volatile float table[32768];
    for (int64_t i = 0; i < 32768; i += 4096 * GetBlockNum()) {
        table[i] = 1.0f;
    }
    DataCopy(t.a, g.x[(int32_t)table[4096] * N], N);
}

// A table that fits.
// expect: silent
extern "C" __global__ __aicore__ void small_table_on_the_stack(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    volatile float table[1024];
    for (int32_t i = 0; i < 1024; ++i) {
        table[i] = 1.0f;
    }
    DataCopy(t.a, g.x[(int32_t)table[1000] * N], N);
}

// A block is copied to eight before it is there.
// expect: missing_barrier vector@fill vector@brcb
extern "C" __global__ __aicore__ void broadcast_without_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Tiles t;
    Duplicate(t.a, 1.0f, 64);                   // @fill
    Brcb(t.b, t.a, 1, BrcbRepeatParams(1, 8));  // @brcb
}

// What chooses is not there yet.
// expect: missing_barrier vector@compare vector@select
extern "C" __global__ __aicore__ void select_without_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.b.ReinterpretCast<uint8_t>();
    CompareScalar(bits, t.a, 3.0f, CMPMODE::GT, N);                     // @compare
    Select(t.c, bits, t.a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);  // @select
}

// With its barrier.
// expect: silent
extern "C" __global__ __aicore__ void select_with_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.b.ReinterpretCast<uint8_t>();
    CompareScalar(bits, t.a, 3.0f, CMPMODE::GT, N);
    PipeBarrier<PIPE_V>();
    Select(t.c, bits, t.a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);
}

// The table that a gather reads is not there yet.
// expect: missing_barrier vector@table vector@gather
extern "C" __global__ __aicore__ void gather_without_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, 0, 4, 64);                           // @table
    Gather(t.c, t.a, table.ReinterpretCast<uint32_t>(), 0, 64);  // @gather
}

// With its barrier.
// expect: silent
extern "C" __global__ __aicore__ void gather_with_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, 0, 4, 64);
    PipeBarrier<PIPE_V>();
    Gather(t.c, t.a, table.ReinterpretCast<uint32_t>(), 0, 64);
}

// Products are added to sums that are not there yet.
// expect: missing_barrier vector@zero vector@add
extern "C" __global__ __aicore__ void multiply_add_without_barrier(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Duplicate(t.c, 0.0f, N);      // @zero
    MulAddDst(t.c, t.a, t.b, N);  // @add
}

// The second step of a tree reads the first.
// expect: missing_barrier vector@blocks vector@whole
extern "C" __global__ __aicore__ void tree_without_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    BlockReduceSum<float>(t.b, t.a, 4, 64, 1, 1, 8);  // @blocks
    WholeReduceSum<float>(t.c, t.b, 32, 1, 1, 1, 8);  // @whole
}

// Even and odd lanes are written by two instructions.
// expect: silent
extern "C" __global__ __aicore__ void lanes_that_take_turns(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t even[2] = {0x5555555555555555U, 0};
    uint64_t odd[2] = {0xaaaaaaaaaaaaaaaaU, 0};
    Adds(t.c, t.a, 1.0f, even, 4, {1, 1, 8, 8});
    Adds(t.c, t.b, 1.0f, odd, 4, {1, 1, 8, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// Two instructions read the same source, and write apart.
// expect: silent
extern "C" __global__ __aicore__ void one_source_two_results(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, N);
    Muls(t.c, t.a, 2.0f, N);
    Exp(t.d, t.a, N);
}

// The first and the last block are gathered while those between are loaded.
// expect: silent
extern "C" __global__ __aicore__ void gathers_around_a_load(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<uint32_t> table = t.b.ReinterpretCast<uint32_t>();
    for (int32_t i = 0; i < 64; ++i) {
        table.SetValue(i, (i & 7) * 4 + ((i & 8) != 0 ? 992 : 0));
    }
    Sync<HardEvent::S_V>();
    DataCopy(t.a, g.x, 8);
    DataCopy(t.a[248], g.x[8], 8);
    Sync<HardEvent::MTE2_V>();
    DataCopy(t.a[64], g.x[64], 128);
    Gather(t.c, t.a, table, 0U, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, 64);
}

// The same, where a block that is gathered is loaded.
// expect: race mte2@load vector@gather
extern "C" __global__ __aicore__ void gathers_what_is_loaded(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<uint32_t> table = t.b.ReinterpretCast<uint32_t>();
    for (int32_t i = 0; i < 64; ++i) {
        table.SetValue(i, (i & 7) * 4 + ((i & 8) != 0 ? 992 : 0));
    }
    Sync<HardEvent::S_V>();
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    DataCopy(t.a[64], g.x[64], 192);  // @load
    Gather(t.c, t.a, table, 0U, 64);  // @gather
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, 64);
}

// The vector unit leaves one lane of each of its blocks, which lie apart, to the scalar unit.
// expect: silent
extern "C" __global__ __aicore__ void scalar_unit_sets_the_lanes_left_out(GM_ADDR x,
                                                                          GM_ADDR y,
                                                                          GM_ADDR z,
                                                                          GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask[2] = {0x7f7f7f7f7f7f7f7f, 0};
    Muls(t.c, t.a, 2.0f, mask, 1, {2, 1, 16, 8});
    for (int32_t i = 0; i < 8; ++i) {
        t.c.SetValue(i * 16 + 7, 5.0f);
    }
    Sync<HardEvent::S_MTE3>();
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, DataCopyParams(8, 1, 1, 0));
}
