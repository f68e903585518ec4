// SPDX-License-Identifier: Apache-2.0
// Cores that tell each other through words of global memory, as they should.
#include "flag_words.h"

// Store, clean; invalidate, read until it is there.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_awaited(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Produce(g, t);
        Raise(g.x[FLAG]);
    } else {
        Await(g.x[FLAG]);
        Consume(g, t);
    }
}

// The flag is up at the first look.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_up_already(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Produce(g, t);
        Raise(g.x[FLAG]);
    } else {
        Await(g.x[FLAG]);
        Consume(g, t);
    }
}

// Flags written and read by copies.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_copied(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Produce(g, t);
        RaiseCopy(g.x[FLAG], t.c);
    } else {
        AwaitCopy(g.x[FLAG], t.c);
        Consume(g, t);
    }
}

// The same, up at the first look.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_copied_up_already(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Produce(g, t);
        RaiseCopy(g.x[FLAG], t.c);
    } else {
        AwaitCopy(g.x[FLAG], t.c);
        Consume(g, t);
    }
}

// Each core adds to a counter in memory; who finds all there goes on.
// expect: silent
// blocks: 4
extern "C" __global__ __aicore__ void counter_of_arrivals(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    int32_t me = GetBlockIdx();
    int32_t all = GetBlockNum();
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w[me * N], t.a, N);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    DataCopy(g.x[FLAG], t.a, 8);
    SetAtomicNone();
    do {
        Sync<HardEvent::S_MTE2>();
        DataCopy(t.c, g.x[FLAG], 8);
        Sync<HardEvent::MTE2_S>();
    } while (t.c.GetValue(0) < float(all));
    Sync<HardEvent::S_MTE2>();
    DataCopy(t.b, g.w[(me + 1) % all * N], N);
}

// The reader goes through a plain pointer.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_through_a_pointer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Produce(g, t);
        Raise(g.x[FLAG]);
    } else {
        volatile __gm__ float* flag = (volatile __gm__ float*)x + FLAG;
        do {
            dcci((__gm__ void*)flag, SINGLE_CACHE_LINE);
        } while (*flag == 0.0f);
        Consume(g, t);
    }
}

// A flag goes up and down again, round by round.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_with_answer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 3; ++i) {
        if (GetBlockIdx() == 1) {
            Produce(g, t);
            Raise(g.x[FLAG]);
            do {
                Clean(g.x[FLAG]);
            } while (g.x[FLAG].GetValue(0) != 0.0f);
        } else {
            Await(g.x[FLAG]);
            Consume(g, t);
            Sync<HardEvent::MTE2_S>();
            g.x[FLAG].SetValue(0, 0.0f);
            Clean(g.x[FLAG]);
        }
    }
}

// IBSet and IBWait; event 48 of two blocks has its flag of block 1 at element 97 x 8.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void block_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
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
    } else {
        IBWait(flags, local, 1, 48);
        DataCopy(t.b, g.w, N);
    }
}
