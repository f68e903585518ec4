// SPDX-License-Identifier: Apache-2.0
// Barriers that one pipe needs: its instructions start in order but overlap.
//
// Above each kernel stand its defect, what the checker must say (kind, then pipe@label of the earlier and of
// the later operation; labels are at the ends of lines), and optionally `blocks` and `numbers: sum` where z =
// x + y comes out right all the same. `expect: silent` marks the correct twins.
#include "corpus.h"

// Each instruction waits for the one it depends on.
// expect: silent
extern "C" __global__ __aicore__ void chain_with_barriers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.d, t.a, 1.0f, N);
    PipeBarrier<PIPE_V>();
    Add(t.c, t.d, t.b, N);
    PipeBarrier<PIPE_V>();
    Adds(t.c, t.c, -1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// The second instruction reads what the first may not have written.
// expect: missing_barrier vector@first vector@second
// numbers: sum
extern "C" __global__ __aicore__ void read_after_write(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.d, t.a, 0.0f, N);  // @first
    Add(t.c, t.d, t.b, N);    // @second
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// In place is no exception.
// expect: missing_barrier vector@first vector@second
// numbers: sum
extern "C" __global__ __aicore__ void in_place(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);    // @first
    Muls(t.c, t.c, 1.0f, N);  // @second
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// Two instructions write one range in an order nobody guarantees.
// expect: missing_barrier vector@first vector@second
// numbers: sum
extern "C" __global__ __aicore__ void write_after_write(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Duplicate(t.c, 0.0f, N);  // @first
    Add(t.c, t.a, t.b, N);    // @second
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// Only the last blocks are shared.
// expect: missing_barrier vector@first vector@second
extern "C" __global__ __aicore__ void part_of_a_tile(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.d, t.a, 1.0f, N);           // @first
    Adds(t.c, t.d[N - 16], 1.0f, 16);  // @second
}

// Neighbouring parts need no barrier.
// expect: silent
extern "C" __global__ __aicore__ void parts_apart(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.d, t.a, 1.0f, N / 2);
    Adds(t.d[N / 2], t.a[N / 2], 1.0f, N / 2);
    Adds(t.c, t.b, 1.0f, N);
}

// Writing what an earlier instruction reads needs no barrier: starts are in order.
// expect: silent
extern "C" __global__ __aicore__ void overwrites_what_was_read(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, N);
    Adds(t.a, t.b, 1.0f, N);
}

// A sum over iterations depends on the one before.
// expect: missing_barrier vector@sum vector@sum
extern "C" __global__ __aicore__ void running_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Duplicate(t.c, 0.0f, N);
    PipeBarrier<PIPE_V>();
    for (int32_t i = 0; i < 3; ++i) {
        Add(t.c, t.c, t.a, N);  // @sum
    }
}

// The same with its barrier.
// expect: silent
extern "C" __global__ __aicore__ void running_sum_in_order(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Duplicate(t.c, 0.0f, N);
    for (int32_t i = 0; i < 3; ++i) {
        PipeBarrier<PIPE_V>();
        Add(t.c, t.c, t.a, N);
    }
}

// A conversion is a vector instruction too.
// expect: missing_barrier vector@cast vector@add
extern "C" __global__ __aicore__ void conversion_chain(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<half> h = t.d.ReinterpretCast<half>();
    Cast(h, t.a, RoundMode::CAST_NONE, N);  // @cast
    Adds(h[N], h, (half)1.0, N);            // @add
}

// A result written in strides is read densely.
// expect: missing_barrier vector@strided vector@dense
extern "C" __global__ __aicore__ void strided_operand(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 64;
    Adds(t.d, t.a, 1.0f, mask, 2, {2, 1, 16, 8});  // @strided
    Adds(t.c, t.d, 1.0f, 8);                       // @dense
}

// Even and odd blocks do not meet.
// expect: silent
extern "C" __global__ __aicore__ void columns_apart(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t mask = 64;
    Adds(t.d, t.a, 1.0f, mask, 2, {2, 1, 16, 8});
    Adds(t.d[8], t.b, 1.0f, mask, 2, {2, 1, 16, 8});
}

// The second reduction reads the partial sums of the first.
// expect: missing_barrier vector@first vector@second
extern "C" __global__ __aicore__ void reduction_chain(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    WholeReduceSum<float>(t.c, t.a, 64, 4, 1, 1, 8);  // @first
    WholeReduceSum<float>(t.d, t.c, 4, 1, 1, 1, 8);   // @second
}

// A copy inside the unified buffer runs on the vector pipe as well.
// expect: missing_barrier vector@add vector@copy
extern "C" __global__ __aicore__ void copy_of_a_result(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);  // @add
    DataCopy(t.d, t.c, N);  // @copy
}

// The second barrier has nothing to wait for.
// expect: redundant_barrier vector@second
extern "C" __global__ __aicore__ void barrier_twice(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.d, t.a, 1.0f, N);
    PipeBarrier<PIPE_V>();
    PipeBarrier<PIPE_V>();  // @second
    Add(t.c, t.d, t.b, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// A barrier behind one of all pipes is of no use.
// expect: redundant_barrier vector@second
extern "C" __global__ __aicore__ void barrier_behind_all(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.d, t.a, 1.0f, N);
    PipeBarrier<PIPE_ALL>();
    PipeBarrier<PIPE_V>();  // @second
    Add(t.c, t.d, t.b, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// Two transposes that write every second block of 32 bytes, several times over: no byte is written twice.
// expect: silent
extern "C" __global__ __aicore__ void interleaved_transposes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TBuf<TPosition::VECCALC> from_buffer, to_buffer;
    pipe.InitBuffer(from_buffer, 4096);
    pipe.InitBuffer(to_buffer, 4096);
    LocalTensor<float> from = from_buffer.Get<float>();
    LocalTensor<float> to = to_buffer.Get<float>();
    DataCopy(from, g.x, 1024);
    Sync<HardEvent::MTE2_V>();
    TransDataTo5HDParams params(
        false, false, 4, 32, 32);  // four times 16 blocks; the next 32 blocks further on
    for (uint32_t turn = 0; turn < 2; ++turn) {
        LocalTensor<float> rows[16], columns[16];
        for (uint32_t i = 0; i < 16; ++i) {
            rows[i] = from[(2 * i + turn) * 8];
            columns[i] = to[(2 * i + turn) * 8];
        }
        TransDataTo5HD<float>(columns, rows, params);
    }
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, to, 1024);
}

// The second transpose starts a block too early: it writes fifteen blocks of the first.
// expect: missing_barrier vector@transpose vector@transpose
extern "C" __global__ __aicore__ void overlapping_transposes(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TBuf<TPosition::VECCALC> from_buffer, to_buffer;
    pipe.InitBuffer(from_buffer, 4096);
    pipe.InitBuffer(to_buffer, 4096);
    LocalTensor<float> from = from_buffer.Get<float>();
    LocalTensor<float> to = to_buffer.Get<float>();
    DataCopy(from, g.x, 1024);
    Sync<HardEvent::MTE2_V>();
    TransDataTo5HDParams params(false, false, 3, 32, 32);
    for (uint32_t turn = 0; turn < 2; ++turn) {
        LocalTensor<float> rows[16], columns[16];
        for (uint32_t i = 0; i < 16; ++i) {
            rows[i] = from[2 * i * 8];
            columns[i] = to[2 * (i + turn) * 8];
        }
        TransDataTo5HD<float>(columns, rows, params);  // @transpose
    }
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, to, 8);
}

// A load writes half of what the one before brings.
// expect: missing_barrier mte2@first mte2@second
extern "C" __global__ __aicore__ void loads_overlap(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);             // @first
    DataCopy(t.a[N / 2], g.y, N / 2);  // @second
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

// It waits for the one before.
// expect: silent
extern "C" __global__ __aicore__ void loads_overlap_in_order(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(t.a[N / 2], g.y, N / 2);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

// Nobody reads what was loaded: only L2 keeps it.
// expect: silent
extern "C" __global__ __aicore__ void loads_that_fill_the_cache(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.a, g.y, N);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(t.a, g.x[N], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

// Both bring the same bytes, as where the last tile is moved back to end with the data.
// expect: silent
extern "C" __global__ __aicore__ void loads_of_the_same(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.a[N / 2], g.x[N / 2], N / 2);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.a, N);
}

// A buffer goes round: between two loads its content is used up.
// expect: silent
extern "C" __global__ __aicore__ void loads_in_turns(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 3; ++i) {
        DataCopy(t.a, g.x[i * N], N);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(g.z[i * N], t.a, N);
        Sync<HardEvent::MTE3_MTE2>();
    }
}
