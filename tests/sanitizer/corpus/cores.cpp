// SPDX-License-Identifier: Apache-2.0
// Cores that meet in global memory.
//
// Above each kernel stand its defect, what the checker must say (kind, then pipe@label of the earlier and of
// the later operation; labels are at the ends of lines), and optionally `blocks` and `numbers: sum` where z =
// x + y comes out right all the same. `expect: silent` marks the correct twins.
#include "corpus.h"

// Each core writes its own range.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void own_ranges(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[me * N], t.a, N);
}

// Both cores write the same range.
// expect: core_race mte3@out mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void same_range(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);  // @out
}

// The ranges overlap by one block.
// expect: core_race mte3@out mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void ranges_that_overlap(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[me * (N - 8)], t.a, N);  // @out
}

// Rows of two cores alternate.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void columns_side_by_side(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[me * 32], t.a, DataCopyParams(8, 4, 0, 4));
}

// Rows of two cores share their last block.
// expect: core_race mte3@out mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void columns_that_overlap(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[me * 24], t.a, DataCopyParams(8, 4, 0, 4));  // @out
}

// Atomic additions may meet.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void updates_that_meet(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);
    SetAtomicNone();
}

// One core adds, the other overwrites.
// expect: core_race mte3 mte3
// blocks: 2
extern "C" __global__ __aicore__ void update_and_write(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    if (me == 0) {
        SetAtomicAdd<float>();
    }
    DataCopy(g.z, t.a, N);
    SetAtomicNone();
}

// Cores read what others wrote before SyncAll.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void exchange(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);
    SyncAll();
    DataCopy(t.b, g.w[(1 - me) * N], N);
}

// Nobody waits for the other core.
// expect: core_race
// expect: uninitialised_read mte2
// blocks: 2
extern "C" __global__ __aicore__ void exchange_without_sync(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);
    PipeBarrier<PIPE_ALL>();
    DataCopy(t.b, g.w[(1 - me) * N], N);
}

// SyncAll comes before the write it should announce.
// expect: core_race
// expect: uninitialised_read mte2
// blocks: 2
extern "C" __global__ __aicore__ void exchange_before_the_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SyncAll();
    DataCopy(g.w[me * N], t.a, N);
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, g.w[(1 - me) * N], N);
}

// The next round overwrites what the other core may still read.
// expect: core_race mte2@in mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void second_round_too_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    for (int32_t i = 0; i < 2; ++i) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w[me * N], t.a, N);  // @out
        SyncAll();
        DataCopy(t.b, g.w[(1 - me) * N], N);  // @in
    }
}

// A second SyncAll ends each round.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void two_rounds(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    for (int32_t i = 0; i < 2; ++i) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w[me * N], t.a, N);
        SyncAll();
        DataCopy(t.b, g.w[(1 - me) * N], N);
        SyncAll();
    }
}

// The sum is read before all have added to it.
// expect: core_race
// blocks: 2
extern "C" __global__ __aicore__ void updates_read_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);
    SetAtomicNone();
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, g.z, N);
}

// It is read when all have.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void updates_read_in_time(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);
    SetAtomicNone();
    SyncAll();
    DataCopy(t.b, g.z, N);
}

// A flag of all vector cores orders them as SyncAll does.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void cross_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);
    CrossCoreSetFlag<0, PIPE_MTE3>(3);
    CrossCoreWaitFlag(3);
    DataCopy(t.b, g.w[(1 - me) * N], N);
}

// The flag is set by a pipe that did not write.
// expect: core_race mte3@out mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void cross_flag_of_another_pipe(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    DataCopy(t.c, g.x, N);
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);  // @out
    CrossCoreSetFlag<0, PIPE_MTE2>(3);
    CrossCoreWaitFlag(3);
    DataCopy(t.b, g.w[(1 - me) * N], N);  // @in
}

// One core sets a flag once more than the other waits.
// expect: set_never_waited mte3@set
// blocks: 2
extern "C" __global__ __aicore__ void cross_flag_never_awaited(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z[me * N], t.a, N);
    CrossCoreSetFlag<0, PIPE_MTE3>(3);  // @set
    if (me == 0) {
        CrossCoreWaitFlag(3);
    }
}

// One core waits for another that never sets its flag.
// expect: wait_never_set scalar@wait
// blocks: 2
extern "C" __global__ __aicore__ void one_core_never_arrives(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    if (me == 0) {
        CrossCoreSetFlag<0, PIPE_MTE3>(3);
        CrossCoreWaitFlag(3);  // @wait
    }
}

// Two cores store neighbouring words through their data caches.
// expect: cache_line_shared scalar@set scalar@set
// blocks: 2
extern "C" __global__ __aicore__ void stores_in_one_line(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    g.z.SetValue(me, 1.0f);  // @set
}

// Each core has a line of its own.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void stores_in_two_lines(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    g.z.SetValue(me * 16, 1.0f);
}

// The other core reads what is still in a data cache.
// expect: cache_not_cleaned scalar@set scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void store_not_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    g.w.SetValue(me * 16, 2.0f);  // @set
    SyncAll();
    float s = g.w.GetValue((1 - me) * 16);  // @get
    Duplicate(t.a, s, N);
}

// The cache is cleaned before the others are told.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void store_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    g.w.SetValue(me * 16, 2.0f);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g.w[me * 16]);
    SyncAll();
    float s = g.w.GetValue((1 - me) * 16);
    Duplicate(t.a, s, N);
}

// Cleaned before the store instead of behind it.
// expect: cache_not_cleaned scalar@set scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void store_cleaned_too_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g.w[me * 16]);
    g.w.SetValue(me * 16, 2.0f);  // @set
    SyncAll();
    float s = g.w.GetValue((1 - me) * 16);  // @get
    Duplicate(t.a, s, N);
}

// A copy of the same core does not see its data cache either.
// expect: cache_not_cleaned scalar@set mte2@in
extern "C" __global__ __aicore__ void own_store_not_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    g.w.SetValue(0, 2.0f);  // @set
    Sync<HardEvent::S_MTE2>();
    DataCopyExtParams word(1, 4, 0, 0, 0);
    DataCopyPad(t.a, g.w, word, DataCopyPadExtParams<float>(false, 0, 0, 0));  // @in
}
