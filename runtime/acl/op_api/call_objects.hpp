// SPDX-License-Identifier: Apache-2.0
// What the handles of aclnn calls point to, with the functions that the code around operators calls on them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/acl/op_api/types.hpp"
#include "runtime/acl/streams.hpp"

namespace ascendsim::op_api {

/// Memory of a tensor that the code around an operator allocates; several views may share it.
struct Storage {
    std::byte* address = nullptr;   // on the device; null until something is launched with it
    std::uint64_t bytes = 0;        // of those
    bool borrowed = false;          // of another's memory, or with content from the host
    bool on_host = false;           // the host knows what is in it
    std::vector<std::byte> host{};  // that
    /// The stream whose earlier work has used this memory: it is free for what follows on that one alone.
    std::optional<program::StreamNumber> used_on{};
};

class Recording;

}  // namespace ascendsim::op_api

struct aclTensor {
    ascendsim::program::CallTensor value;          // the view, and how it is stored
    mutable std::vector<std::int64_t> original{};  // extents before a layout of blocks
    op::Format original_format = ge::FORMAT_ND;
    op::Format view_format = ge::FORMAT_ND;
    mutable std::shared_ptr<ascendsim::op_api::Storage> storage{};  // null: memory of the program's
    mutable op::Shape seen{};  // what the last question was answered with
    mutable op::Shape seen_stored{};
    mutable op::Shape seen_original{};
    mutable bool from_workspace = false;

    const op::Shape& GetViewShape() const { return seen = op::Shape{value.shape}; }

    const op::Shape& GetStorageShape() const { return seen_stored = op::Shape{value.stored}; }

    const op::Shape& GetOriginalShape() const { return seen_original = op::Shape{original}; }

    const op::Strides& GetViewStrides() const { return value.strides; }

    int64_t GetViewOffset() const { return value.offset; }

    int64_t GetStorageOffset() const { return value.offset; }

    op::DataType GetDataType() const { return static_cast<op::DataType>(value.type); }

    op::Format GetStorageFormat() const { return static_cast<op::Format>(value.format); }

    op::Format GetViewFormat() const { return view_format; }

    op::Format GetOriginalFormat() const { return original_format; }

    /// A new view of all of it, in rows.
    void SetViewShape(const op::Shape& shape);
    void SetStorageShape(const op::Shape& shape);
    // Code of libraries does so with tensors that it only reads, too.
    void SetOriginalShape(const op::Shape& shape) const;

    void SetViewStrides(const op::Strides& strides) { value.strides = strides; }

    void SetViewOffset(int64_t offset) { value.offset = offset; }

    void SetStorageOffset(int64_t offset) { value.offset = offset; }

    void SetDataType(op::DataType type) { value.type = static_cast<std::int32_t>(type); }

    void SetStorageFormat(op::Format format) { value.format = static_cast<std::int32_t>(format); }

    void SetViewFormat(op::Format format) { view_format = format; }

    void SetOriginalFormat(op::Format format) { original_format = format; }

    int64_t Numel() const { return GetViewShape().GetShapeSize(); }

    int64_t Size() const { return Numel(); }

    bool IsEmpty() const { return Numel() == 0; }

    /// Of memory of the device, or of the host where that knows the content.
    void* GetStorageAddr() const;
    void* GetData() const;
    void SetStorageAddr(void* address) const;

    /// Writes an element of a tensor that the host knows.
    template <class T>
    void SetData(int64_t index, T element, op::DataType type) {
        set_element(index, static_cast<double>(element), type);
    }

    void SetFromWorkspace(bool from) const { from_workspace = from; }

    bool IsFromWorkspace() const { return from_workspace; }

    op::Words ToString() const;

private:
    void set_element(int64_t index, double element, op::DataType type) const;
};

struct aclTensorList {
    std::vector<const aclTensor*> tensors;

    uint64_t Size() const { return tensors.size(); }

    const aclTensor* operator[](std::size_t i) const { return tensors.at(i); }

    aclTensor* operator[](std::size_t i) {
        return const_cast<aclTensor*>(tensors.at(i));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    }

    op::Words ToString() const;
};

struct aclScalar {
    aclDataType type = ACL_FLOAT;
    double real = 0;         // its value
    std::int64_t whole = 0;  // the same, exact for whole types
    bool is_whole = false;

    op::DataType GetDataType() const { return op::ToOpDataType(type); }

    template <class T>
    T To() const {
        return is_whole ? static_cast<T>(whole) : static_cast<T>(real);
    }

    float ToFloat() const { return To<float>(); }

    double ToDouble() const { return To<double>(); }

    int64_t ToInt64() const { return To<int64_t>(); }

    int32_t ToInt32() const { return To<int32_t>(); }

    int16_t ToInt16() const { return To<int16_t>(); }

    int8_t ToInt8() const { return To<int8_t>(); }

    uint64_t ToUint64() const { return To<uint64_t>(); }

    uint32_t ToUint32() const { return To<uint32_t>(); }

    uint16_t ToUint16() const { return To<uint16_t>(); }

    uint8_t ToUint8() const { return To<uint8_t>(); }

    /// Whether the value is none of that type's.
    template <class T>
    bool CheckOverflows() const {
        return real < static_cast<double>(std::numeric_limits<T>::lowest()) ||
               real > static_cast<double>(std::numeric_limits<T>::max());
    }

    bool ToBool() const { return is_whole ? whole != 0 : real != 0; }

    ascendsim::half ToFp16() const { return ascendsim::half{ToFloat()}; }

    ascendsim::bfloat16 ToBf16() const { return ascendsim::bfloat16{ToFloat()}; }

    op::Words ToString() const;
};

struct aclScalarList {
    std::vector<const aclScalar*> scalars;

    uint64_t Size() const { return scalars.size(); }

    const aclScalar* operator[](std::size_t i) const { return scalars.at(i); }
};

struct aclIntArray {
    std::vector<std::int64_t> values;

    uint64_t Size() const { return values.size(); }

    const int64_t* GetData() const { return values.data(); }

    const int64_t& operator[](std::size_t i) const { return values.at(i); }

    int64_t& operator[](std::size_t i) { return values.at(i); }

    op::Words ToString() const { return op::ToString(values); }
};

struct aclFloatArray {
    std::vector<float> values;

    uint64_t Size() const { return values.size(); }

    const float* GetData() const { return values.data(); }

    const float& operator[](std::size_t i) const { return values.at(i); }

    float& operator[](std::size_t i) { return values.at(i); }

    op::Words ToString() const { return op::Words{op::FVectorToString(values)}; }
};

struct aclBoolArray {
    std::vector<bool> values;

    uint64_t Size() const { return values.size(); }

    bool operator[](std::size_t i) const { return values.at(i); }

    op::Words ToString() const { return op::Words{op::FVectorToString(values)}; }
};

/// What a first phase hands to the second one: an operator that is prepared, or what the library's own code
/// recorded.
struct aclOpExecutor {
    std::string function;
    std::shared_ptr<ascendsim::program::PreparedOperator> prepared{};
    bool repeatable = false;
    bool used = false;
    std::shared_ptr<ascendsim::op_api::Recording> recording{};  // of a library's own code

    aclTensor* AllocTensor(const op::Shape& shape, op::DataType type, op::Format format = ge::FORMAT_ND);
    aclTensor* AllocTensor(op::DataType type,
                           op::Format storage_format = ge::FORMAT_ND,
                           op::Format original_format = ge::FORMAT_ND);
    aclTensor* AllocTensor(const op::Shape& storage_shape,
                           const op::Shape& original_shape,
                           op::DataType type,
                           op::Format storage_format,
                           op::Format original_format);
    aclTensor* AllocHostTensor(const op::Shape& shape, op::DataType type, op::Format format = ge::FORMAT_ND);
    aclTensor* AllocHostTensor(const std::vector<int64_t>& shape,
                               op::DataType type,
                               op::Format format = ge::FORMAT_ND);
    aclTensor* AllocHostTensor(std::initializer_list<int64_t> shape,
                               op::DataType type,
                               op::Format format = ge::FORMAT_ND);

    aclIntArray* AllocIntArray(const int64_t* values, uint64_t count);
    aclFloatArray* AllocFloatArray(const float* values, uint64_t count);
    aclBoolArray* AllocBoolArray(const bool* values, uint64_t count);
    aclTensorList* AllocTensorList(const aclTensor* const* tensors, uint64_t count);
    aclScalarList* AllocScalarList(const aclScalar* const* scalars, uint64_t count);
    aclScalar* AllocScalar(const void* value, op::DataType type);

    template <class T>
    aclScalar* AllocScalar(T value) {
        if constexpr (std::is_integral_v<T>) {
            return whole_scalar(static_cast<int64_t>(value), std::is_same_v<T, bool>);
        } else {
            return real_scalar(static_cast<double>(value));
        }
    }

    const aclTensor* ConvertToTensor(const aclIntArray* values, op::DataType type);
    const aclTensor* ConvertToTensor(const aclFloatArray* values, op::DataType type);
    const aclTensor* ConvertToTensor(const aclBoolArray* values, op::DataType type);
    const aclTensor* ConvertToTensor(const aclScalar* value, op::DataType type);

    template <class T>
    const aclTensor* ConvertToTensor(const T* values, uint64_t count, op::DataType type) {
        std::vector<double> numbers;
        for (uint64_t i = 0; i < count; ++i) {
            numbers.push_back(static_cast<double>(values[i]));
        }
        return known_tensor(numbers, {static_cast<int64_t>(count)}, type);
    }

    /// Part of a tensor's memory, or all of it, as another shape in rows; offsets are in elements.
    aclTensor* CreateView(const aclTensor* tensor, const op::Shape& shape, int64_t offset);
    aclTensor* CreateView(const aclTensor* tensor,
                          const op::Shape& shape,
                          const op::Shape& storage_shape,
                          const op::Strides& strides,
                          int64_t offset);

    /// B of device memory that what is recorded needs; makes it ready to run.
    uint64_t GetWorkspaceSize();

    uint64_t GetLinearWorkspaceSize() { return GetWorkspaceSize(); }

    void AbandonCache(bool /*always*/ = false) {}

    /// The view's memory is the tensor's already.
    void AddTensorRelation(const aclTensor* /*one*/, const aclTensor* /*other*/) {}

    aclTensor* known_tensor(const std::vector<double>& values,
                            const std::vector<int64_t>& shape,
                            op::DataType type);

private:
    aclScalar* whole_scalar(int64_t value, bool is_truth);
    aclScalar* real_scalar(double value);
};

namespace op {
using OpExecutor = aclOpExecutor;
}  // namespace op
