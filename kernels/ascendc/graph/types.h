// SPDX-License-Identifier: Apache-2.0
// Element types and layouts by the numbers of the graph engine, for host code that names them.
#pragma once

#ifndef DT_FLOAT
namespace ge {

enum DataType {
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
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_COMPLEX32 = 33,
};

enum Format {
    FORMAT_NCHW = 0,
    FORMAT_NHWC = 1,
    FORMAT_ND = 2,
    FORMAT_NC1HWC0 = 3,
    FORMAT_FRACTAL_Z = 4,
    FORMAT_FRACTAL_NZ = 29,
};

/// Bytes of one element; 1000 and its bits for types of less than a byte, -1 for those without a size
/// (metadef's GetSizeByDataType).
inline int GetSizeByDataType(DataType type) {
    constexpr int bits_from = 1000;
    switch (type) {
        case DT_INT8:
        case DT_UINT8:
        case DT_BOOL:
            return 1;
        case DT_FLOAT16:
        case DT_BF16:
        case DT_INT16:
        case DT_UINT16:
            return 2;
        case DT_FLOAT:
        case DT_INT32:
        case DT_UINT32:
        case DT_COMPLEX32:
            return 4;
        case DT_INT64:
        case DT_UINT64:
        case DT_DOUBLE:
        case DT_COMPLEX64:
            return 8;
        case DT_COMPLEX128:
            return 16;
        case DT_INT4:
            return bits_from + 4;
        case DT_STRING:
        case DT_UNDEFINED:
            break;
    }
    return -1;
}

}  // namespace ge
#endif
