// SPDX-License-Identifier: Apache-2.0
// Pairs of pipes that hand data on: what is missing, too early, of another pipe, or out of step.
//
// See races.cpp for what stands above each kernel.
#include "corpus.h"

// A tile goes through the unified buffer and leaves before it has come.
// expect: race mte2@in mte3@out
extern "C" __global__ __aicore__ void through_without_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);  // @in
    DataCopy(g.z, t.a, N);  // @out
}

// The flag is of the vector unit, which has nothing to do with it.
// expect: race mte2@in mte3@out
extern "C" __global__ __aicore__ void through_with_flag_of_the_vector_unit(GM_ADDR x,
                                                                           GM_ADDR y,
                                                                           GM_ADDR z,
                                                                           GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);  // @in
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);  // @out
}

// The next tile comes while the one before may still leave.
// expect: race mte3@out mte2@in
extern "C" __global__ __aicore__ void through_without_return(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 3; ++i) {
        DataCopy(t.a, g.x[i * N], N);  // @in
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(g.z[i * N], t.a, N);  // @out
    }
}

// Flags both ways.
// expect: silent
extern "C" __global__ __aicore__ void through_and_back(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 3; ++i) {
        if (i > 0) {
            WaitFlag<HardEvent::MTE3_MTE2>(0);
        }
        DataCopy(t.a, g.x[i * N], N);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(g.z[i * N], t.a, N);
        if (i < 2) {
            SetFlag<HardEvent::MTE3_MTE2>(0);
        }
    }
}

// The flag that says the tile has left is set before it leaves.
// expect: race mte3@out vector@fill
extern "C" __global__ __aicore__ void return_set_before_the_copy(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    SetFlag<HardEvent::MTE3_V>(0);
    DataCopy(g.z, t.a, N);  // @out
    WaitFlag<HardEvent::MTE3_V>(0);
    Duplicate(t.a, 2.0f, N);  // @fill
    Sync<HardEvent::V_MTE3>(1);
    DataCopy(g.z[N], t.a, N);
}

// Only the first round waits.
// expect: race mte2@in vector@add
extern "C" __global__ __aicore__ void only_the_first_round_waits(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 2; ++i) {
        LocalTensor<float> from = i == 0 ? t.a : t.b;
        DataCopy(from, g.x[i * N], N);  // @in
        if (i == 0) {
            Sync<HardEvent::MTE2_V>();
        }
        Adds(i == 0 ? t.c : t.d, from, 1.0f, N);  // @add
    }
}

// The next tile is fetched ahead into the buffer that the sum before may still read.
// expect: race vector@add mte2@ahead
extern "C" __global__ __aicore__ void fetched_ahead_too_far(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<float> in[2] = {t.a, t.b};
    DataCopy(in[0], g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);
    for (int32_t i = 0; i < 4; ++i) {
        int32_t k = i % 2;
        WaitFlag<HardEvent::MTE2_V>(k);
        if (i < 3) {
            DataCopy(in[1 - k], g.x[(i + 1) * N], N);  // @ahead
            SetFlag<HardEvent::MTE2_V>(1 - k);
        }
        if (i > 0) {
            PipeBarrier<PIPE_V>();
        }
        Adds(t.c, in[k], 1.0f, N);  // @add
    }
}

// Three buffers with three flags.
// expect: silent
extern "C" __global__ __aicore__ void three_buffers_three_flags(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    LocalTensor<float> in[3] = {t.a, t.b, t.c};
    SetFlag<HardEvent::V_MTE2>(0);
    SetFlag<HardEvent::V_MTE2>(1);
    SetFlag<HardEvent::V_MTE2>(2);
    for (int32_t i = 0; i < 6; ++i) {
        int32_t k = i % 3;
        WaitFlag<HardEvent::V_MTE2>(k);
        DataCopy(in[k], g.x[i * N], N);
        Sync<HardEvent::MTE2_V>();
        PipeBarrier<PIPE_V>();
        Adds(t.d, in[k], 1.0f, N);
        SetFlag<HardEvent::V_MTE2>(k);
    }
    WaitFlag<HardEvent::V_MTE2>(0);
    WaitFlag<HardEvent::V_MTE2>(1);
    WaitFlag<HardEvent::V_MTE2>(2);
}

// The flag set ahead of the loop is set again by its first round.
// expect: double_set vector@ahead vector@again
extern "C" __global__ __aicore__ void set_ahead_and_again(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    SetFlag<HardEvent::V_MTE2>(0);  // @ahead
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Adds(t.c, t.a, 1.0f, N);
    SetFlag<HardEvent::V_MTE2>(0);  // @again
    WaitFlag<HardEvent::V_MTE2>(0);
    DataCopy(t.a, g.y, N);
}

// The result has left, but nobody takes the flag that says so.
// expect: set_never_waited mte3@set
extern "C" __global__ __aicore__ void result_flag_never_taken(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
    SetFlag<HardEvent::MTE3_MTE2>(2);  // @set
}

// The copy out waits for a flag of the vector unit that is never set.
// expect: wait_never_set mte3@wait
extern "C" __global__ __aicore__ void copy_out_waits_for_ever(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    WaitFlag<HardEvent::V_MTE3>(0);  // @wait
    DataCopy(g.z, t.a, N);
}

// The scalar unit waits for a copy that follows the wait.
// missed: the deadlock's text names flag, line and pipe, but there is no finding of the kind
// expect: wait_never_set scalar@wait
extern "C" __global__ __aicore__ void scalar_waits_for_what_follows(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    WaitFlag<HardEvent::MTE2_S>(0);  // @wait
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_S>(0);
}

// Two pipes wait for each other: the buffer is free once it was read, and is read once it is filled.
// expect: wait_never_set mte2@wait
extern "C" __global__ __aicore__ void two_pipes_wait_for_each_other(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    WaitFlag<HardEvent::V_MTE2>(0);  // @wait
    DataCopy(t.a, g.x, N);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(t.c, t.a, 1.0f, N);
}

// The barrier is of the pipe that reads, not of the one that wrote.
// expect: race mte3@out mte2@in
extern "C" __global__ __aicore__ void barrier_of_the_reading_pipe(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w, t.a, N);  // @out
    PipeBarrier<PIPE_MTE2>();
    DataCopy(t.b, g.w, N);  // @in
}

// Filled again behind EnQue, while the one that takes it out may read it.
// expect: race mte2@late vector@add
extern "C" __global__ __aicore__ void filled_behind_enque(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TBuf<TPosition::VECCALC> sum;
    pipe.InitBuffer(in, 1, BYTES);
    pipe.InitBuffer(sum, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v, g.x, N / 2);
    in.EnQue(v);
    DataCopy(v[N / 2], g.x[N / 2], N / 2);  // @late
    v = in.DeQue<float>();
    Adds(sum.Get<float>(), v, 1.0f, N);  // @add
    in.FreeTensor(v);
}

// The result is in its queue, and leaves without being taken out.
// expect: race vector@fill mte3@out
extern "C" __global__ __aicore__ void result_not_taken_out(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 1, BYTES);
    LocalTensor<float> r = out.AllocTensor<float>();
    Duplicate(r, 1.0f, N);  // @fill
    out.EnQue(r);
    DataCopy(g.z, r, N);  // @out
    r = out.DeQue<float>();
    out.FreeTensor(r);
}

// The third tensor of a queue of two buffers, none of which went back.
// expect: illegal scalar@third
extern "C" __global__ __aicore__ void tensors_never_freed(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, BYTES);
    for (int32_t i = 0; i < 3; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();  // @third
        DataCopy(v, g.x[i * N], N);
        in.EnQue(v);
        v = in.DeQue<float>();
    }
}

// A tensor is taken out of an empty queue.
// expect: illegal scalar@deque
extern "C" __global__ __aicore__ void taken_out_of_an_empty_queue(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v, g.x, N);
    v = in.DeQue<float>();  // @deque
}

// The table of a gather is written by the scalar unit.
// expect: race scalar@set vector@gather
extern "C" __global__ __aicore__ void gather_by_a_table_under_way(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint32_t> table = t.b.ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < 8; ++i) {
        table.SetValue(i, (7 - i) * 4);  // @set
    }
    Gather(t.c, t.a, table, 0, 8);  // @gather
}

// The same with its flag.
// expect: silent
extern "C" __global__ __aicore__ void gather_by_a_table_that_is_there(GM_ADDR x,
                                                                      GM_ADDR y,
                                                                      GM_ADDR z,
                                                                      GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint32_t> table = t.b.ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < 8; ++i) {
        table.SetValue(i, (7 - i) * 4);
    }
    Sync<HardEvent::S_V>();
    Gather(t.c, t.a, table, 0, 8);
}

// What was gathered leaves before it is there.
// expect: race vector@gather mte3@out
extern "C" __global__ __aicore__ void gathered_leaves_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    LocalTensor<uint32_t> table = t.b.ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < 8; ++i) {
        table.SetValue(i, (7 - i) * 4);
    }
    Sync<HardEvent::MTE2_V>();
    Sync<HardEvent::S_V>();
    Gather(t.c, t.a, table, 0, 8);  // @gather
    DataCopy(g.z, t.c, 8);          // @out
}

// The bits that choose come with a copy nobody waits for.
// expect: race mte2@bits vector@select
extern "C" __global__ __aicore__ void chooses_by_bits_under_way(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    DataCopy(t.b, g.y, 8);  // @bits
    LocalTensor<uint8_t> bits = t.b.ReinterpretCast<uint8_t>();
    Select(t.c, bits, t.a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, N);  // @select
}

// The scalar unit looks at a comparison that is not done.
// expect: race vector@compare scalar@get
extern "C" __global__ __aicore__ void branches_on_a_comparison_under_way(GM_ADDR x,
                                                                         GM_ADDR y,
                                                                         GM_ADDR z,
                                                                         GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.b.ReinterpretCast<uint8_t>();
    CompareScalar(bits, t.a, 3.0f, CMPMODE::GT, N);  // @compare
    if (bits.GetValue(0) != 0) {                     // @get
        Duplicate(t.c, 1.0f, N);
    }
}

// Narrowed numbers leave before they are there.
// expect: race vector@cast mte3@out
extern "C" __global__ __aicore__ void converted_leaves_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    Cast(t.b.ReinterpretCast<half>(), t.a, RoundMode::CAST_NONE, N);  // @cast
    DataCopy(g.z, t.b, N / 2);                                        // @out
}

// Four sums leave before they are there.
// expect: race vector@sum mte3@out
extern "C" __global__ __aicore__ void sums_leave_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    WholeReduceSum<float>(t.b, t.a, 64, 4, 1, 1, 8);           // @sum
    DataCopyPad(g.z, t.b, DataCopyExtParams(1, 16, 0, 0, 0));  // @out
}

// A block is filled while its broadcast may still read it.
// expect: race vector@brcb mte2@again
extern "C" __global__ __aicore__ void broadcast_overwritten(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, 8);
    Sync<HardEvent::MTE2_V>();
    Brcb(t.b, t.a, 1, BrcbRepeatParams(1, 8));  // @brcb
    DataCopy(t.a, g.y, 8);                      // @again
}

// The scalar unit stores where a copy out may still read.
// expect: race mte3@out scalar@set
extern "C" __global__ __aicore__ void scalar_overwrites_what_leaves(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);  // @out
    t.a.SetValue(5, 2.0f);  // @set
}

// The scalar unit stores where a copy in may still write.
// expect: race mte2@in scalar@set
extern "C" __global__ __aicore__ void scalar_patches_a_tile_under_way(GM_ADDR x,
                                                                      GM_ADDR y,
                                                                      GM_ADDR z,
                                                                      GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);  // @in
    t.a.SetValue(5, 2.0f);  // @set
    Sync<HardEvent::MTE2_V>();
    Sync<HardEvent::S_V>();
    Adds(t.b, t.a, 1.0f, N);
}

// It patches what has come.
// expect: silent
extern "C" __global__ __aicore__ void scalar_patches_a_tile(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_S>();
    t.a.SetValue(5, 2.0f);
    Sync<HardEvent::S_V>();
    Adds(t.b, t.a, 1.0f, N);
}

// The scalar unit has read it before anything else can be issued.
// expect: silent
extern "C" __global__ __aicore__ void overwrites_what_the_scalar_unit_has_read(GM_ADDR x,
                                                                               GM_ADDR y,
                                                                               GM_ADDR z,
                                                                               GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_S>();
    float s = t.a.GetValue(7);
    DataCopy(t.a, g.y, N);
    Duplicate(t.b, s, N);
}

// What the scalar unit waited for is known to all that it issues later.
// expect: silent
extern "C" __global__ __aicore__ void ordered_by_way_of_the_scalar_unit(GM_ADDR x,
                                                                        GM_ADDR y,
                                                                        GM_ADDR z,
                                                                        GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_S>();
    Adds(t.b, t.a, 1.0f, N);
    Sync<HardEvent::V_S>();
    DataCopy(g.z, t.b, N);
}

// One flag, used for two things one after the other.
// expect: silent
extern "C" __global__ __aicore__ void one_flag_twice(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>(3);
    Adds(t.c, t.a, 1.0f, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>(3);
    Adds(t.d, t.b, 1.0f, N);
}

// Flags are set and awaited under the same condition.
// expect: silent
extern "C" __global__ __aicore__ void flags_in_branches(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 4; ++i) {
        bool first = i == 0;
        bool last = i == 3;
        if (!first) {
            WaitFlag<HardEvent::V_MTE2>(0);
        }
        DataCopy(t.a, g.x[i * N], N);
        Sync<HardEvent::MTE2_V>();
        if (!first) {
            WaitFlag<HardEvent::MTE3_V>(0);
        }
        Adds(t.c, t.a, 1.0f, N);
        if (!last) {
            SetFlag<HardEvent::V_MTE2>(0);
        }
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.z[i * N], t.c, N);
        if (!last) {
            SetFlag<HardEvent::MTE3_V>(0);
        }
    }
}

// One barrier of all pipes stands for every flag of a round.
// expect: silent
extern "C" __global__ __aicore__ void a_barrier_for_every_flag(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 3; ++i) {
        DataCopy(t.a, g.x[i * N], N);
        PipeBarrier<PIPE_ALL>();
        Adds(t.c, t.a, 1.0f, N);
        PipeBarrier<PIPE_ALL>();
        DataCopy(g.z[i * N], t.c, N);
        PipeBarrier<PIPE_ALL>();
    }
}

// An odd number of tiles through a queue of two.
// expect: silent
extern "C" __global__ __aicore__ void five_tiles_through_two_buffers(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    LocalTensor<float> ahead = in.AllocTensor<float>();
    DataCopy(ahead, g.x, N);
    in.EnQue(ahead);
    for (int32_t i = 0; i < 5; ++i) {
        if (i < 4) {
            LocalTensor<float> next = in.AllocTensor<float>();
            DataCopy(next, g.x[(i + 1) * N], N);
            in.EnQue(next);
        }
        LocalTensor<float> v = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);
        in.FreeTensor(v);
        out.EnQue(r);
        r = out.DeQue<float>();
        DataCopy(g.z[i * N], r, N);
        out.FreeTensor(r);
    }
}

// A buffer in place: what came in goes out.
// expect: silent
extern "C" __global__ __aicore__ void in_place_through_a_bound_queue(GM_ADDR x,
                                                                     GM_ADDR y,
                                                                     GM_ADDR z,
                                                                     GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> both;
    pipe.InitBuffer(both, 2, BYTES);
    for (int32_t i = 0; i < 3; ++i) {
        LocalTensor<float> v = both.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        both.EnQue(v);
        v = both.DeQue<float>();
        DataCopy(g.z[i * N], v, N);
        both.FreeTensor(v);
    }
}
