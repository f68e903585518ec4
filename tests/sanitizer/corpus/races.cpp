// SPDX-License-Identifier: Apache-2.0
// Races between the pipes of one core.
//
// Above each kernel stand its defect, what the checker must say (kind, then pipe@label of the earlier and of
// the later operation; labels are at the ends of lines), and optionally `blocks` and `numbers: sum` where z =
// x + y comes out right all the same. `expect: silent` marks the correct twins.
#include "corpus.h"

// Every hand-over has its flag.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void pipes_ordered(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// The sum starts while its inputs may still be on their way.
// expect: race mte2@y vector@add
// numbers: sum
extern "C" __global__ __aicore__ void missing_mte2_v(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);  // @y
    Add(t.c, t.a, t.b, N);  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// The result is copied out while it may still be computed.
// expect: race vector@add mte3@out
// numbers: sum
extern "C" __global__ __aicore__ void missing_v_mte3(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);  // @add
    DataCopy(g.z, t.c, N);  // @out
}

// The flag is set before the copy that it should announce.
// expect: race mte2@y vector@add
// numbers: sum
extern "C" __global__ __aicore__ void flag_before_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);
    DataCopy(t.b, g.y, N);  // @y
    WaitFlag<HardEvent::MTE2_V>(0);
    Add(t.c, t.a, t.b, N);  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// The wait comes after the computation it should hold back.
// expect: race mte2@x vector@add
// numbers: sum
extern "C" __global__ __aicore__ void wait_behind_use(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.b, g.y, N);
    DataCopy(t.a, g.x, N);  // @x
    SetFlag<HardEvent::MTE2_V>(0);
    Add(t.c, t.a, t.b, N);  // @add
    WaitFlag<HardEvent::MTE2_V>(0);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// The flag goes to the store pipe, not to the vector pipe that reads.
// expect: race mte2@y vector@add
// numbers: sum
extern "C" __global__ __aicore__ void wrong_pair_of_pipes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);  // @y
    Sync<HardEvent::MTE2_MTE3>();
    Add(t.c, t.a, t.b, N);  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// A barrier of the vector pipe does not wait for a copy.
// expect: race mte2@y vector@add
// numbers: sum
extern "C" __global__ __aicore__ void vector_barrier_for_a_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);  // @y
    PipeBarrier<PIPE_V>();
    Add(t.c, t.a, t.b, N);  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// A barrier of all pipes does wait for it.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void barrier_of_all_pipes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    PipeBarrier<PIPE_ALL>();
    Add(t.c, t.a, t.b, N);
    PipeBarrier<PIPE_ALL>();
    DataCopy(g.z, t.c, N);
}

// Buffers are reused when their readers say so.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void loop_in_order(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 2; ++i) {
        if (i > 0) {
            WaitFlag<HardEvent::V_MTE2>(0);
            WaitFlag<HardEvent::MTE3_V>(0);
        }
        DataCopy(t.a, g.x[i * N], N);
        DataCopy(t.b, g.y[i * N], N);
        Sync<HardEvent::MTE2_V>();
        Add(t.c, t.a, t.b, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);
        if (i == 0) {
            SetFlag<HardEvent::V_MTE2>(0);
            SetFlag<HardEvent::MTE3_V>(0);
        }
    }
}

// The next copy overwrites inputs that may still be read.
// expect: race vector@add mte2@y
// numbers: sum
extern "C" __global__ __aicore__ void missing_v_mte2(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 2; ++i) {
        if (i > 0) {
            WaitFlag<HardEvent::MTE3_V>(0);
        }
        DataCopy(t.a, g.x[i * N], N);
        DataCopy(t.b, g.y[i * N], N);  // @y
        Sync<HardEvent::MTE2_V>();
        Add(t.c, t.a, t.b, N);  // @add
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);
        if (i == 0) {
            SetFlag<HardEvent::MTE3_V>(0);
        }
    }
}

// The next sum overwrites a result that may still be copied out.
// expect: race mte3@out vector@add
// numbers: sum
extern "C" __global__ __aicore__ void missing_mte3_v(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 2; ++i) {
        if (i > 0) {
            WaitFlag<HardEvent::V_MTE2>(0);
        }
        DataCopy(t.a, g.x[i * N], N);
        DataCopy(t.b, g.y[i * N], N);
        Sync<HardEvent::MTE2_V>();
        Add(t.c, t.a, t.b, N);  // @add
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);  // @out
        if (i == 0) {
            SetFlag<HardEvent::V_MTE2>(0);
        }
    }
}

// A buffer is filled again while it may still be copied out.
// expect: race mte3@out mte2@in
extern "C" __global__ __aicore__ void missing_mte3_mte2(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);  // @out
    DataCopy(t.a, g.y, N);  // @in
}

// Global memory is read back while it may still be written.
// expect: race mte3@out mte2@in
extern "C" __global__ __aicore__ void workspace_read_back_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.w, t.a, N);  // @out
    DataCopy(t.b, g.w, N);  // @in
}

// The same with the flag.
// expect: silent
extern "C" __global__ __aicore__ void workspace_read_back(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.w, t.a, N);
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(t.b, g.w, N);
}

// Only the second half of the input was copied before the flag was set.
// expect: race mte2@first vector@add
// numbers: sum
extern "C" __global__ __aicore__ void half_a_tile_unordered(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.b, g.y, N);
    DataCopy(t.a[N / 2], g.x[N / 2], N / 2);
    SetFlag<HardEvent::MTE2_V>(0);
    DataCopy(t.a, g.x, N / 2);  // @first
    WaitFlag<HardEvent::MTE2_V>(0);
    Add(t.c, t.a, t.b, N);  // @add
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// Rows of one copy share a block with the rows computed meanwhile.
// expect: race mte2@rows vector@fill
extern "C" __global__ __aicore__ void rows_that_touch(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, DataCopyParams(8, 1, 0, 3));  // @rows
    Duplicate(t.a[64], 1.0f, 16);                    // @fill
}

// Rows of one copy lie between the rows computed meanwhile.
// expect: silent
extern "C" __global__ __aicore__ void rows_that_interleave(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, DataCopyParams(8, 1, 0, 3));
    uint64_t mask = 8;
    Duplicate(t.a[8], 1.0f, mask, 8, 1, 4);
}

// The scalar unit reads a result that may still be computed.
// expect: race vector@fill scalar@get
extern "C" __global__ __aicore__ void scalar_reads_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 2.0f, N);    // @fill
    float s = t.a.GetValue(0);  // @get
    Duplicate(t.b, s, N);
}

// The same with a flag to the scalar unit.
// expect: silent
extern "C" __global__ __aicore__ void scalar_reads_in_time(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 2.0f, N);
    Sync<HardEvent::V_S>();
    float s = t.a.GetValue(0);
    Duplicate(t.b, s, N);
}

// The scalar unit reads what may still be on its way.
// expect: race mte2@in scalar@get
extern "C" __global__ __aicore__ void scalar_reads_a_copy_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);      // @in
    float s = t.a.GetValue(0);  // @get
    Duplicate(t.b, s, N);
}

// The vector unit reads what the scalar unit may not have stored yet.
// expect: race scalar@set vector@add
extern "C" __global__ __aicore__ void scalar_writes_late(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_S>();
    t.a.SetValue(0, 1.0f);  // @set
    Add(t.c, t.a, t.b, N);  // @add
}

// The same with a flag from the scalar unit.
// expect: silent
extern "C" __global__ __aicore__ void scalar_writes_in_time(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_S>();
    t.a.SetValue(0, 1.0f);
    Sync<HardEvent::S_V>();
    Add(t.c, t.a, t.b, N);
}

// The scalar unit stores into an input that may still be read.
// expect: race vector@add scalar@set
// numbers: sum
extern "C" __global__ __aicore__ void scalar_overwrites_an_input(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);  // @add
    t.a.SetValue(7, 0.0f);  // @set
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// A copy takes what the scalar unit may not have stored yet.
// expect: race scalar@set mte3@out
extern "C" __global__ __aicore__ void scalar_store_copied_out_early(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    t.a.SetValue(0, 1.0f);                                    // @set
    DataCopyPad(g.z, t.a, DataCopyExtParams(1, 4, 0, 0, 0));  // @out
}

// The sum is read by the scalar unit before the reduction is known to be over.
// expect: race vector@sum scalar@get
extern "C" __global__ __aicore__ void reduction_read_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    WholeReduceSum<float>(t.b, t.a, 64, 4, 1, 1, 8);  // @sum
    float s = t.b.GetValue(0);                        // @get
    Duplicate(t.c, s, N);
}
