// SPDX-License-Identifier: Apache-2.0
// Qualifiers and global names that Ascend C sources use without a namespace. Address spaces are one on the
// host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "models/numbers/int4.hpp"
#include "models/port/pipe.hpp"

#define __aicore__
#ifdef ASCENDSIM_QUALIFIED_GM
#define __gm__ __unaligned
#else
#define __gm__
#endif
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__
// Words of the vendor's compiler around functions of tiles and their operands (PTO): what is read, what is
// written. A tile is its address.
#define __tf__
#define __in__
#define __out__
#define __cce_get_tile_ptr(tile) ::AscendC::TilePointer(tile)
// In host programs the qualifiers stay visible behind the preprocessor: they tell which cores a launch takes.
#ifdef ASCENDSIM_PROGRAM
#define __global__ __attribute__((ascendsim_global))
#define __vector__ __attribute__((ascendsim_vector))
#define __cube__ __attribute__((ascendsim_cube))
#define __mix__(...) __attribute__((ascendsim_mix(__VA_ARGS__)))
#else
#define __global__
#define __vector__
#define __cube__
#define __mix__(...)
#endif
#define __simd_vf__
#define __simd_callee__
#define __simt_vf__
#define __simt_callee__
#define __host_aicore__
#define __sync_noalias__
#define __sync_alias__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __check_sync_alias__
#define __WORKGROUP_LOCAL__
#define __BLOCK_LOCAL__
#define __VEC_SCOPE__
#define __DEFAULT_STACK_SIZE__ 0x8000
#ifndef __inline__
#define __inline__ inline
#endif
#ifndef __no_inline__
#define __no_inline__ __attribute__((noinline))
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t*
#endif

using ascendsim::half;
using bfloat16_t = ascendsim::bfloat16;
using float16_t = ascendsim::half;
using float32_t = float;
using float64_t = double;
#ifndef MEMORY_BASE  // set for sources of tiles (PTO), whose namespace has its own type of that name
using ascendsim::int4b_t;
#endif

// The compiler's own name of the type; clang has it for other targets only.
#define __bf16 bfloat16_t

// Types of the next generation of chips, which sources for both name. Nothing computes with them here.
struct fp8_e8m0_t {
    uint8_t bits;
};

struct fp8_e5m2_t {
    uint8_t bits;
};

struct fp8_e4m3fn_t {
    uint8_t bits;
};

struct hifloat8_t {
    uint8_t bits;
};

struct fp4x2_e2m1_t {
    uint8_t bits;
};

struct fp4x2_e1m2_t {
    uint8_t bits;
};

/// The queues of a core, as PipeBarrier and the flag intrinsics name them.
enum pipe_t {
    PIPE_S = 0,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_MTE4 = 7,
    PIPE_MTE5 = 8,
    PIPE_V2 = 9,
    PIPE_FIX = 10,
};

/// Flags of a pair of pipes.
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };

enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

namespace AscendC {

enum KernelSide { AIC = 0, AIV = 1, MIX = 2 };

using ::bfloat16_t;
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
using ::fp8_e4m3fn_t;
using ::fp8_e5m2_t;
using ::fp8_e8m0_t;
using ::half;
using ::hifloat8_t;
using ascendsim::int4b_t;

/// Call sites are captured by a defaulted last parameter.
using Site = ascendsim::Site;

/// A side of `c ? float : half`, as the chip takes it: as float. Other types stay as they are.
template <typename T>
constexpr decltype(auto) SideOfChoice(T&& value) {
    using Plain = std::remove_cv_t<std::remove_reference_t<T>>;
    if constexpr (std::is_same_v<Plain, half> || std::is_same_v<Plain, bfloat16_t>) {
        return static_cast<float>(value);
    } else {
        return static_cast<T&&>(value);
    }
}

}  // namespace AscendC

#if defined(__DAV_CUBE__) && defined(__DAV_VEC__)
constexpr int g_coreType = AscendC::MIX;
#elif defined(__DAV_C220_CUBE__) || defined(__DAV_CUBE__)
constexpr int g_coreType = AscendC::AIC;
#elif defined(__DAV_C220_VEC__) || defined(__DAV_VEC__)
constexpr int g_coreType = AscendC::AIV;
#else
constexpr int g_coreType = AscendC::MIX;
#endif

#define ASCEND_IS_AIV constexpr(g_coreType != AscendC::AIC)
#define ASCEND_IS_AIC constexpr(g_coreType != AscendC::AIV)
#define ASCEND_IS_NOT_AIV constexpr(g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIC constexpr(g_coreType == AscendC::AIV)

namespace AscendC {

inline constexpr bool has_vector_unit = g_coreType != AIC;
inline constexpr bool has_cube_unit = g_coreType != AIV;

}  // namespace AscendC
