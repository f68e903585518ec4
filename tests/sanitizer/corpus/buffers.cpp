// SPDX-License-Identifier: Apache-2.0
// Buffers that are used in turns, by hand and through queues.
//
// Above each kernel stand its defect, what the checker must say (kind, then pipe@label of the earlier and of
// the later operation; labels are at the ends of lines), and optionally `blocks` and `numbers: sum` where z =
// x + y comes out right all the same. `expect: silent` marks the correct twins.
#include "corpus.h"

// Two buffers, two flags each way.
// expect: silent
extern "C" __global__ __aicore__ void ping_pong(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    LocalTensor<float> in[2] = {t.a, t.b};
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        WaitFlag<HardEvent::V_MTE2>(k);
        DataCopy(in[k], g.x[i * N], N);
        SetFlag<HardEvent::MTE2_V>(k);
        WaitFlag<HardEvent::MTE2_V>(k);
        if (i > 0) {
            WaitFlag<HardEvent::MTE3_V>(0);
        }
        Adds(t.c, in[k], 1.0f, N);
        SetFlag<HardEvent::V_MTE2>(k);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);
        if (i < 3) {
            SetFlag<HardEvent::MTE3_V>(0);
        }
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
}

// A flag set in advance lets the wait pass one copy too early.
// expect: race mte2@in vector@add
extern "C" __global__ __aicore__ void ping_pong_stale_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::MTE2_V>(1);
    LocalTensor<float> in[2] = {t.a, t.b};
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        WaitFlag<HardEvent::V_MTE2>(k);
        DataCopy(in[k], g.x[i * N], N);  // @in
        SetFlag<HardEvent::MTE2_V>(k);
        WaitFlag<HardEvent::MTE2_V>(1 - k);
        if (i > 0) {
            WaitFlag<HardEvent::MTE3_V>(0);
        }
        Adds(t.c, in[k], 1.0f, N);  // @add
        SetFlag<HardEvent::V_MTE2>(k);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);
        if (i < 3) {
            SetFlag<HardEvent::MTE3_V>(0);
        }
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::MTE2_V>(1);
}

// Two buffers, but no flag says when they may be filled again.
// expect: race vector@add mte2@in
extern "C" __global__ __aicore__ void ping_pong_without_return(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<float> in[2] = {t.a, t.b};
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        DataCopy(in[k], g.x[i * N], N);  // @in
        SetFlag<HardEvent::MTE2_V>(k);
        WaitFlag<HardEvent::MTE2_V>(k);
        if (i > 0) {
            WaitFlag<HardEvent::MTE3_V>(0);
        }
        Adds(t.c, in[k], 1.0f, N);  // @add
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);
        if (i < 3) {
            SetFlag<HardEvent::MTE3_V>(0);
        }
    }
}

// A TBuf has EnQue and DeQue, but they order nothing.
// expect: race mte2@in vector@add
extern "C" __global__ __aicore__ void buffer_taken_for_a_queue(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);  // @in
    t.bufA.EnQue(t.a);
    LocalTensor<float> v = t.bufA.DeQue<float>();
    Adds(t.c, v, 1.0f, N);  // @add
}

// Queues order everything by themselves.
// expect: silent
extern "C" __global__ __aicore__ void queues(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        in.EnQue(v);
        v = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);
        in.FreeTensor(v);
        out.EnQue(r);
        r = out.DeQue<float>();
        DataCopy(g.z[i * N], r, N);
        out.FreeTensor(r);
    }
}

// A tensor of a queue is used without EnQue and DeQue.
// expect: race mte2@in vector@add
extern "C" __global__ __aicore__ void queue_without_enque(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);  // @in
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);  // @add
        in.FreeTensor(v);
        out.EnQue(r);
        r = out.DeQue<float>();
        DataCopy(g.z[i * N], r, N);  // @out
        out.FreeTensor(r);
    }
}

// The input is used before it comes out of its queue.
// expect: race mte2@in vector@add
extern "C" __global__ __aicore__ void queue_without_deque(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);  // @in
        in.EnQue(v);
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);  // @add
        v = in.DeQue<float>();
        in.FreeTensor(v);
        out.EnQue(r);
        r = out.DeQue<float>();
        DataCopy(g.z[i * N], r, N);  // @out
        out.FreeTensor(r);
    }
}

// The result leaves without EnQue and DeQue.
// expect: race vector@add mte3@out
extern "C" __global__ __aicore__ void result_without_enque(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);  // @in
        in.EnQue(v);
        v = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);  // @add
        in.FreeTensor(v);
        DataCopy(g.z[i * N], r, N);  // @out
        out.FreeTensor(r);
    }
}

// A queue of depth 1 is given a second tensor: the chip's would forget the first.
// expect: illegal scalar@second
extern "C" __global__ __aicore__ void fills_a_queue_beyond_its_depth(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, BYTES);
    for (int32_t i = 0; i < 2; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        in.EnQue(v);  // @second
    }
}

// Of depth 2 it holds both.
// expect: silent
extern "C" __global__ __aicore__ void fills_a_queue_of_depth_two(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> both;
    pipe.InitBuffer(both, 2, BYTES);
    for (int32_t i = 0; i < 2; ++i) {
        LocalTensor<float> v = both.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        both.EnQue(v);
    }
    for (int32_t i = 0; i < 2; ++i) {
        LocalTensor<float> v = both.DeQue<float>();
        DataCopy(g.z[i * N], v, N);
        both.FreeTensor(v);
    }
}
