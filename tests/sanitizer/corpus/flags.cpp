// SPDX-License-Identifier: Apache-2.0
// Flags out of step.
//
// Above each kernel stand its defect, what the checker must say (kind, then pipe@label of the earlier and of
// the later operation; labels are at the ends of lines), and optionally `blocks` and `numbers: sum` where z =
// x + y comes out right all the same. `expect: silent` marks the correct twins.
#include "corpus.h"

// The flag is raised again before anyone waited for it.
// expect: double_set mte2@first mte2@second
extern "C" __global__ __aicore__ void set_twice(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);  // @first
    DataCopy(t.b, g.y, N);
    SetFlag<HardEvent::MTE2_V>(0);  // @second
    WaitFlag<HardEvent::MTE2_V>(0);
    Add(t.c, t.a, t.b, N);
}

// Two flags at once have two ids.
// expect: silent
extern "C" __global__ __aicore__ void two_ids(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);
    DataCopy(t.b, g.y, N);
    SetFlag<HardEvent::MTE2_V>(1);
    WaitFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(1);
    Add(t.c, t.a, t.b, N);
}

// The last round sets a flag that nobody waits for.
// expect: set_never_waited vector@set
extern "C" __global__ __aicore__ void left_up(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 2; ++i) {
        if (i > 0) {
            WaitFlag<HardEvent::V_MTE2>(0);
        }
        DataCopy(t.a, g.x[i * N], N);
        Sync<HardEvent::MTE2_V>();
        Adds(t.c, t.a, 1.0f, N);
        PipeBarrier<PIPE_V>();
        SetFlag<HardEvent::V_MTE2>(0);  // @set
    }
}

// The pipe waits for a flag that nobody raises.
// expect: wait_never_set vector@wait
extern "C" __global__ __aicore__ void never_set(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    WaitFlag<HardEvent::MTE2_V>(0);  // @wait
    Adds(t.c, t.a, 1.0f, N);
}

// One id is raised, another awaited.
// expect: wait_never_set vector@wait
// expect: set_never_waited mte2@set
extern "C" __global__ __aicore__ void other_id(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);   // @set
    WaitFlag<HardEvent::MTE2_V>(1);  // @wait
    Adds(t.c, t.a, 1.0f, N);
}

// The second flag says what the first has said.
// expect: redundant_flag vector@second
// numbers: sum
extern "C" __global__ __aicore__ void flag_for_nothing_new(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    SetFlag<HardEvent::MTE2_V>(0);
    SetFlag<HardEvent::MTE2_V>(1);
    WaitFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(1);  // @second
    Add(t.c, t.a, t.b, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.c, N);
}

// A barrier of all pipes has ordered it already.
// expect: redundant_flag mte3@wait
// numbers: sum
extern "C" __global__ __aicore__ void flag_behind_a_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    Add(t.c, t.a, t.b, N);
    PipeBarrier<PIPE_ALL>();
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);  // @wait
    DataCopy(g.z, t.c, N);
}

// A barrier of all pipes has ordered it already, but the flag is the queue's: nobody can leave it out.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void queue_behind_a_barrier(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 2 * BYTES);
    pipe.InitBuffer(out, 1, BYTES);
    LocalTensor<float> both = in.AllocTensor<float>();
    DataCopy(both, g.x, N);
    DataCopy(both[N], g.y, N);
    PipeBarrier<PIPE_ALL>();
    in.EnQue(both);
    both = in.DeQue<float>();
    LocalTensor<float> sum = out.AllocTensor<float>();
    Add(sum, both, both[N], N);
    PipeBarrier<PIPE_ALL>();
    out.EnQue(sum);
    sum = out.DeQue<float>();
    DataCopy(g.z, sum, N);
    in.FreeTensor(both);
    out.FreeTensor(sum);
}
