// SPDX-License-Identifier: Apache-2.0
// Cores that tell each other through words of global memory, and get it wrong; beside each its silent twin.
#include "flag_words.h"

// Nobody cleans the flag's line.
// expect: cache_not_cleaned scalar@set scalar@get
// expect: core_race mte3 mte2
// blocks: 2
extern "C" __global__ __aicore__ void flag_not_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Produce(g, t);
        g.x[FLAG].SetValue(0, 1.0f);  // @set
    } else {
        do {
            Clean(g.x[FLAG]);
        } while (g.x[FLAG].GetValue(0) == 0.0f);  // @get
        Consume(g, t);
    }
}

// The waiting core may find its own old copy of the line for ever.
// expect: core_race scalar@set scalar@get
// expect: core_race mte3 mte2
// blocks: 2
extern "C" __global__ __aicore__ void flag_not_invalidated(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Produce(g, t);
        g.x[FLAG].SetValue(0, 1.0f);  // @set
        Clean(g.x[FLAG]);
    } else {
        while (g.x[FLAG].GetValue(0) == 0.0f) {  // @get
        }
        Consume(g, t);
    }
}

// This run happens to look late enough.
// expect: core_race scalar@set scalar@get
// expect: core_race mte3 mte2
// blocks: 2
extern "C" __global__ __aicore__ void flag_not_invalidated_either(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Produce(g, t);
        g.x[FLAG].SetValue(0, 1.0f);  // @set
        Clean(g.x[FLAG]);
    } else {
        while (g.x[FLAG].GetValue(0) == 0.0f) {  // @get
        }
        Consume(g, t);
    }
}

// Nor does it here, where the other has to wait.
// expect: core_race scalar@set scalar@get
// expect: core_race mte3 mte2
// blocks: 2
extern "C" __global__ __aicore__ void flag_not_cleaned_either(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Produce(g, t);
        g.x[FLAG].SetValue(0, 1.0f);  // @set
    } else {
        do {
            Clean(g.x[FLAG]);
        } while (g.x[FLAG].GetValue(0) == 0.0f);  // @get
        Consume(g, t);
    }
}

// SyncAll orders the cores, but the reader's cache holds the line from before.
// expect: cache_stale scalar@set scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void read_again_from_the_cache(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float value = 0;
    for (int32_t i = 0; i < 2; ++i) {
        if (i == 1 && GetBlockIdx() == 0) {
            g.x.SetValue(FLAG, 2.0f);  // @set
            Clean(g.x[FLAG]);
        }
        SyncAll();
        if (GetBlockIdx() == 1) {
            value += g.x.GetValue(FLAG);  // @get
        }
        SyncAll();
    }
    Duplicate(t.a, value, N);
}

// It is invalidated before.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void read_again_from_memory(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float value = 0;
    for (int32_t i = 0; i < 2; ++i) {
        if (i == 1 && GetBlockIdx() == 0) {
            g.x.SetValue(FLAG, 2.0f);
            Clean(g.x[FLAG]);
        }
        SyncAll();
        if (GetBlockIdx() == 1) {
            Clean(g.x[FLAG]);
            value += g.x.GetValue(FLAG);
        }
        SyncAll();
    }
    Duplicate(t.a, value, N);
}

// What is announced comes behind the announcement.
// expect: core_race mte3@out mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void data_behind_the_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        Raise(g.x[FLAG]);
        DataCopy(g.w, t.a, N);  // @out
    } else {
        Await(g.x[FLAG]);
        Sync<HardEvent::S_MTE2>();
        DataCopy(t.b, g.w, N);  // @in
    }
}

// The scalar unit raises the flag while the copy is under way.
// expect: core_race mte3@out mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void flag_before_the_copy_is_done(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N);  // @out
        Raise(g.x[FLAG]);
    } else {
        Await(g.x[FLAG]);
        Sync<HardEvent::S_MTE2>();
        DataCopy(t.b, g.w, N);  // @in
    }
}

// The copy of the flag may overtake the copy of the data.
// expect: core_race mte3@out mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void flag_copied_without_barrier(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N);  // @out
        DataCopy(g.x[FLAG], t.a, 8);
    } else {
        AwaitCopy(g.x[FLAG], t.c);
        Sync<HardEvent::S_MTE2>();
        DataCopy(t.b, g.w, N);  // @in
    }
}

// With the barrier it may not.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void flag_copied_behind_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.w, t.a, N);
        PipeBarrier<PIPE_MTE3>();
        DataCopy(g.x[FLAG], t.a, 8);
    } else {
        AwaitCopy(g.x[FLAG], t.c);
        Consume(g, t);
    }
}

// The data are fetched before the flag is looked at.
// expect: core_race mte3 mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void data_before_the_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Produce(g, t);
        Raise(g.x[FLAG]);
    } else {
        DataCopy(t.b, g.w, N);  // @in
        Await(g.x[FLAG]);
    }
}

// The next round overwrites what nobody said was read.
// expect: core_race mte2@in mte3@out
// blocks: 2
extern "C" __global__ __aicore__ void flag_without_answer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 1; i <= 2; ++i) {
        if (GetBlockIdx() == 1) {
            Duplicate(t.a, 1.0f, N);
            Sync<HardEvent::V_MTE3>();
            DataCopy(g.w, t.a, N);  // @out
            Sync<HardEvent::MTE3_S>();
            g.x[FLAG].SetValue(0, float(i));
            Clean(g.x[FLAG]);
            Await(g.x);  // once only: who says that the second round may begin?
        } else {
            do {
                Clean(g.x[FLAG]);
            } while (g.x[FLAG].GetValue(0) < float(i));
            if (i == 1) {
                Raise(g.x);
            }
            Sync<HardEvent::S_MTE2>();
            DataCopy(t.b, g.w, N);  // @in
            Sync<HardEvent::MTE2_S>();
        }
    }
}

// A copy that another pipe uses is no look at a flag.
// expect: core_race mte3 mte2@in
// blocks: 2
extern "C" __global__ __aicore__ void small_copy_of_data(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 1) {
        Produce(g, t);
    } else {
        DataCopy(t.b, g.w, 64);  // @in
        Sync<HardEvent::MTE2_V>();
        Adds(t.c, t.b, 1.0f, 64);
    }
}

// A value is fetched with all care for the caches, but without waiting for it.
// expect: unproven_flag scalar@set scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void value_read_once(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    float value = 0;
    if (GetBlockIdx() == 1) {
        g.x.SetValue(FLAG, 2.0f);  // @set
        Clean(g.x[FLAG]);
    } else {
        Clean(g.x[FLAG]);

        value = g.x.GetValue(FLAG);  // @get
    }

    Duplicate(t.a, value, N);
}
