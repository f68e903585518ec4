// SPDX-License-Identifier: Apache-2.0
// Names of the host's matrix tiling interface (namespace matmul_tiling), as its documentation lists them.
#pragma once

#include <cstdint>

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"

namespace optiling {
using ::TCubeTiling;
}  // namespace optiling

namespace matmul_tiling {

enum class TPosition : int32_t {
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
    MAX,
};

enum class CubeFormat : int32_t {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR,
    COLUMN_MAJOR,
};

/// Numbers as the graph engine's data types.
enum class DataType : int32_t {
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
    DT_STRING = 13,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_QINT8 = 18,
    DT_QINT16 = 19,
    DT_QINT32 = 20,
    DT_QUINT8 = 21,
    DT_QUINT16 = 22,
    DT_RESOURCE = 23,
    DT_STRING_REF = 24,
    DT_DUAL = 25,
    DT_VARIANT = 26,
    DT_BF16 = 27,
    DT_BFLOAT16 = DT_BF16,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_UINT1 = 30,
    DT_INT2 = 31,
    DT_UINT2 = 32,
    DT_COMPLEX32 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E5M2 = 35,
    DT_FLOAT8_E4M3FN = 36,
    DT_FLOAT8_E8M0 = 37,
    DT_FLOAT6_E3M2 = 38,
    DT_FLOAT6_E2M3 = 39,
    DT_FLOAT4_E2M1 = 40,
    DT_FLOAT4_E1M2 = 41,
    DT_MAX = 42,
};

enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };

enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };

enum class DequantType { SCALAR = 0, TENSOR = 1 };

enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;

    MatmulConfigParams(int32_t mmConfigTypeIn = 1,
                       bool enableL1CacheUBIn = false,
                       ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                       bool enVecND2NZIn = false)
        : mmConfigType(mmConfigTypeIn),
          enableL1CacheUB(enableL1CacheUBIn),
          scheduleType(scheduleTypeIn),
          traverse(traverseIn),
          enVecND2NZ(enVecND2NZIn) {}
};

struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};

/// Bits of an element.
constexpr int64_t BitsOf(DataType type) {
    switch (type) {
        case DataType::DT_INT4:
        case DataType::DT_FLOAT4_E2M1:
        case DataType::DT_FLOAT4_E1M2:
            return 4;
        case DataType::DT_INT8:
        case DataType::DT_UINT8:
        case DataType::DT_BOOL:
        case DataType::DT_HIFLOAT8:
        case DataType::DT_FLOAT8_E5M2:
        case DataType::DT_FLOAT8_E4M3FN:
        case DataType::DT_FLOAT8_E8M0:
            return 8;
        case DataType::DT_FLOAT:
        case DataType::DT_INT32:
        case DataType::DT_UINT32:
            return 32;
        case DataType::DT_INT64:
        case DataType::DT_UINT64:
        case DataType::DT_DOUBLE:
            return 64;
        default:
            return 16;
    }
}

}  // namespace matmul_tiling
