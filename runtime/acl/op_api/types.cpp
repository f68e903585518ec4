// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/types.hpp"

#include <array>

#include "runtime/acl/host_log.hpp"
#include "runtime/acl/op_api/call_objects.hpp"

namespace op {
namespace {

/// How much a type can hold, for promotion: truths, then whole numbers, numbers, complex numbers.
int rank_of(DataType type) {
    return type == ge::DT_BOOL ? 0 : IsIntegralType(type) ? 1 : IsFloatingType(type) ? 2 : 3;
}

bool is_unsigned(DataType type) {
    return type == ge::DT_UINT8 || type == ge::DT_UINT16 || type == ge::DT_UINT32 || type == ge::DT_UINT64;
}

DataType wider_whole(DataType a, DataType b) {
    if (is_unsigned(a) == is_unsigned(b)) {
        return TypeSize(a) >= TypeSize(b) ? a : b;
    }
    const DataType natural = is_unsigned(a) ? a : b;
    const DataType with_sign = is_unsigned(a) ? b : a;
    if (TypeSize(with_sign) > TypeSize(natural)) {
        return with_sign;
    }
    // An unsigned type needs a signed one of twice its size.
    static constexpr std::array<DataType, 3> next{ge::DT_INT16, ge::DT_INT32, ge::DT_INT64};
    const std::size_t size = TypeSize(natural);
    return size == 1 ? next[0] : size == 2 ? next[1] : size == 4 ? next[2] : ge::DT_UNDEFINED;
}

DataType wider_real(DataType a, DataType b) {
    if (TypeSize(a) == TypeSize(b)) {  // float16 and bfloat16 hold different values
        return TypeSize(a) <= 2 ? ge::DT_FLOAT : a;
    }
    return TypeSize(a) > TypeSize(b) ? a : b;
}

/// The complex type whose parts hold a real type.
DataType complex_of(DataType real) {
    return real == ge::DT_DOUBLE                                ? ge::DT_COMPLEX128
           : real == ge::DT_FLOAT16 || real == ge::DT_COMPLEX32 ? ge::DT_COMPLEX32
                                                                : ge::DT_COMPLEX64;
}

}  // namespace

Words ToString(DataType type) {
    return Words{Ops::Base::ToString(type)};
}

Words ToString(aclDataType type) {
    return ToString(ToOpDataType(type));
}

Words ToString(Format format) {
    return Words{Ops::Base::ToString(format)};
}

Words ToString(aclFormat format) {
    return ToString(ToOpFormat(format));
}

Words ToString(const Shape& shape) {
    return Words{Ops::Base::ToString(shape)};
}

Words ToString(NpuArch arch) {
    return Words{std::to_string(static_cast<uint32_t>(arch))};
}

Words ToString(const std::vector<int64_t>& values) {
    return Words{FVectorToString(values)};
}

std::size_t TypeSize(DataType type) {
    const int size = ge::GetSizeByDataType(type);
    return size < 0 ? 0 : size > ge::kDataTypeSizeBitOffset ? 1 : static_cast<std::size_t>(size);
}

int64_t CalcShapeBytes(int64_t count, DataType type, bool whole_blocks) {
    const int size = ge::GetSizeByDataType(type);
    const int64_t bytes = size > ge::kDataTypeSizeBitOffset
                              ? (count * (size - ge::kDataTypeSizeBitOffset) + 7) / 8
                              : count * size;
    return whole_blocks ? (bytes + 31) / 32 * 32 : bytes;
}

bool IsComplexType(DataType type) {
    return type == ge::DT_COMPLEX32 || type == ge::DT_COMPLEX64 || type == ge::DT_COMPLEX128;
}

bool IsFloatingType(DataType type) {
    return type == ge::DT_FLOAT || type == ge::DT_FLOAT16 || type == ge::DT_BF16 || type == ge::DT_DOUBLE;
}

bool IsIntegralType(DataType type, bool with_bool) {
    switch (type) {
        case ge::DT_INT8:
        case ge::DT_INT16:
        case ge::DT_INT32:
        case ge::DT_INT64:
        case ge::DT_UINT8:
        case ge::DT_UINT16:
        case ge::DT_UINT32:
        case ge::DT_UINT64:
            return true;
        default:
            return with_bool && type == ge::DT_BOOL;
    }
}

DataType PromoteType(DataType a, DataType b) {
    if (a == b) {
        return a;
    }
    if (!IsBasicType(a) || !IsBasicType(b)) {
        return ge::DT_UNDEFINED;
    }
    if (rank_of(a) != rank_of(b)) {
        const DataType high = rank_of(a) > rank_of(b) ? a : b;
        const DataType low = rank_of(a) > rank_of(b) ? b : a;
        const bool parts = rank_of(high) == 3 && rank_of(low) == 2;
        return parts && TypeSize(complex_of(low)) > TypeSize(high) ? complex_of(low) : high;
    }
    switch (rank_of(a)) {
        case 1:
            return wider_whole(a, b);
        case 2:
            return wider_real(a, b);
        default:
            return TypeSize(a) > TypeSize(b) ? a : b;
    }
}

bool CanCast(DataType from, DataType to) {
    return IsBasicType(from) && IsBasicType(to) &&
           (rank_of(from) <= rank_of(to) || (rank_of(from) == 1 && rank_of(to) == 1));
}

bool IsPrivateFormat(Format format) {
    switch (GetPrimaryFormat(format)) {
        case ge::FORMAT_ND:
        case ge::FORMAT_NCHW:
        case ge::FORMAT_NHWC:
        case ge::FORMAT_HWCN:
        case ge::FORMAT_NCDHW:
        case ge::FORMAT_NDHWC:
        case ge::FORMAT_DHWCN:
        case ge::FORMAT_NCL:
        case ge::FORMAT_CHWN:
        case ge::FORMAT_NC:
        case ge::FORMAT_CN:
            return false;
        default:
            return true;
    }
}

void ToShape(const int64_t* extents, uint64_t count, Shape& shape) {
    shape.SetDimNum(0);
    for (uint64_t i = 0; i < count; ++i) {
        shape.AppendDim(extents[i]);
    }
}

Shape ToShape(const std::vector<int64_t>& extents) {
    return Shape{extents};
}

void ToShape(const std::vector<int64_t>& extents, Shape& shape) {
    shape = Shape{extents};
}

ShapeVector ToShapeVector(const Shape& shape) {
    ShapeVector extents;
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        extents.push_back(shape.GetDim(i));
    }
    return extents;
}

void ToContiguousStrides(const Shape& shape, Strides& strides) {
    strides.assign(shape.GetDimNum(), 1);
    for (std::size_t i = strides.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * shape.GetDim(i);
    }
}

bool BroadcastInferShape(const Shape& a, const Shape& b, Shape& both) {
    const std::size_t rank = std::max(a.GetDimNum(), b.GetDimNum());
    Shape result;
    for (std::size_t i = 0; i < rank; ++i) {
        const auto extent = [&](const Shape& one) {
            const std::size_t missing = rank - one.GetDimNum();
            return i < missing ? 1 : one.GetDim(i - missing);
        };
        if (extent(a) != extent(b) && extent(a) != 1 && extent(b) != 1) {
            return false;
        }
        result.AppendDim(extent(a) == 1 ? extent(b) : extent(a));
    }
    both = result;
    return true;
}

int64_t GetShapeSize(const Shape& shape) {
    return shape.GetShapeSize();
}

bool IsContiguous(const aclTensor* tensor) {
    return tensor != nullptr && tensor->value.contiguous();
}

}  // namespace op
