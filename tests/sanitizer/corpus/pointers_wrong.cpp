// SPDX-License-Identifier: Apache-2.0
// Defects of loads and stores through plain pointers.
#include "pointers.h"

// One element behind the input.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void reads_behind_the_input(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[0] = p.y[ALL - 1 + One()];  // @get
}

// One element before the first argument, where global memory begins.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void reads_before_the_input(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[0] = p.x[-One()];  // @get
}

// One element behind the output.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void writes_behind_the_output(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[ALL - 1 + One()] = 1.0f;  // @put
}

// Four elements before the output, where nothing is.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void writes_before_the_output(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[-4 * One()] = 1.0f;  // @put
}

// A loop that runs once too often.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void loop_runs_once_too_often(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i <= 64 * One(); ++i) {
        p.z[ALL - 64 + i] = p.x[i];  // @put
    }
}

// A loop that starts before the argument.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void loop_starts_too_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float sum = 0.0f;
    for (int32_t i = 8 * One(); i >= -One(); --i) {
        sum += p.x[i];  // @get
    }
    p.z[0] = sum;
}

// The distance leads over the gap into the next argument.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void reads_its_neighbour(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[0] = p.x[(ALL + 128) * One()];  // @get
}

// The same for a store: z lies between y and w.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void writes_its_neighbour(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[(ALL + 128 + 7) * One()] = 1.0f;  // @put
}

// The neighbour before.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void reads_the_neighbour_before(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[0] = p.y[-130 * One()];  // @get
}

// A pointer that is moved on and on.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void pointer_moved_into_its_neighbour(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Pointers p(x, y, z, w);
    __gm__ float* to = p.z;
    for (int32_t i = 0; i < 9 * One(); ++i) {
        *to = 1.0f;  // @put
        to += 2064;
    }
}

// An element that nobody has written.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void reads_the_output(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[0] = p.z[5 * One()];  // @get
}

// A sum in a workspace that nobody has cleared.
// expect: uninitialised_read scalar@sum
extern "C" __global__ __aicore__ void sums_into_a_fresh_workspace(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i < N * One(); ++i) {
        p.w[i] += p.x[i];  // @sum
    }
}

// One element more than was written.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void reads_one_more_than_written(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i < 64 * One(); ++i) {
        p.w[i] = p.x[i];
    }
    float sum = 0.0f;
    for (int32_t i = 0; i < 65 * One(); ++i) {
        sum += p.w[i];  // @get
    }
    p.z[0] = sum;
}

// A struct out of a workspace that nobody has filled.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void takes_a_struct_of_nothing(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Record shape = *(__gm__ Record*)(p.w + 32 * One());  // @get
    p.z[0] = shape.scale + shape.offset[One()];
}

// Bytes copied from where nobody has written.
// expect: uninitialised_read scalar@copy
extern "C" __global__ __aicore__ void copies_what_is_not_there(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    __builtin_memcpy(p.z, p.w, 64 * One());  // @copy
}

// A copy that runs over the end.
// expect: out_of_range scalar@copy
extern "C" __global__ __aicore__ void copies_over_the_end(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    __builtin_memcpy(p.z + ALL - 8, p.x, 64 * One());  // @copy
}

// A struct that lies half outside.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void struct_over_the_end(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const __gm__ Record* shape = (const __gm__ Record*)(p.y + ALL - 4 * One());
    p.z[0] = shape->scale + shape->offset[4];  // @get
}

// A store to an argument that the host declares as input.
// expect: input_written scalar@put
extern "C" __global__ __aicore__ void stores_to_an_input(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.y[3 * One()] = 1.0f;  // @put
}

// Two cores store into one word.
// expect: core_race scalar@put scalar@put
// blocks: 2
extern "C" __global__ __aicore__ void two_cores_one_word(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[16] = static_cast<float>(GetBlockIdx());  // @put
}

// Two cores store into one line of their caches.
// expect: cache_line_shared scalar@put scalar@put
// blocks: 2
extern "C" __global__ __aicore__ void two_cores_one_line(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[GetBlockIdx()] = 1.0f;  // @put
}

// One core stores, another reads, with nothing between.
// expect: core_race scalar@put scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void reads_what_another_stores(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    if (GetBlockIdx() == 0) {
        p.x[64] = 1.0f;  // @put
    } else {
        p.z[64] = p.x[64];  // @get
    }
}

// One core copies out, another reads, with nothing between.
// expect: core_race mte3@out scalar@get
// blocks: 2
extern "C" __global__ __aicore__ void reads_what_another_copies(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    if (GetBlockIdx() == 0) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.x, t.a, N);  // @out
    } else {
        p.z[64] = p.x[64];  // @get
    }
}

// The line was read before the other core wrote, and nobody invalidates it.
// expect: cache_stale scalar@again
// blocks: 2
extern "C" __global__ __aicore__ void reads_an_old_line(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    float first = p.x[64];
    SyncAll();
    if (GetBlockIdx() == 0) {
        Duplicate(t.a, 1.0f, N);
        Sync<HardEvent::V_MTE3>();
        DataCopy(g.x, t.a, N);
        Sync<HardEvent::MTE3_S>();
    }
    SyncAll();
    if (GetBlockIdx() == 1) {
        p.z[64] = first + p.x[64];  // @again
    }
}

// A store that is still in the cache when it is copied.
// expect: cache_not_cleaned scalar@put mte2@in
extern "C" __global__ __aicore__ void copies_what_is_in_the_cache(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < N * One(); ++i) {
        p.w[i] = 1.0f;  // @put
    }
    Sync<HardEvent::S_MTE2>();
    DataCopy(t.a, g.w, N);  // @in
}

// The copy that is read has not come.
// expect: race mte2@in scalar@get
extern "C" __global__ __aicore__ void reads_before_the_copy_came(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);           // @in
    p.z[0] = PointerTo(t.a)[One()];  // @get
}

// The sum that is read has not been computed.
// expect: race vector@add scalar@get
extern "C" __global__ __aicore__ void reads_before_the_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);         // @add
    p.z[0] = PointerTo(t.a)[One()];  // @get
}

// The store is copied out without a flag.
// expect: race scalar@put mte3@out
extern "C" __global__ __aicore__ void copies_before_the_store(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    __ubuf__ float* a = PointerTo(t.a);
    for (int32_t i = 0; i < N * One(); ++i) {
        a[i] = 2.0f;  // @put
    }
    DataCopy(g.z, t.a, N);  // @out
}

// What was copied out is read back too early.
// expect: race mte3@out scalar@get
extern "C" __global__ __aicore__ void reads_back_too_early(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.w, t.a, N);  // @out
    p.z[0] = p.w[One()];    // @get
}

// A buffer of which nothing was written.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void reads_an_empty_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    p.z[0] = PointerTo(t.a)[3 * One()];  // @get
}

// From one buffer into the next.
// expect: buffer_overrun scalar@put
extern "C" __global__ __aicore__ void stores_into_the_next_buffer(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    PointerTo(t.a)[N * One()] = 1.0f;  // @put
}

// A loop that comes from one buffer into the next.
// expect: buffer_overrun scalar@put
extern "C" __global__ __aicore__ void loop_into_the_next_buffer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    __ubuf__ float* b = PointerTo(t.b);
    for (int32_t i = 0; i <= N * One(); ++i) {
        b[i] = 1.0f;  // @put
    }
}

// Behind all buffers.
// expect: unallocated_use scalar@put
extern "C" __global__ __aicore__ void stores_behind_the_buffers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    PointerTo(t.d)[N * One()] = 1.0f;  // @put
}

// Behind the whole unified buffer.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void stores_behind_the_memory(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    PointerTo(t.a)[192 * 256 * One()] = 1.0f;  // @put
}

// A pointer that outlives its tensor.
// expect: use_after_free scalar@get
extern "C" __global__ __aicore__ void pointer_outlives_its_tensor(GM_ADDR x,
                                                                  GM_ADDR y,
                                                                  GM_ADDR z,
                                                                  GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, BYTES);
    LocalTensor<float> v = in.AllocTensor<float>();
    DataCopy(v, g.x, N);
    in.EnQue(v);
    v = in.DeQue<float>();
    Sync<HardEvent::MTE2_S>();
    __ubuf__ float* at = PointerTo(v);
    in.FreeTensor(v);
    p.z[0] = at[One()];  // @get
}

// An array of 8, and a ninth.
// expect: out_of_range scalar@put
extern "C" __global__ __aicore__ void stores_behind_its_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float sums[8] = {};
    for (int32_t i = 0; i <= 8 * One(); ++i) {
        sums[i] = p.x[i];  // @put
    }
    p.z[0] = sums[One()] + sums[2 * One()];
}

// An array that is read behind its end.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void reads_behind_its_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float sums[8];
    for (int32_t i = 0; i < 8; ++i) {
        sums[i] = p.x[i * One()];
    }
    p.z[0] = sums[3 * One()] + sums[8 * One()];  // @get
}

// A table that is read behind its end.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void reads_behind_its_table(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    static const float table[5] = {1.0f, 2.5f, 7.0f, 0.5f, 9.0f};
    p.z[0] = table[5 * One()];  // @get
}
