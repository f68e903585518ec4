// SPDX-License-Identifier: Apache-2.0
// Slips of everyday kernels: strides, units of counts and offsets, shares of cores.
//
// See races.cpp for what stands above each kernel.
#include "corpus.h"

// Rows with a gap as wide as their pitch: the last ones lie behind the input.
// expect: out_of_range mte2@in
extern "C" __global__ __aicore__ void gap_counted_as_pitch(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x[ALL - 256], DataCopyParams(4, 8, 8, 0));  // @in
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

// The sum of exponentials starts before they are there.
// expect: missing_barrier vector@exp vector@sum
extern "C" __global__ __aicore__ void softmax_without_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Muls(t.a, t.a, 0.001f, N);
    PipeBarrier<PIPE_V>();
    Exp(t.b, t.a, N);                          // @exp
    WholeReduceSum(t.c, t.b, 64, 4, 1, 1, 8);  // @sum
    PipeBarrier<PIPE_V>();
    Muls(t.d, t.b, 2.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.d, N);
}

// Shares of the workspace are counted in elements and added to an address: the cores' shares overlap.
// expect: core_race mte3@put mte3@put
// blocks: 4
extern "C" __global__ __aicore__ void workspace_share_in_elements(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    GlobalTensor<float> mine;
    mine.SetGlobalBuffer((__gm__ float*)(w + GetBlockIdx() * N), N);
    DataCopy(t.a, g.x[GetBlockIdx() * N], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(mine, t.a, N);  // @put
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, mine, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z[GetBlockIdx() * N], t.b, N);
}

// The flag for the scalar unit is set before the sum is issued.
// expect: race vector@sum scalar@get
extern "C" __global__ __aicore__ void flag_to_scalar_before_the_sum(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    SetFlag<HardEvent::V_S>(0);
    WholeReduceSum(t.c, t.a, 64, 1, 1, 1, 8);  // @sum
    WaitFlag<HardEvent::V_S>(0);
    float s = t.c.GetValue(0);  // @get
    Duplicate(t.d, s, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.d, N);
}

// A copy goes to the fourth element of a tile.
// expect: misaligned mte2@in
extern "C" __global__ __aicore__ void padded_copy_to_an_odd_place(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    const DataCopyPadExtParams<float> none(false, 0, 0, 0);
    DataCopyPad(t.a[3], g.x, DataCopyExtParams(1, 52, 0, 0, 0), none);  // @in
}

// Each repeat fills eight blocks, and the tile has room for four of five.
// expect: buffer_overrun vector@brcb
extern "C" __global__ __aicore__ void brcb_one_repeat_too_many(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Brcb(t.b, t.a, 5, {1, 8});  // @brcb
}

// Sorting makes pairs of value and index, which need twice the room.
// expect: buffer_overrun vector@sort
extern "C" __global__ __aicore__ void sort_into_half_the_room(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<uint32_t> index = t.b.ReinterpretCast<uint32_t>();
    DataCopy(t.a, g.x, N);
    CreateVecIndex(t.b.ReinterpretCast<int32_t>(), (int32_t)0, N);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Sort32(t.c, t.a, index, 8);  // @sort
}

// A copy within UB is work of the vector unit, and its result is used at once.
// expect: missing_barrier vector@copy vector@add
extern "C" __global__ __aicore__ void copy_in_ub_then_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    DataCopy(t.b, t.a, N);  // @copy
    Add(t.c, t.b, t.a, N);  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// The table holds numbers of elements, not bytes.
// expect: misaligned vector@gather
extern "C" __global__ __aicore__ void gather_by_element_numbers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    CreateVecIndex(t.b.ReinterpretCast<int32_t>(), (int32_t)0, N);
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Gather(t.c, t.a, t.b.ReinterpretCast<uint32_t>(), 0, N);  // @gather
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// An offset in bytes where elements are counted.
// expect: out_of_range mte2@in
extern "C" __global__ __aicore__ void offset_in_bytes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x[ALL / 2 * sizeof(float)], N);  // @in
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

// Two tensors placed by hand share a block.
// expect: race vector@add mte2@next
extern "C" __global__ __aicore__ void tensors_by_hand_share_a_block(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    LocalTensor<float> a(TPosition::VECCALC, 0, N);
    LocalTensor<float> b(TPosition::VECCALC, BYTES - 32, N);
    LocalTensor<float> c(TPosition::VECCALC, 8192, N);
    DataCopy(a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(c, a, 1.0f, N);  // @add
    DataCopy(b, g.y, N);  // @next
    Sync<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    Add(c, c, b, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, c, N);
}

// The count of repeats wraps to none, in tensors placed by hand.
// expect: uninitialised_read vector@none mte3@out
extern "C" __global__ __aicore__ void repeats_by_hand_wrap_to_none(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    LocalTensor<float> a(TPosition::VECIN, 0, N);
    LocalTensor<float> b(TPosition::VECOUT, 65536, N);
    DataCopy(a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    const uint8_t repeat = static_cast<uint8_t>(N);        // 256
    Muls(b, a, 2.0f, uint64_t{64}, repeat, {1, 1, 8, 8});  // @none
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, b, N);  // @out
}

// The mask of before stands, in tensors placed by hand.
// expect: uninitialised_read vector@half mte3@out
extern "C" __global__ __aicore__ void lanes_by_hand_left_out(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    LocalTensor<float> a(TPosition::VECIN, 0, N);
    LocalTensor<float> b(TPosition::VECOUT, 65536, N);
    DataCopy(a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    SetMaskNorm();
    SetVectorMask<float, MaskMode::NORMAL>(0, 0xffffffffULL);
    Muls<float, false>(b, a, 2.0f, MASK_PLACEHOLDER, N / 64, {1, 1, 8, 8});  // @half
    ResetMask();
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, b, N);  // @out
}

// Two waits for one flag.
// expect: wait_never_set vector@again
extern "C" __global__ __aicore__ void waits_twice_for_one(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(t.b, t.a, 1.0f, N);
    WaitFlag<HardEvent::MTE2_V>(0);  // @again
    Adds(t.b, t.a, 1.0f, N);
}

// The gap between rows in UB is counted in blocks, and given in bytes.
// expect: buffer_overrun mte2@in
extern "C" __global__ __aicore__ void ub_stride_in_bytes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    const DataCopyPadExtParams<float> none(false, 0, 0, 0);
    DataCopyPad(t.a, g.x, DataCopyExtParams(4, 128, 0, 32, 0), none);  // @in
}

// Eight cores run what was cut for four.
// expect: out_of_range mte2@in
// blocks: 8
extern "C" __global__ __aicore__ void more_cores_than_the_tiling(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t per = ALL / 4;
    DataCopy(t.a, g.x[GetBlockIdx() * per], N);  // @in
    Sync<HardEvent::MTE2_MTE3>();
    if (GetBlockIdx() < 4) {
        DataCopy(g.z[GetBlockIdx() * per], t.a, N);
    }
}

// A mask of half a repeat, and all of the result leaves.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void mask_of_half_a_repeat(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    SetVectorMask<float, MaskMode::NORMAL>(32);
    Adds<float, false>(t.b, t.a, 1.0f, MASK_PLACEHOLDER, 4, {1, 1, 8, 8});
    ResetMask();
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);  // @out
}

// Every second block of the result is computed, and all leave.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void block_stride_leaves_gaps(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, (uint64_t)64, 2, {2, 1, 16, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);  // @out
}

// Results of half the size leave with the size of the source.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void halves_copied_as_floats(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Cast(t.b.ReinterpretCast<half>(), t.a, RoundMode::CAST_NONE, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);  // @out
}

// An output is cleared and added to without a barrier between the copies.
// expect: missing_barrier mte3@zero mte3@add
extern "C" __global__ __aicore__ void clears_and_adds_at_once(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Duplicate(t.b, 0.0f, N);
    Sync<HardEvent::V_MTE3>();
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.b, N);  // @zero
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);  // @add
    SetAtomicNone();
}

// Stored words are copied before their line is cleaned.
// expect: cache_not_cleaned scalar@set mte2@in
extern "C" __global__ __aicore__ void index_stored_and_copied(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 8; ++i) {
        g.w.SetValue(i, 1.0f * i);  // @set
    }
    Sync<HardEvent::S_MTE2>();
    DataCopy(t.a, g.w, 8);  // @in
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, 8);
}

// All repeats write to the first one, and four leave.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void results_in_one_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, (uint64_t)64, 4, {1, 1, 0, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);  // @out
}

// Rows of 61 elements leave by whole blocks, over the next row of another core.
// expect: core_race mte3@out mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void rows_of_61_by_blocks(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x[GetBlockIdx() * 64], 64);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z[GetBlockIdx() * 61], t.a, 64);  // @out
}

// One of sixteen addresses is given twice.
// expect: uninitialised_read mte3@out
extern "C" __global__ __aicore__ void transposes_fifteen_rows(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<half> src = t.a.ReinterpretCast<half>(), dst = t.b.ReinterpretCast<half>();
    DataCopy(t.a, g.x, 128);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<half> s[16], d[16];
    for (int32_t i = 0; i < 16; ++i) {
        s[i] = src[i * 16];
        d[i] = dst[(i == 15 ? 14 : i) * 16];
    }
    TransDataTo5HDParams p;
    p.repeatTimes = 1;
    TransDataTo5HD(d, s, p);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, 128);  // @out
}
