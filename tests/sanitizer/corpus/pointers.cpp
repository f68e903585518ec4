// SPDX-License-Identifier: Apache-2.0
// Loads and stores through plain pointers, as they should be.
#include "pointers.h"

// A sum, element by element.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void sums_by_pointers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i < N * One(); ++i) {
        p.z[i] = p.x[i] + p.y[i];
    }
}

// The same with pointers that move.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void sums_by_moving_pointers(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const __gm__ float* a = p.x;
    const __gm__ float* b = p.y;
    const __gm__ float* end = p.x + N * One();
    __gm__ float* to = p.z;
    while (a != end) {
        *to++ = *a++ + *b++;
    }
}

// The same from the end.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void sums_backwards(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = N * One() - 1; i >= 0; --i) {
        p.z[i] = p.x[i] + p.y[i];
    }
}

// The last elements of all arguments.
// expect: silent
extern "C" __global__ __aicore__ void uses_the_last_elements(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[ALL - One()] = p.x[ALL - One()] + p.y[ALL - One()];
    p.w[ALL - One()] = p.z[ALL - One()];
}

// A workspace that is filled before it is read.
// expect: silent
extern "C" __global__ __aicore__ void fills_before_it_reads(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i < 64 * One(); ++i) {
        p.w[i] = p.x[i];
    }
    float sum = 0.0f;
    for (int32_t i = 0; i < 64 * One(); ++i) {
        sum += p.w[i];
    }
    p.z[0] = sum;
}

// Each element depends on the one before.
// expect: silent
extern "C" __global__ __aicore__ void prefix_sum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.w[0] = p.x[0];
    for (int32_t i = 1; i < N * One(); ++i) {
        p.w[i] = p.w[i - 1] + p.x[i];
    }
    p.z[0] = p.w[(N - 1) * One()];
}

// A workspace that is cleared, then added to in another order.
// expect: silent
extern "C" __global__ __aicore__ void adds_where_the_table_says(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i < 64 * One(); ++i) {
        p.w[i] = 0.0f;
    }
    for (int32_t i = 0; i < N * One(); ++i) {
        p.w[(i * 37) % 64] += p.x[i];
    }
    for (int32_t i = 0; i < 64 * One(); ++i) {
        p.z[i] = p.w[i];
    }
}

// Elements far apart.
// expect: silent
extern "C" __global__ __aicore__ void reads_a_column(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    for (int32_t i = 0; i < 128 * One(); ++i) {
        p.z[i * 128 + 5] = p.x[i * 128 + 5] + p.x[(127 - i) * 128];
    }
}

// A struct that was written, and taken out.
// expect: silent
extern "C" __global__ __aicore__ void takes_a_struct(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    __gm__ Record* shape = (__gm__ Record*)(p.w + 32 * One());
    *shape = Record{One(), 2, 0.5f, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f}};
    Record copy = *shape;
    p.z[0] = copy.scale + copy.offset[4 * One()];
}

// Blocks of bytes within the arguments.
// expect: silent
extern "C" __global__ __aicore__ void copies_blocks(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    __builtin_memcpy(p.w, p.x, 256 * One());
    __builtin_memcpy(p.z, p.w, 256 * One());
    __builtin_memset(p.z + 64, 0, 128 * One());
}

// The two halves of an output, on two cores.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void each_core_its_own_lines(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    int32_t first = GetBlockIdx() * N;
    for (int32_t i = 0; i < N; ++i) {
        p.z[first + i] = p.x[first + i];
    }
}

// A store that is cleaned, an order, an invalidation, a read.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void hands_a_word_over(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    if (GetBlockIdx() == 0) {
        p.w[64] = 3.0f;
        CleanAt(p.w + 64);
    }
    SyncAll();
    if (GetBlockIdx() == 1) {
        CleanAt(p.w + 64);
        p.z[0] = p.w[64];
    }
}

// A word that is polled by a pointer. x holds 0 at element 1552.
// expect: silent
// blocks: 2
extern "C" __global__ __aicore__ void polls_by_a_pointer(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    __gm__ float* flag = p.x + 1552;
    if (GetBlockIdx() == 0) {
        p.w[0] = 1.0f;
        CleanAt(p.w);
        *flag = 1.0f;
        CleanAt(flag);
    } else {
        do {
            CleanAt(flag);
        } while (*(volatile __gm__ float*)flag == 0.0f);
        CleanAt(p.w);
        p.z[0] = p.w[0];
    }
}

// Stores that are cleaned before they are copied.
// expect: silent
extern "C" __global__ __aicore__ void copies_what_was_cleaned(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < N * One(); ++i) {
        p.w[i] = 1.0f;
    }
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(g.w);
    Sync<HardEvent::S_MTE2>();
    DataCopy(t.a, g.w, N);
}

// A copy is awaited, read, changed and copied out.
// expect: silent
// numbers: sum
extern "C" __global__ __aicore__ void changes_what_came(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_S>();
    __ubuf__ float* a = PointerTo(t.a);
    for (int32_t i = 0; i < N * One(); ++i) {
        a[i] = a[i] + p.y[i];
    }
    Sync<HardEvent::S_MTE3>();
    DataCopy(g.z, t.a, N);
}

// Buffers that lie side by side, each by its own pointer.
// expect: silent
extern "C" __global__ __aicore__ void fills_one_buffer_after_the_other(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Pointers p(x, y, z, w);
    Tiles t;
    for (int32_t k = 0; k < 4; ++k) {
        __ubuf__ float* at = PointerTo(k == 0 ? t.a : k == 1 ? t.b : k == 2 ? t.c : t.d);
        for (int32_t i = 0; i < N * One(); ++i) {
            at[i] = static_cast<float>(k);
        }
    }
    Sync<HardEvent::S_V>();
    Add(t.a, t.c, t.d, N);
}

// A pointer that is used while its tensor is held.
// expect: silent
extern "C" __global__ __aicore__ void pointer_into_a_queue(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, BYTES);
    for (int32_t i = 0; i < 4; ++i) {
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[i * N], N);
        in.EnQue(v);
        v = in.DeQue<float>();
        Sync<HardEvent::MTE2_S>();
        p.z[i] = PointerTo(v)[One()];
        Sync<HardEvent::S_MTE2>();
        in.FreeTensor(v);
    }
}

// Arrays and tables within their bounds.
// expect: silent
extern "C" __global__ __aicore__ void keeps_within_its_arrays(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    static const int32_t table[8] = {3, 1, 4, 1, 5, 2, 6, 7};
    float sums[8] = {};
    for (int32_t i = 0; i < N * One(); ++i) {
        sums[table[i % 8]] += p.x[i];
    }
    for (int32_t i = 0; i < 8 * One(); ++i) {
        p.z[i] = sums[i];
    }
}

// References to elements, for storing too.
// expect: silent
extern "C" __global__ __aicore__ void stores_through_references(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    for (int32_t i = 0; i < 8; ++i) {
        g.z(i * One()) = g.x(i);
    }
    t.a(One()) = 1.0f;
    g.z(8) = t.a(One());
}
