// SPDX-License-Identifier: Apache-2.0
// Enumerations and constants of the basic API.
#pragma once

#include "kernels/ascendc/ascendc/macros.h"
#include "models/port/data_type.hpp"

/// How a copy to L1 pads.
enum pad_t : uint8_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5 };

namespace AscendC {

using ::pad_t;

/// Logical positions; each lies in one physical memory.
enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX,
};

using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1,
    MTE1_MTE2,
    MTE1_M,
    M_MTE1,
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    M_V,
    V_M,
    V_V,
    MTE3_MTE1,
    MTE1_MTE3,
    MTE1_V,
    MTE2_M,
    M_MTE2,
    V_MTE1,
    M_FIX,
    FIX_M,
    MTE3_MTE2,
    MTE2_MTE3,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
    MTE2_FIX,
    FIX_MTE2,
    FIX_S,
    M_S,
    FIX_MTE3,
    MTE1_FIX,
    FIX_MTE1,
    FIX_FIX,
    FIX_V,
    V_FIX,
    MTE3_FIX,
    MTE1_S,
    S_MTE1,
    S_M,
    S_FIX,
    M_MTE3,
    MTE3_M,
    MAX,
};

/// The pipes of an event.
struct EventPipes {
    ascendsim::Pipe source;
    ascendsim::Pipe destination;
};

constexpr EventPipes PipesOf(HardEvent event) {
    using P = ascendsim::Pipe;
    constexpr P s = P::scalar, v = P::vector, m = P::cube, mte1 = P::mte1, mte2 = P::mte2, mte3 = P::mte3,
                fix = P::fixpipe;
    constexpr EventPipes table[]{
        {mte2, mte1}, {mte1, mte2}, {mte1, m},   {m, mte1},   {mte2, v},    {v, mte2},    {mte3, v},
        {v, mte3},    {m, v},       {v, m},      {v, v},      {mte3, mte1}, {mte1, mte3}, {mte1, v},
        {mte2, m},    {m, mte2},    {v, mte1},   {m, fix},    {fix, m},     {mte3, mte2}, {mte2, mte3},
        {s, v},       {v, s},       {s, mte2},   {mte2, s},   {s, mte3},    {mte3, s},    {mte2, fix},
        {fix, mte2},  {fix, s},     {m, s},      {fix, mte3}, {mte1, fix},  {fix, mte1},  {fix, fix},
        {fix, v},     {v, fix},     {mte3, fix}, {mte1, s},   {s, mte1},    {s, m},       {s, fix},
        {m, mte3},    {mte3, m}};
    return table[static_cast<uint8_t>(event)];
}

/// The event between two pipes; MAX if there is none.
constexpr HardEvent EventBetween(ascendsim::Pipe source, ascendsim::Pipe destination) {
    for (uint8_t i = 0; i < static_cast<uint8_t>(HardEvent::MAX); ++i) {
        const EventPipes pipes = PipesOf(static_cast<HardEvent>(i));
        if (pipes.source == source && pipes.destination == destination) {
            return static_cast<HardEvent>(i);
        }
    }
    return HardEvent::MAX;
}

/// False for pipes that this kind of core lacks; their flags and barriers are left out, as the compiler does.
constexpr bool HasPipe(ascendsim::Pipe pipe) {
    switch (pipe) {
        case ascendsim::Pipe::vector:
            return has_vector_unit;
        case ascendsim::Pipe::cube:
        case ascendsim::Pipe::mte1:
        case ascendsim::Pipe::fixpipe:
            return has_cube_unit;
        default:
            return true;
    }
}

constexpr bool HasEvent(HardEvent event) {
    return HasPipe(PipesOf(event).source) && HasPipe(PipesOf(event).destination);
}

constexpr ascendsim::Pipe PipeOf(pipe_t pipe) {
    switch (pipe) {
        case PIPE_V:
            return ascendsim::Pipe::vector;
        case PIPE_M:
            return ascendsim::Pipe::cube;
        case PIPE_MTE1:
            return ascendsim::Pipe::mte1;
        case PIPE_MTE2:
            return ascendsim::Pipe::mte2;
        case PIPE_MTE3:
            return ascendsim::Pipe::mte3;
        case PIPE_FIX:
            return ascendsim::Pipe::fixpipe;
        default:
            return ascendsim::Pipe::scalar;
    }
}

/// The memory that a logical position stands for.
constexpr ascendsim::Memory NamedMemory(TPosition position) {
    using M = ascendsim::Memory;
    switch (position) {
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
        case TPosition::SPM:
            return M::l1;
        case TPosition::A2:
            return M::l0a;
        case TPosition::B2:
            return M::l0b;
        case TPosition::CO1:
            return M::l0c;
        case TPosition::C2:
            return M::bias_table;
        case TPosition::C2PIPE2GM:
        case TPosition::C2PIPE2LOCAL:
            return M::fixpipe_buffer;
        case TPosition::GM:
            return M::gm;
        default:
            return M::ub;
    }
}

/// NamedMemory of every position. Looked up where a tensor is used: without branches the loops around stay
/// small enough for the optimiser to unroll them, as the chip's compiler does.
struct MemoryTable {
    ascendsim::Memory of[256]{};

    constexpr MemoryTable() {
        for (uint32_t i = 0; i < 256; ++i) {
            of[i] = NamedMemory(static_cast<TPosition>(i));
        }
    }
};

inline constexpr MemoryTable memory_table;

/// The memory of a logical position.
constexpr ascendsim::Memory MemoryOf(TPosition position) {
    return memory_table.of[static_cast<uint8_t>(position)];
}

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
    CAST_HYBRID,
    CAST_EVEN,
};

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceMode : uint8_t { REDUCE_MAX = 0, REDUCE_MIN, REDUCE_SUM };
enum class ReduceOrder : uint8_t {
    ORDER_VALUE_INDEX = 0,
    ORDER_INDEX_VALUE,
    ORDER_ONLY_VALUE,
    ORDER_ONLY_INDEX
};
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL = 0,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class CacheMode : uint8_t {
    CACHE_MODE_DISABLE = 0,
    CACHE_MODE_NORMAL = 1,
    CACHE_MODE_LAST = 2,
    CACHE_MODE_PERSISTENT = 4
};
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };
enum class AtomicDtype : uint8_t {
    ATOMIC_NONE = 0,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16
};
enum class AtomicOp : uint8_t { ATOMIC_SUM = 0 };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class QuantMode : uint8_t { PER_TENSOR = 0, PER_CHANNEL };

enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE,
    KERNEL_TYPE_MAX,
};

inline constexpr uint32_t CACHE_LINE_SIZE = 64;  // B, of the data cache
inline constexpr uint32_t RESERVED_WORKSPACE = 16U << 20U;
inline constexpr int32_t BLOCK_CUBE = 16;  // rows and columns of a fractal
inline constexpr int32_t CUBE_MAX_SIZE = 256;
inline constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;  // addresses of TransDataTo5HD
inline constexpr uint32_t HALF_FACTOR = 2;
inline constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
// Cross-core flags that the framework keeps for SyncAll.
inline constexpr uint16_t SYNC_AIC_FLAG = 11;
inline constexpr uint16_t SYNC_AIV_FLAG = 12;
inline constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
inline constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;
inline constexpr int32_t BYTE_PER_FRACTAL = 512;
inline constexpr int32_t ONE_BLK_FLOAT_NUM = 8;
inline constexpr int32_t ONE_BLK_HALF_NUM = 16;
inline constexpr int32_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
inline constexpr uint32_t VECTOR_REG_WIDTH = 256;
inline constexpr uint32_t ONE_BLOCK_SIZE = 32;
inline constexpr uint16_t DEFAULT_DATA_COPY_NBURST = 1;
inline constexpr uint8_t DEFAULT_DATA_COPY_STRIDE = 0;
inline constexpr int32_t DEFAULT_C0_SIZE = 32;
inline constexpr int32_t ONE_BLK_SIZE = 32;
inline constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
inline constexpr uint32_t ONE_BYTE_BIT_SIZE = 8;
inline constexpr int32_t DEFAULT_BLK_NUM = 8;
inline constexpr int32_t DEFAULT_BLK_STRIDE = 1;
inline constexpr int32_t DEFAULT_REPEAT_STRIDE = 8;
inline constexpr uint8_t DEFAULT_REP_STRIDE = 8;
inline constexpr int32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
inline constexpr int32_t MAX_REPEAT_TIMES = 255;
inline constexpr uint64_t MASK_PLACEHOLDER = 0;
inline constexpr uint8_t MASK_PLACEHOLDER_LIST[2]{0, 0};
inline constexpr uint64_t FULL_MASK = 0xffffffffffffffff;
inline constexpr uint64_t CONST_MASK_VALUE = 0x8000000000000000;
inline constexpr uint16_t MAX_HALF_MASK_LEN = 64;
// What the mask of DropOut is made of, and whether its rows end at 32 B.
inline constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
inline constexpr uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
inline constexpr uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
inline constexpr uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;
inline constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;
inline constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024;
inline constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;
inline constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;
inline constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;
inline constexpr int8_t INVALID_TEVENTID = -1;
inline constexpr uint32_t F32_INF = 0x7f800000;
inline constexpr uint32_t F32_NEG_INF = 0xff800000;
// Beyond these the hyperbolic tangent is 1 or -1 in float; and the factor of its exponent.
inline constexpr float FP32_MAX_V2 = 9.02F;
inline constexpr float FP32_MIN_V2 = -9.02F;
inline constexpr float DOUBLE_X = 2.0F;
// Values of unitFlag: more products follow into this block of L0C; this is its last.
inline constexpr uint8_t UFMode2 = 2;
inline constexpr uint8_t UFMode3 = 3;

/// Element types by the numbers that operator definitions use.
enum TensorDataType : uint32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_COMPLEX64 = 16,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_COMPLEX32 = 33,
};

/// The element type of a tensor argument.
template <typename T>
using PrimT = T;

/// The chip's name of an element type.
template <typename T>
constexpr ascendsim::isa::DataType DataTypeOf() {
    using D = ascendsim::isa::DataType;
    if constexpr (std::is_same_v<T, half>) {
        return D::half;
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        return D::bfloat16;
    } else if constexpr (std::is_same_v<T, int4b_t>) {
        return D::int4;
    } else if constexpr (std::is_same_v<T, bool>) {
        return D::boolean;
    } else if constexpr (std::is_floating_point_v<T>) {
        return sizeof(T) == 4 ? D::float32 : D::float64;
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        constexpr bool is_signed = std::is_signed_v<T>;
        return sizeof(T) == 1   ? (is_signed ? D::int8 : D::uint8)
               : sizeof(T) == 2 ? (is_signed ? D::int16 : D::uint16)
               : sizeof(T) == 4 ? (is_signed ? D::int32 : D::uint32)
                                : (is_signed ? D::int64 : D::uint64);
    } else {
        return sizeof(T) == 1   ? D::uint8
               : sizeof(T) == 2 ? D::uint16
               : sizeof(T) == 4 ? D::uint32
                                : D::uint64;
    }
}

/// Bytes of `n` elements of T; int4b_t packs two into a byte.
template <typename T>
constexpr uint64_t BytesOf(uint64_t n) {
    if constexpr (std::is_same_v<T, int4b_t>) {
        return n / 2;
    } else {
        return n * sizeof(T);
    }
}

template <typename T>
constexpr uint32_t ElementsIn(uint64_t bytes) {
    if constexpr (std::is_same_v<T, int4b_t>) {
        return static_cast<uint32_t>(bytes * 2);
    } else {
        return static_cast<uint32_t>(bytes / sizeof(T));
    }
}

}  // namespace AscendC
