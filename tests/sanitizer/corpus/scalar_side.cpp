// SPDX-License-Identifier: Apache-2.0
// What the scalar unit does by itself: addresses that are numbers, elements across their places, its stack.
//
// See races.cpp for what stands above each kernel.
#include "pointers.h"

// A row number of one too many, in an address computed as a number.
// expect: out_of_range scalar@get
extern "C" __global__ __aicore__ void row_of_a_number_behind_the_input(GM_ADDR x,
                                                                       GM_ADDR y,
                                                                       GM_ADDR z,
                                                                       GM_ADDR w) {
    Pointers p(x, y, z, w);
    const uint64_t rows = reinterpret_cast<uint64_t>(p.x);
    float sum = 0.0f;
    for (int32_t r = 0; r <= 16 * One(); ++r) {
        sum += *reinterpret_cast<__gm__ float*>(rows + r * 4096 + 2048);  // @get
    }
    p.z[0] = sum;
}

// As many rows as there are.
// expect: silent
extern "C" __global__ __aicore__ void rows_of_a_number(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const uint64_t rows = reinterpret_cast<uint64_t>(p.x);
    float sum = 0.0f;
    for (int32_t r = 0; r < 16 * One(); ++r) {
        sum += *reinterpret_cast<__gm__ float*>(rows + r * 4096 + 2048);
    }
    p.z[0] = sum;
}

// How far one argument is from another, added to the one, is the other.
// expect: silent
extern "C" __global__ __aicore__ void distance_of_two_arguments(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const uint64_t from = reinterpret_cast<uint64_t>(p.x);
    const uint64_t apart = (reinterpret_cast<uint64_t>(p.y) - from) * One();
    p.z[0] = *reinterpret_cast<__gm__ float*>(from + apart);
}

// Records of six bytes, read by words of four.
// expect: misaligned scalar@get
extern "C" __global__ __aicore__ void words_in_records_of_six_bytes(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    int32_t sum = 0;
    for (int32_t i = 0; i < 8 * One(); ++i) {
        sum += *(__gm__ int32_t*)(x + 6 * i);  // @get
    }
    ((__gm__ int32_t*)z)[0] = sum;
}

// A word stored in the midst of another.
// expect: misaligned scalar@put
extern "C" __global__ __aicore__ void long_word_at_half_of_one(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    __gm__ int64_t* p = (__gm__ int64_t*)(z + 4 * One());
    for (int32_t i = 0; i < 4 * One(); ++i) {
        p[i] = i;  // @put
    }
}

// Put together of bytes, as the language allows.
// expect: silent
extern "C" __global__ __aicore__ void words_in_records_put_together(GM_ADDR x,
                                                                    GM_ADDR y,
                                                                    GM_ADDR z,
                                                                    GM_ADDR w) {
    int32_t sum = 0;
    for (int32_t i = 0; i < 8 * One(); ++i) {
        int32_t value;
        __builtin_memcpy(&value, (__gm__ uint8_t*)(x + 6 * i), sizeof value);
        sum += value;
    }
    ((__gm__ int32_t*)z)[0] = sum;
}

template <int32_t Bytes>
__attribute__((noinline)) __aicore__ int32_t Fill(__gm__ float* x, int32_t n) {
    volatile int8_t local[Bytes];
    for (int32_t i = 0; i < Bytes; i += 16) {
        local[i] = static_cast<int8_t>(x[i % ALL]);
    }
    return local[16 * n];
}

template <int32_t Bytes>
__attribute__((noinline)) __aicore__ int32_t FillTwice(__gm__ float* x, int32_t n) {
    volatile int8_t local[Bytes];
    for (int32_t i = 0; i < Bytes; i += 16) {
        local[i] = static_cast<int8_t>(x[i % ALL]);
    }
    return Fill<Bytes>(x, n) + local[16 * n];
}

// Two functions whose variables fit the stack one by one, and no call of the framework within.
// expect: stack_overflow scalar
extern "C" __global__ __aicore__ void two_functions_fill_the_stack(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Pointers p(x, y, z, w);
    ((__gm__ int32_t*)z)[0] = FillTwice<20480>(p.x, One());
}

// One after the other.
// expect: silent
extern "C" __global__ __aicore__ void two_functions_take_turns(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    const int32_t first = Fill<20480>(p.x, One());
    ((__gm__ int32_t*)z)[0] = first + FillTwice<4096>(p.x, One());
}

template <int32_t Depth>
__attribute__((noinline)) __aicore__ float Nested(__gm__ float* x, int32_t n) {
    float sums[512];
    for (int32_t i = 0; i < 512 * n; ++i) {
        sums[(i * 5) % 512] = x[i];
    }
    if constexpr (Depth > 1) {
        return sums[n] + Nested<Depth - 1>(x, n);
    }
    return sums[n];
}

// Twelve functions with arrays of 2 KiB each: 24 of 32 KiB.
// expect: silent
extern "C" __global__ __aicore__ void twelve_functions_with_arrays(GM_ADDR x,
                                                                   GM_ADDR y,
                                                                   GM_ADDR z,
                                                                   GM_ADDR w) {
    Pointers p(x, y, z, w);
    p.z[0] = Nested<12>(p.x, One());
}

__attribute__((noinline)) __aicore__ int32_t WordAt(const __gm__ uint8_t* at) {
    return *(const __gm__ int32_t*)at;
}

// Words by one function's pointer, of which the first lies as it should.
// expect: misaligned scalar
extern "C" __global__ __aicore__ void words_by_a_function(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    int32_t sum = 0;
    for (int32_t i = 0; i < 8 * One(); ++i) {
        sum += WordAt(y + 6 * i);
    }
    ((__gm__ int32_t*)z)[0] = sum;
}

// Twelve of sixteen sums are there, and all are added up.
// expect: uninitialised_read scalar@get
extern "C" __global__ __aicore__ void adds_sums_nobody_made(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float sums[16];
    for (int32_t i = 0; i < 12 * One(); ++i) {
        sums[i] = p.x[i] + 1.0f;
    }
    float all = 0.0f;
    for (int32_t i = 0; i < 16 * One(); ++i) {
        all += sums[i];  // @get
    }
    p.z[0] = all;
}

// Those that are there are added up, in another order.
// expect: silent
extern "C" __global__ __aicore__ void adds_the_sums_there_are(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
    Pointers p(x, y, z, w);
    float sums[16];
    for (int32_t i = 0; i < 12 * One(); ++i) {
        sums[(i * 5) % 12] = p.x[i] + 1.0f;
    }
    float all = 0.0f;
    for (int32_t i = 0; i < 12 * One(); ++i) {
        all += sums[11 - i];
    }
    p.z[0] = all;
}
