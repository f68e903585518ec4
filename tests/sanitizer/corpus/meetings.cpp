// SPDX-License-Identifier: Apache-2.0
// Cores that meet: flags between them, SyncAll, words and data in global memory.
//
// See cores.cpp for what stands above each kernel.
#include "corpus.h"

// More sets than the counter of a flag holds, before anybody waits.
// expect: illegal mte3@set
// blocks: 2
extern "C" __global__ __aicore__ void twenty_sets_before_a_wait(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 20; ++i) {
        CrossCoreSetFlag<0, PIPE_MTE3>(3);  // @set
    }
    for (int32_t i = 0; i < 8; ++i) {  // takes a while
        DataCopy(t.a, g.x, N);
        Sync<HardEvent::MTE2_S>();
    }
    for (int32_t i = 0; i < 20; ++i) {
        CrossCoreWaitFlag(3);
    }
}

// As many as it holds.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void fifteen_sets_before_a_wait(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 15; ++i) {
        CrossCoreSetFlag<0, PIPE_MTE3>(3);
    }
    for (int32_t i = 0; i < 8; ++i) {  // takes a while
        DataCopy(t.a, g.x, N);
        Sync<HardEvent::MTE2_S>();
    }
    for (int32_t i = 0; i < 15; ++i) {
        CrossCoreWaitFlag(3);
    }
}

// For a cube core, of which a launch of vector cores has none.
// expect: set_never_waited mte3@set
// blocks: 2
extern "C" __global__ __aicore__ void sets_for_a_core_that_is_not_there(GM_ADDR x,
                                                                        GM_ADDR y,
                                                                        GM_ADDR z,
                                                                        GM_ADDR w) {
    Args g(x, y, z, w);
    for (int32_t i = 0; i < 20; ++i) {
        CrossCoreSetFlag<0x2, PIPE_MTE3>(3);  // @set
    }
}

// Set is flag 3, awaited is flag 4.
// expect: wait_never_set scalar@wait
// blocks: 2
extern "C" __global__ __aicore__ void another_cross_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CrossCoreSetFlag<0, PIPE_MTE3>(3);
    CrossCoreWaitFlag(4);  // @wait
}

// One wait more than sets.
// expect: wait_never_set scalar@more
// blocks: 2
extern "C" __global__ __aicore__ void one_cross_wait_too_many(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CrossCoreSetFlag<0, PIPE_MTE3>(3);
    CrossCoreWaitFlag(3);
    CrossCoreWaitFlag(3);  // @more
}

// There is no such flag.
// expect: illegal scalar@set
// blocks: 2
extern "C" __global__ __aicore__ void no_such_cross_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    CrossCoreSetFlag<0, PIPE_MTE3>(31);  // @set
    CrossCoreWaitFlag(31);
}

// One core has nothing to do and leaves before all meet.
// expect: wait_never_set scalar@all
// blocks: 3
extern "C" __global__ __aicore__ void leaves_before_all_meet(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    if (me == 2) {
        return;
    }
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);
    SyncAll();  // @all
    DataCopy(t.b, g.w[(1 - me) * N], N);
}

// One core has nothing to do, but meets the others.
// expect: silent
// blocks: 3
extern "C" __global__ __aicore__ void meets_with_nothing_to_do(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    if (me < 2) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w[me * N], t.a, N);
    }
    SyncAll();
    if (me < 2) {
        DataCopy(t.b, g.w[(1 - me) * N], N);
    }
}

// Each core meets the others as often as it has tiles.
// expect: wait_never_set scalar@all
// blocks: 2
extern "C" __global__ __aicore__ void meets_once_a_tile(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    int32_t tiles = 2 + GetBlockIdx();
    for (int32_t i = 0; i < tiles; ++i) {
        SyncAll();  // @all
    }
}

// One core leaves early where nobody waits for it.
// expect: silent
// blocks: 3
extern "C" __global__ __aicore__ void leaves_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    if (me == 1) {
        return;
    }
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[me * N], t.a, N);
}

// The block is told before what it is told of.
// expect: core_race mte3@out mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void block_flag_before_the_data(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    GlobalTensor<int32_t> flags;
    flags.SetGlobalBuffer((__gm__ int32_t*)x, ALL);
    LocalTensor<int32_t> local = t.c.ReinterpretCast<int32_t>();
    if (GetBlockIdx() == 1) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N);
        IBSet(flags, local, 1, 48);
        DataCopy(g.w[N], t.a, N);  // @out
    } else {
        IBWait(flags, local, 1, 48);
        DataCopy(t.b, g.w[N], N);  // @in
    }
}

// All cores use the same place of the workspace.
// expect: core_race
// expect: core_race mte3@out mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void workspace_without_a_share(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w, t.a, N);  // @out
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, g.w, N);  // @in
}

// Each core has its share.
// expect: silent
// blocks: 4
extern "C" __global__ __aicore__ void workspace_with_shares(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, g.w[me * N], N);
}

// A block reads an edge that its neighbour writes.
// expect: core_race mte2@in mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void stencil_in_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    DataCopy(t.a, g.x[me * N], N);        // @own
    DataCopy(t.b, g.x[(1 - me) * N], 8);  // @in
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.x[me * N], t.c, N);  // @out
}

// All edges are read before anybody writes.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void stencil_in_two_steps(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    DataCopy(t.a, g.x[me * N], N);
    DataCopy(t.b, g.x[(1 - me) * N], 8);
    SyncAll();
    Adds(t.c, t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.x[me * N], t.c, N);
}

// A maximum is taken of what another core overwrites.
// expect: core_race mte3 mte3
// blocks: 2
extern "C" __global__ __aicore__ void maximum_and_write(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    if (GetBlockIdx() == 0) {
        SetAtomicMax<float>();
    }
    DataCopy(g.x, t.a, N);
    SetAtomicNone();
}

// The scalar unit looks at a sum before all have added to it.
// expect: core_race
// expect: unproven_flag
// blocks: 2
extern "C" __global__ __aicore__ void sum_looked_at_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.x, t.a, N);  // @add
    SetAtomicNone();
    Sync<HardEvent::MTE3_S>();
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g.x);
    float s = g.x.GetValue(0);  // @get
    Duplicate(t.b, s, N);
}

// Sixteen sums of four cores into one place, and sums into places of their own.
// expect: silent
// blocks: 4
extern "C" __global__ __aicore__ void sums_of_four_cores(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    for (int32_t i = 0; i < 4; ++i) {
        DataCopy(g.x, t.a, N);
    }
    DataCopy(g.x[(me + 1) * N], t.a, N);
    SetAtomicNone();
}

// Neighbouring bytes of one block of 32, by copies that write bytes.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void bytes_side_by_side(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(g.z[GetBlockIdx() * 2], t.a, DataCopyExtParams(1, 8, 0, 0, 0));
}

// The last tile of a block is as long as all, and runs into the next block's.
// expect: core_race mte3@out mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void tail_runs_into_the_next_block(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    constexpr int32_t share = 400;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    for (int32_t i = 0; i < share; i += N) {
        DataCopy(g.z[me * share + i], t.a, N);  // @out
    }
}

// The last tile is as long as what is left.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void tail_ends_with_the_block(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    constexpr int32_t share = 400;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    for (int32_t i = 0; i < share; i += N) {
        DataCopy(g.z[me * share + i], t.a, share - i < N ? share - i : N);
    }
}

// The scalar unit has read the word before, and reads it from its cache again.
// expect: cache_stale mte3@out scalar@get
extern "C" __global__ __aicore__ void own_copy_seen_from_the_cache(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float before = g.x.GetValue(0);
    Duplicate(t.a, before, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.x, t.a, N);  // @out
    Sync<HardEvent::MTE3_S>();
    float s = g.x.GetValue(0);  // @get
    Duplicate(t.b, s, N);
}

// It reads it anew.
// expect: silent
extern "C" __global__ __aicore__ void own_copy_read_anew(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float before = g.x.GetValue(0);
    Duplicate(t.a, before, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.x, t.a, N);
    Sync<HardEvent::MTE3_S>();
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g.x);
    float s = g.x.GetValue(0);
    Duplicate(t.b, s, N);
}

// The same of another core's copy, behind SyncAll.
// expect: cache_stale mte3@out scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void other_copy_seen_from_the_cache(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    float before = g.x.GetValue((1 - me) * N);
    Duplicate(t.a, before, N);
    Sync<HardEvent::V_MTE3>();
    SyncAll();
    DataCopy(g.x[me * N], t.a, N);  // @out
    SyncAll();
    float s = g.x.GetValue((1 - me) * N);  // @get
    Duplicate(t.b, s, N);
}

// Stored, cleaned, and copied in by the same core.
// expect: silent
extern "C" __global__ __aicore__ void own_store_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    g.w.SetValue(0, 2.0f);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g.w);
    Sync<HardEvent::S_MTE2>();
    DataCopyExtParams word(1, 4, 0, 0, 0);
    DataCopyPad(t.a, g.w, word, DataCopyPadExtParams<float>(false, 0, 0, 0));
}

// A store that is cleaned, of which only the first line is.
// expect: cache_not_cleaned scalar@set mte2@in
extern "C" __global__ __aicore__ void second_line_not_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 32; ++i) {
        g.w.SetValue(i, 2.0f);  // @set
    }
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g.w);
    Sync<HardEvent::S_MTE2>();
    DataCopy(t.a, g.w, 32);  // @in
}

// Many cores read one input.
// expect: silent
// blocks: 4
extern "C" __global__ __aicore__ void one_input_for_all(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float s = g.y.GetValue(0);
    DataCopy(t.a, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, s, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[GetBlockIdx() * N], t.c, N);
}

// The output is read, and written by nobody before.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void branches_on_its_output(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (g.z.GetValue(0) > 0.0f) {  // @get
        Duplicate(t.a, 1.0f, N);
    }
}
