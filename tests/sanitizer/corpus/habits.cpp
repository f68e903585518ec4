// SPDX-License-Identifier: Apache-2.0
// What everyday kernels do and may do, although it looks like a slip.
//
// See races.cpp for what stands above each kernel.
#include "corpus.h"

// The last tile is moved back to end with the data, and brings some of it a second time.
// expect: silent
extern "C" __global__ __aicore__ void last_tile_moved_back(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, BYTES);
    pipe.InitBuffer(out, 2, BYTES);
    int32_t total = 1000 * GetBlockNum();
    for (int32_t i = 0; i < total; i += N) {
        int32_t from = i + N <= total ? i : total - N;
        LocalTensor<float> v = in.AllocTensor<float>();
        DataCopy(v, g.x[from], N);
        in.EnQue(v);
        v = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, v, 1.0f, N);
        out.EnQue(r);
        r = out.DeQue<float>();
        DataCopy(g.z[from], r, N);
        out.FreeTensor(r);
        in.FreeTensor(v);
    }
}

// All bits of a mask are set, also those of lanes that floats have not.
// expect: silent
extern "C" __global__ __aicore__ void full_bits_for_floats(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t all[2] = {~0ULL, ~0ULL};
    Adds(t.b, t.a, 1.0f, all, 4, {1, 1, 8, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);
}

// As many elements leave as the bits let through.
// expect: silent
extern "C" __global__ __aicore__ void compacts_and_copies_what_is_left(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    LocalTensor<uint8_t> bits = t.d.ReinterpretCast<uint8_t>();
    Compare(bits, t.a, t.b, CMPMODE::LT, N);
    PipeBarrier<PIPE_V>();
    uint64_t left = 0;
    GatherMask(t.c, t.a, t.d.ReinterpretCast<uint32_t>(), true, N, {1, 1, 8, 8}, left);
    Sync<HardEvent::V_MTE3>();
    if (left > 0) {
        DataCopyPad(g.z, t.c, DataCopyExtParams(1, (uint32_t)(left * sizeof(float)), 0, 0, 0));
    }
}

// Elements that were found are used, and no others.
// expect: silent
extern "C" __global__ __aicore__ void array_filled_in_part(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    __gm__ float* p = (__gm__ float*)x;
    int32_t where[4];
    int32_t found = 0;
    for (int32_t i = 0; i < 64 * (int32_t)GetBlockNum(); ++i) {
        if (p[i] > 0.9f) {
            where[found % 4] = i;
            ++found;
        }
    }
    int32_t best = 0;
    for (int32_t k = 0; k < 4; ++k) {
        if (k < found) {
            best += where[k];
        }
    }
    g.z.SetValue(0, (float)best);
}

// Some turns of a loop store an element, and it is used if one did.
// expect: silent
extern "C" __global__ __aicore__ void last_seen_in_an_array(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    __gm__ float* p = (__gm__ float*)x;
    int32_t last[2];
    bool seen[2] = {false, false};
    int32_t n = 100 * (int32_t)GetBlockNum();
    for (int32_t i = 0; i < n; ++i) {
        int32_t c = p[i] > 0.5f;
        if (i % 3 == 1) {
            last[c] = i;
            seen[c] = true;
        }
    }
    float r = 0;
    if (seen[0]) {
        r += last[0];
    }
    if (seen[1]) {
        r += last[1] * 2;
    }
    g.z.SetValue(0, r);
}

// The mask counts elements.
// expect: silent
extern "C" __global__ __aicore__ void counter_mode(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, 104);
    Sync<HardEvent::MTE2_V>();
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(100);
    Adds<float, false>(t.b, t.a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    PipeBarrier<PIPE_V>();
    Muls<float, false>(t.c, t.b, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    SetMaskNorm();
    ResetMask();
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(g.z, t.c, DataCopyExtParams(1, 400, 0, 0, 0));
}

// One core clears the counters of all before they meet there, twice.
// expect: silent
// blocks: 4
extern "C" __global__ __aicore__ void one_core_clears_for_all(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    GlobalTensor<int32_t> counters;
    counters.SetGlobalBuffer((__gm__ int32_t*)w, 64);
    LocalTensor<int32_t> zeros = t.b.ReinterpretCast<int32_t>();
    if (GetBlockIdx() == 0) {
        Duplicate(zeros, 0, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(counters, zeros, 64);
        PipeBarrier<PIPE_ALL>();
    }
    SyncAll();
    DataCopy(t.a, g.x[GetBlockIdx() * N], N);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z[GetBlockIdx() * N], t.a, N);
    SyncAll(counters, t.d.ReinterpretCast<int32_t>());
    SyncAll(counters, t.d.ReinterpretCast<int32_t>());
}

// Cleared, a barrier, and added to twice, in any order.
// expect: silent
extern "C" __global__ __aicore__ void clears_then_adds(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    Duplicate(t.b, 0.0f, N);
    Sync<HardEvent::V_MTE3>();
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(g.z, t.b, N);
    PipeBarrier<PIPE_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(g.z, t.a, N);
    DataCopy(g.z, t.a, N);
    SetAtomicNone();
}

struct __attribute__((packed)) PackedRecord {
    uint8_t tag;
    int32_t value;
};

// Records of five bytes, packed.
// expect: silent
extern "C" __global__ __aicore__ void packed_records(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    __gm__ PackedRecord* r = (__gm__ PackedRecord*)x;
    int32_t sum = 0;
    for (int32_t i = 0; i < 40 * (int32_t)GetBlockNum(); ++i) {
        sum += r[i].value & 3;
    }
    ((__gm__ int32_t*)z)[0] = sum;
}

// Addresses of two arguments in a table of numbers.
// expect: silent
extern "C" __global__ __aicore__ void bases_in_a_table(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    uint64_t bases[2] = {(uint64_t)x, (uint64_t)y};
    float sum = 0;
    for (int32_t i = 0; i < 32 * (int32_t)GetBlockNum(); ++i) {
        sum += *(__gm__ float*)(bases[i & 1] + (uint64_t)i * 4);
    }
    ((__gm__ float*)z)[0] = sum;
}

// An array is copied with the elements that nobody needs.
// expect: silent
extern "C" __global__ __aicore__ void array_half_filled_copied(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    int32_t p[8], q[8];
    int32_t n = 5 * (int32_t)GetBlockNum();
    for (int32_t i = 0; i < n; ++i) {
        p[i] = i;
    }
    for (int32_t i = 0; i < 8; ++i) {
        q[i] = p[i];
    }
    int32_t s = 0;
    for (int32_t i = 0; i < n; ++i) {
        s += q[i];
    }
    ((__gm__ int32_t*)z)[0] = s;
}

// The largest elements so far, in order.
// expect: silent
extern "C" __global__ __aicore__ void insertion_sort(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    __gm__ float* p = (__gm__ float*)x;
    float top[8];
    int32_t have = 0;
    for (int32_t i = 0; i < 200 * (int32_t)GetBlockNum(); ++i) {
        float v = p[i];
        if (have == 8 && v <= top[7]) {
            continue;
        }
        int32_t at = have < 8 ? have : 7;
        while (at > 0 && top[at - 1] < v) {
            if (at < 8) {
                top[at] = top[at - 1];
            }
            --at;
        }
        top[at] = v;
        if (have < 8) {
            ++have;
        }
    }
    float s = 0;
    for (int32_t i = 0; i < have; ++i) {
        s += top[i];
    }
    ((__gm__ float*)z)[0] = s;
}

// Zeros over zeros.
// expect: silent
extern "C" __global__ __aicore__ void clears_overlapping_ranges(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    Duplicate(t.a, 0.0f, N);
    Sync<HardEvent::V_MTE3>();
    for (int32_t i = 0; i < 5; ++i) {
        DataCopy(g.z[i * 200], t.a, N);
    }
}

// Lanes that the mask leaves out keep what was copied there.
// expect: silent
extern "C" __global__ __aicore__ void holes_keep_what_was_there(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopy(t.a, g.x, N);
    DataCopy(t.b, g.y, N);
    Sync<HardEvent::MTE2_V>();
    uint64_t even[2] = {0x5555555555555555ULL, 0};
    Muls(t.b, t.a, 2.0f, even, 4, {1, 1, 8, 8});
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.b, N);
}

// Widened from the upper half of its own buffer to the whole of it, and narrowed again.
// expect: silent
extern "C" __global__ __aicore__ void widens_from_the_upper_half(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    GlobalTensor<half> h;
    h.SetGlobalBuffer((__gm__ half*)x, 2 * ALL);
    LocalTensor<half> up = t.a.ReinterpretCast<half>()[N];
    DataCopy(up, h, N);
    Sync<HardEvent::MTE2_V>();
    Cast(t.a, up, RoundMode::CAST_NONE, N);
    PipeBarrier<PIPE_V>();
    Cast(t.a.ReinterpretCast<half>(), t.a, RoundMode::CAST_NONE, N);
    PipeBarrier<PIPE_V>();
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N / 2);
}

// Rows of thirteen, padded to blocks on the way in, and without the padding on the way out.
// expect: silent
extern "C" __global__ __aicore__ void rows_of_thirteen(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Args g(x, y, z, w);
    Tiles t;
    DataCopyPad(t.a, g.x, DataCopyExtParams(16, 52, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 3, 0));
    Sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, N);
    Sync<HardEvent::V_MTE3>();
    for (int32_t i = 0; i < 16; ++i) {
        DataCopyPad(g.z[i * 13], t.b[i * 16], DataCopyExtParams(1, 52, 0, 0, 0));
    }
}

// An array is filled through its address as a number, which nobody follows.
// expect: silent
extern "C" __global__ __aicore__ void fills_an_array_by_its_number(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Args g(x, y, z, w);
    int32_t kept[8];
    const uint64_t at = reinterpret_cast<uint64_t>(kept);
    for (int32_t i = 0; i < 8; ++i) {
        *reinterpret_cast<volatile int32_t*>(at + 4 * ((i * 3) & 7)) = i;
    }
    Tiles t;
    DataCopy(t.a, g.x, N);
    Sync<HardEvent::MTE2_V>();
    for (int32_t i = 0; i < 8; ++i) {
        if (kept[(i + static_cast<int32_t>(GetBlockIdx())) & 7] > 3) {
            Adds(t.a, t.a, 1.0f, N);
            PipeBarrier<PIPE_V>();
        }
    }
    Sync<HardEvent::V_MTE3>();
    DataCopy(g.z, t.a, N);
}
