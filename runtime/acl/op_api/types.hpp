// SPDX-License-Identifier: Apache-2.0
// Shapes, types and layouts as the code around operators names them (namespace op of the toolkit's opdev/
// headers).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/acl/host_shape.hpp"
#include "runtime/acl/include/acl/acl_base.h"
#include "runtime/acl/include/platform/soc_spec.h"

struct aclTensor;

namespace op {

using Shape = gert::Shape;
using DataType = ge::DataType;
using Format = ge::Format;

inline constexpr std::size_t MAX_DIM_NUM = 25;

/// Where a launch may run.
enum CoreKind { AI_CORE, AI_CPU, VECTOR_CORE };

/// A vector; how many elements the toolkit keeps in place is no matter here.
template <class T, std::size_t In = 16>
class FVector : public std::vector<T> {
public:
    using std::vector<T>::vector;

    FVector() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): they become each other
    FVector(std::vector<T> values) : std::vector<T>{std::move(values)} {}
};

/// Truths, each with an address of its own.
template <std::size_t In>
class FVector<bool, In> : public std::basic_string<bool> {
public:
    using std::basic_string<bool>::basic_string;

    void emplace_back(bool one) { push_back(one); }
};

template <class T, std::size_t In = 16, bool Filled = true>
using SmallVector = FVector<T, In>;

using Strides = std::vector<int64_t>;
using ShapeVector = std::vector<int64_t>;

/// Words whose letters last as long as the object.
class Words {
public:
    explicit Words(std::string text) : text_{std::move(text)} {}

    const char* GetString() const { return text_.c_str(); }

    std::size_t GetLength() const { return text_.size(); }

private:
    std::string text_;
};

Words ToString(DataType type);
Words ToString(aclDataType type);
Words ToString(Format format);
Words ToString(aclFormat format);
Words ToString(const Shape& shape);
Words ToString(const std::vector<int64_t>& values);

inline Words ToString(const char* text) {
    return Words{text == nullptr ? "" : text};
}

/// Of a generation of cores.
Words ToString(NpuArch arch);

/// "DT_FLOAT, DT_FLOAT16".
template <class Types>

requires std::is_same_v<std::decay_t<decltype(*std::declval<const Types&>().begin())>, DataType> Words
ToString(const Types& types) {
    std::string text;
    for (const DataType type : types) {
        text += (text.empty() ? "" : ", ") + std::string{ToString(type).GetString()};
    }
    return Words{text};
}

/// "[1,2,3]".
template <class T>
std::string FVectorToString(const std::vector<T>& values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(static_cast<T>(values[i]));
    }
    return text + "]";
}

template <class T>
FVector<T> ToFVector(const T* values, uint64_t count) {
    return {values, values + count};
}

inline DataType ToOpDataType(aclDataType type) {
    return type == ACL_DT_UNDEFINED ? ge::DT_UNDEFINED : static_cast<DataType>(type);
}

inline aclDataType ToAclDataType(DataType type) {
    return type == ge::DT_UNDEFINED ? ACL_DT_UNDEFINED : static_cast<aclDataType>(type);
}

inline Format ToOpFormat(aclFormat format) {
    return static_cast<Format>(format);
}

inline aclFormat ToAclFormat(Format format) {
    return static_cast<aclFormat>(format);
}

/// B of an element; of a type of less than a byte, one.
std::size_t TypeSize(DataType type);
/// B of `count` elements.
int64_t CalcShapeBytes(int64_t count, DataType type, bool whole_blocks = false);

bool IsComplexType(DataType type);
bool IsFloatingType(DataType type);
/// Whole numbers; `with_bool` counts truths among them.
bool IsIntegralType(DataType type, bool with_bool = false);

inline bool IsBasicType(DataType type) {
    return IsIntegralType(type, true) || IsFloatingType(type) || IsComplexType(type);
}

/// The type that holds values of both; DT_UNDEFINED if there is none.
DataType PromoteType(DataType a, DataType b);
/// Whether values of one type may become the other's: no parts are lost but digits.
bool CanCast(DataType from, DataType to);

inline bool CheckType(DataType type, std::initializer_list<DataType> all) {
    return std::find(all.begin(), all.end(), type) != all.end();
}

template <class Types>
bool CheckType(DataType type, const Types& all) {
    return std::find(all.begin(), all.end(), type) != all.end();
}

/// The layout without what its higher bits say.
inline Format GetPrimaryFormat(Format format) {
    return static_cast<Format>(ge::GetPrimaryFormat(static_cast<int32_t>(format)));
}

/// Layouts in which elements do not lie in the order of the extents.
bool IsPrivateFormat(Format format);

/// These chips' kernels take plain rows.
inline bool IsSupportND() {
    return true;
}

void ToShape(const int64_t* extents, uint64_t count, Shape& shape);
Shape ToShape(const std::vector<int64_t>& extents);
void ToShape(const std::vector<int64_t>& extents, Shape& shape);
ShapeVector ToShapeVector(const Shape& shape);
void ToContiguousStrides(const Shape& shape, Strides& strides);
/// False where extents do not go with each other.
bool BroadcastInferShape(const Shape& a, const Shape& b, Shape& both);
int64_t GetShapeSize(const Shape& shape);

bool IsContiguous(const aclTensor* tensor);

inline bool CanPickViewAsContiguous(const aclTensor* tensor) {
    return IsContiguous(tensor);
}

}  // namespace op
