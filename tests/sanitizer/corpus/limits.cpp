// SPDX-License-Identifier: Apache-2.0
// Limits of instructions and of their fields, and lanes that masks leave out.
//
// See races.cpp for what stands above each kernel.
#include "corpus.h"

constexpr uint64_t every_third_lane = 0x9249249249249249ULL;

// Every third lane is computed, and all are read.
// expect: missing_barrier vector@some vector@all
extern "C" __global__ __aicore__ void masked_lanes_read_too_early(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.c, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t third[2] = {every_third_lane, 0};
    Adds(t.c, t.a, 1.0f, third, 4, {1, 1, 8, 8});  // @some
    Muls(t.d, t.c, 2.0f, N);                       // @all
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.d, N);
}

// All lanes are computed, and every third of them is read.
// expect: missing_barrier vector@all vector@some
extern "C" __global__ __aicore__ void masked_lanes_read_what_is_under_way(GM_ADDR x,
                                                                          GM_ADDR y,
                                                                          GM_ADDR z,
                                                                          GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t third[2] = {every_third_lane, 0};
    Adds(t.c, t.a, 1.0f, N);                       // @all
    Muls(t.d, t.c, 2.0f, third, 4, {1, 1, 8, 8});  // @some
}

// The lanes that are read are others than those that were computed.
// expect: silent
extern "C" __global__ __aicore__ void lanes_between_lanes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.c, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t third[2] = {every_third_lane, 0};
    uint64_t others[2] = {~every_third_lane, 0};
    Adds(t.c, t.a, 1.0f, third, 4, {1, 1, 8, 8});
    Muls(t.d, t.c, 2.0f, others, 4, {1, 1, 8, 8});
    Adds(t.d, t.a, 3.0f, third, 4, {1, 1, 8, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.d, N);
}

// The lanes that the mask leaves out were never written, and leave.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void lanes_left_out_of_the_result(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t third[2] = {every_third_lane, 0};
    Adds(t.c, t.a, 1.0f, third, 4, {1, 1, 8, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);  // @out
}

// The last rows of one copy are the first ones of the next.
// expect: missing_barrier mte3@rows mte3@more
extern "C" __global__ __aicore__ void copies_out_share_rows(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(g.z, t.a, DataCopyExtParams(4, 60, 0, 0, 0));      // @rows
    DataCopyPad(g.z[48], t.b, DataCopyExtParams(4, 60, 0, 0, 0));  // @more
}

// A barrier between them.
// expect: silent
extern "C" __global__ __aicore__ void copies_out_share_rows_in_order(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(g.z, t.a, DataCopyExtParams(4, 60, 0, 0, 0));
    PipeBarrier<PIPE_MTE3>();
    DataCopyPad(g.z[48], t.b, DataCopyExtParams(4, 60, 0, 0, 0));
}

// Rows that fill the gaps of others.
// expect: silent
extern "C" __global__ __aicore__ void copies_out_between_rows(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(g.z, t.a, DataCopyExtParams(4, 20, 0, 20, 0));
    DataCopyPad(g.z[5], t.b, DataCopyExtParams(4, 20, 0, 20, 0));
}

// A result goes back to the queue of the inputs.
// expect: illegal scalar@free
extern "C" __global__ __aicore__ void result_freed_as_input(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v, g.x, N);
    in.EnQue(v);
    v = in.DeQue<float>();
    LocalTensor<float> r = out.AllocTensor<float>();
    Adds(r, v, 1.0f, N);
    out.EnQue(r);
    r = out.DeQue<float>();
    DataCopy(g.z, r, N);
    in.FreeTensor(v);
    in.FreeTensor(r);  // @free
}

// Each goes back to its own queue, in another order.
// expect: silent
extern "C" __global__ __aicore__ void each_freed_to_its_queue(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v, g.x, N);
    in.EnQue(v);
    v = in.DeQue<float>();
    LocalTensor<float> r = out.AllocTensor<float>();
    Adds(r, v, 1.0f, N);
    out.EnQue(r);
    r = out.DeQue<float>();
    DataCopy(g.z, r, N);
    out.FreeTensor(r);
    in.FreeTensor(v);
}

// A repeat of int32_t has no lanes 64 to 127.
// expect: illegal vector@add
extern "C" __global__ __aicore__ void bits_of_the_second_word(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<int32_t> from = t.a.ReinterpretCast<int32_t>();
    uint64_t bits[2] = {0xFFULL, 0x1ULL};
    Adds(t.c.ReinterpretCast<int32_t>(), from, 1, bits, 2, {1, 1, 8, 8});  // @add
}

// One of half does.
// expect: silent
extern "C" __global__ __aicore__ void bits_of_both_words_for_halves(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t bits[2] = {0xFFULL, 0x1ULL};
    Adds(t.c.ReinterpretCast<half>(), t.a.ReinterpretCast<half>(), (half)1.0, bits, 2, {1, 1, 8, 8});
}

// One block more than the field can say.
// expect: illegal mte3@out
extern "C" __global__ __aicore__ void blocks_beyond_the_field(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096 * 32);
    LocalTensor<float> rows = buffer.Get<float>();
    Duplicate(rows, 1.0f, 4096 * 8);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(g.z, rows, DataCopyExtParams(4096, 4, 0, 0, 0));  // @out
}

// As many as it can.
// expect: silent
extern "C" __global__ __aicore__ void blocks_that_fill_the_field(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096 * 32);
    LocalTensor<float> rows = buffer.Get<float>();
    Duplicate(rows, 1.0f, 4096 * 8);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(g.z, rows, DataCopyExtParams(4095, 4, 0, 0, 0));
}

// Nine elements of padding are more than a block.
// expect: illegal mte2@in
extern "C" __global__ __aicore__ void padding_of_nine_elements(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    const DataCopyPadExtParams<float> nine(true, 9, 0, 1.0f);
    DataCopyPad(t.a, g.x, DataCopyExtParams(2, 28, 0, 0, 0), nine);  // @in
}

// Eight are not.
// expect: silent
extern "C" __global__ __aicore__ void padding_of_eight_elements(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopyPad(t.a, g.x, DataCopyExtParams(2, 32, 0, 0, 0), DataCopyPadExtParams<float>(true, 8, 8, 1.0f));
}

// Offsets into a table of halves that are odd.
// expect: misaligned vector@gather
extern "C" __global__ __aicore__ void gathers_halves_at_odd_bytes(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, 1, 2, 128);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    LocalTensor<half> to = t.c.ReinterpretCast<half>();
    Gather(to, t.a.ReinterpretCast<half>(), table.ReinterpretCast<uint32_t>(), 0, 128);  // @gather
}

// Even ones.
// expect: silent
extern "C" __global__ __aicore__ void gathers_every_second_half(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, 2, 4, 128);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    LocalTensor<half> to = t.c.ReinterpretCast<half>();
    Gather(to, t.a.ReinterpretCast<half>(), table.ReinterpretCast<uint32_t>(), 0, 128);
}

// The last sixteen offsets were never computed.
// expect: uninitialised_read vector@gather
extern "C" __global__ __aicore__ void gathers_by_a_short_table(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, 0, 8, 112);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Gather(t.c, t.a, table.ReinterpretCast<uint32_t>(), 0, 128);  // @gather
}

// The lanes of missing offsets take no part.
// expect: silent
extern "C" __global__ __aicore__ void gathers_by_the_offsets_there_are(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    LocalTensor<int32_t> table = t.b.ReinterpretCast<int32_t>();
    ArithProgression(table, 0, 8, 40);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Gather(t.c, t.a, table.ReinterpretCast<uint32_t>(), 0, (uint64_t)40, 1, 8);
}

// The second repeat reads integers that the first one has overwritten with floats twice as wide.
// expect: operands_overlap vector@cast
extern "C" __global__ __aicore__ void widens_over_what_comes_next(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N / 2);
    Sync<HardEvent::MTE2_V>();
    Cast(t.a, t.a.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, 128);  // @cast
}

// Narrow results stay behind what is read.
// expect: silent
extern "C" __global__ __aicore__ void narrows_in_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Cast(t.a.ReinterpretCast<half>(), t.a, RoundMode::CAST_NONE, N);
}

// The counters of the meeting are what the workspace happens to hold.
// expect: uninitialised_read scalar@meet
// blocks: 2
extern "C" __global__ __aicore__ void meets_on_counters_nobody_cleared(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    GlobalTensor<int32_t> counters;
    counters.SetGlobalBuffer((__gm__ int32_t*)w + 1024, 64);
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z[GetBlockIdx() * N], t.a, N);
    SyncAll(counters, t.d.ReinterpretCast<int32_t>());  // @meet
}

// Each core clears its own.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void meets_on_counters_of_zero(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    GlobalTensor<int32_t> counters;
    counters.SetGlobalBuffer((__gm__ int32_t*)w + 1024, 64);
    LocalTensor<int32_t> zeros = t.b.ReinterpretCast<int32_t>();
    Duplicate(zeros, 0, 8);
    Sync<HardEvent::V_MTE3>();
    DataCopy(counters[GetBlockIdx() * 8], zeros, 8);
    SyncAll();
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z[GetBlockIdx() * N], t.a, N);
    SyncAll(counters, t.d.ReinterpretCast<int32_t>());
}

// 256 repeats are 0 in eight bits: nothing is added up.
// expect: uninitialised_read vector@add mte3@out
extern "C" __global__ __aicore__ void repeats_wrap_to_none(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    const auto repeats = static_cast<uint8_t>(256 * GetBlockNum());
    Add(t.c, t.a, t.b, 64, repeats, {1, 1, 1, 8, 8, 8});  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);  // @out
}
