// SPDX-License-Identifier: Apache-2.0
// The contexts of an operator's host functions: tensors, attributes, and where the tiling goes. Names and
// meanings are those of the API reference (gert::TilingContext and relatives).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/ascendc/graph/types.h"
#include "kernels/ascendc/register/op_impl_registry.h"
#include "runtime/acl/attribute.hpp"
#include "runtime/acl/include/tiling/platform/platform_ascendc.h"

namespace gert {

/// The extents of a tensor, outermost first.
class Shape {
public:
    Shape() = default;

    Shape(std::initializer_list<int64_t> dims) : dims_{dims} {}

    explicit Shape(std::vector<int64_t> dims) : dims_{std::move(dims)} {}

    std::size_t GetDimNum() const { return dims_.size(); }

    int64_t GetDim(std::size_t i) const { return i < dims_.size() ? dims_[i] : 0; }

    int64_t operator[](std::size_t i) const { return GetDim(i); }

    int64_t& operator[](std::size_t i) { return dims_.at(i); }

    void SetDim(std::size_t i, int64_t value) { dims_.at(i) = value; }

    void SetDimNum(std::size_t count) { dims_.resize(count); }

    Shape& AppendDim(int64_t value) {
        dims_.push_back(value);
        return *this;
    }

    bool IsScalar() const { return dims_.empty(); }

    bool operator==(const Shape& other) const { return dims_ == other.dims_; }

    bool operator!=(const Shape& other) const { return dims_ != other.dims_; }

    /// Elements; 1 of a scalar.
    int64_t GetShapeSize() const {
        int64_t size = 1;
        for (const int64_t extent : dims_) {
            size *= extent;
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

/// A shape as stored and as the user sees it: the same, for tensors here have the format ND.
class StorageShape {
public:
    StorageShape() = default;

    explicit StorageShape(Shape shape) : shape_{std::move(shape)} {}

    const Shape& GetStorageShape() const { return shape_; }

    const Shape& GetOriginShape() const { return shape_; }

    Shape& MutableStorageShape() { return shape_; }

    Shape& MutableOriginShape() { return shape_; }

private:
    Shape shape_;
};

class StorageFormat {
public:
    ge::Format GetStorageFormat() const { return ge::FORMAT_ND; }

    ge::Format GetOriginFormat() const { return ge::FORMAT_ND; }
};

/// Type, format and shape of an input or output. Its data are not known while tiling.
class Tensor {
public:
    Tensor() = default;

    Tensor(Shape shape, ge::DataType type) : shape_{std::move(shape)}, type_{type} {}

    ge::DataType GetDataType() const { return type_; }

    StorageFormat GetFormat() const { return {}; }

    ge::Format GetStorageFormat() const { return ge::FORMAT_ND; }

    ge::Format GetOriginFormat() const { return ge::FORMAT_ND; }

    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }

    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }

    const StorageShape& GetShape() const { return shape_; }

    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }

    std::size_t GetSize() const {
        return static_cast<std::size_t>(GetShapeSize() * ge::GetSizeByDataType(type_));
    }

    template <class T>
    const T* GetData() const {
        return nullptr;
    }

private:
    StorageShape shape_;
    ge::DataType type_ = ge::DT_FLOAT;
};

using CompileTimeTensorDesc = Tensor;

class RuntimeAttrs {
public:
    explicit RuntimeAttrs(std::vector<Attribute> values = {}) : values_{std::move(values)} {}

    std::size_t GetAttrNum() const { return values_.size(); }

    /// Null for an index the operator does not have, as in all of these.
    template <class T>
    const T* GetAttrPointer(std::size_t i) const {
        if (i >= values_.size()) {
            return nullptr;
        }
        const Attribute& one = values_[i];
        if constexpr (std::is_same_v<T, char>) {
            return one.text.c_str();
        } else if constexpr (std::is_same_v<T, bool>) {
            return &one.truth;
        } else if constexpr (std::is_same_v<T, float>) {
            return &one.real;
        } else if constexpr (std::is_integral_v<T>) {
            return reinterpret_cast<const T*>(&one.whole);
        } else if constexpr (std::is_same_v<T, TypedContinuousVector<float>>) {
            return &one.real_list;
        } else if constexpr (std::is_same_v<T, TypedContinuousVector<bool>>) {
            return &one.truth_list;
        } else {
            static_assert(std::is_same_v<T, ContinuousVector>, "an attribute of no known type");
            return &one.whole_list;
        }
    }

    const int64_t* GetInt(std::size_t i) const { return GetAttrPointer<int64_t>(i); }

    const float* GetFloat(std::size_t i) const { return GetAttrPointer<float>(i); }

    const bool* GetBool(std::size_t i) const { return GetAttrPointer<bool>(i); }

    const char* GetStr(std::size_t i) const { return GetAttrPointer<char>(i); }

    const ContinuousVector* GetListInt(std::size_t i) const { return GetAttrPointer<ContinuousVector>(i); }

    const TypedContinuousVector<float>* GetListFloat(std::size_t i) const {
        return GetAttrPointer<TypedContinuousVector<float>>(i);
    }

private:
    std::vector<Attribute> values_;
};

/// Where the tiling is written.
class TilingData {
public:
    void* GetData() { return data_.data(); }

    const void* GetData() const { return data_.data(); }

    std::size_t GetCapacity() const { return data_.size(); }

    std::size_t GetDataSize() const { return size_; }

    void SetDataSize(std::size_t size) { size_ = size; }

private:
    static constexpr std::size_t capacity = 65536;  // B, more than any tiling takes
    std::vector<std::byte> data_ = std::vector<std::byte>(capacity);
    std::size_t size_ = 0;
};

/// What all contexts tell of an operator's tensors and attributes; null for those it does not have.
class OperatorContext {
public:
    OperatorContext() = default;

    OperatorContext(std::vector<Tensor> inputs, std::vector<Tensor> outputs, RuntimeAttrs attrs)
        : inputs_{std::move(inputs)}, outputs_{std::move(outputs)}, attrs_{std::move(attrs)} {}

    const char* GetNodeName() const { return "operator"; }

    const char* GetNodeType() const { return "operator"; }

    std::size_t GetComputeNodeInputNum() const { return inputs_.size(); }

    std::size_t GetComputeNodeOutputNum() const { return outputs_.size(); }

    const RuntimeAttrs* GetAttrs() const { return &attrs_; }

    const Tensor* GetInputTensor(std::size_t i) const { return i < inputs_.size() ? &inputs_[i] : nullptr; }

    const Tensor* GetOptionalInputTensor(std::size_t i) const { return GetInputTensor(i); }

    const Tensor* GetRequiredInputTensor(std::size_t i) const { return GetInputTensor(i); }

    const CompileTimeTensorDesc* GetInputDesc(std::size_t i) const { return GetInputTensor(i); }

    const CompileTimeTensorDesc* GetOptionalInputDesc(std::size_t i) const { return GetInputTensor(i); }

    const CompileTimeTensorDesc* GetRequiredInputDesc(std::size_t i) const { return GetInputTensor(i); }

    const CompileTimeTensorDesc* GetOutputDesc(std::size_t i) const {
        return i < outputs_.size() ? &outputs_[i] : nullptr;
    }

protected:
    std::vector<Tensor> inputs_;
    std::vector<Tensor> outputs_;
    RuntimeAttrs attrs_;
};

class TilingContext : public OperatorContext {
public:
    using OperatorContext::OperatorContext;

    const StorageShape* GetInputShape(std::size_t i) const {
        return i < inputs_.size() ? &inputs_[i].GetShape() : nullptr;
    }

    const StorageShape* GetOptionalInputShape(std::size_t i) const { return GetInputShape(i); }

    const StorageShape* GetRequiredInputShape(std::size_t i) const { return GetInputShape(i); }

    const StorageShape* GetOutputShape(std::size_t i) const {
        return i < outputs_.size() ? &outputs_[i].GetShape() : nullptr;
    }

    fe::PlatFormInfos* GetPlatformInfo() { return &platform_; }

    int32_t GetDeterministic() const { return 0; }

    ge::graphStatus SetBlockDim(uint32_t blocks) { return Set(blocks_, blocks); }

    ge::graphStatus SetNumBlocks(uint32_t blocks) { return Set(blocks_, blocks); }

    uint32_t GetBlockDim() const { return blocks_; }

    ge::graphStatus SetTilingKey(uint64_t key) { return Set(key_, key); }

    uint64_t GetTilingKey() const { return key_; }

    ge::graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }

    ge::graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }

    ge::graphStatus SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }

    TilingData* GetRawTilingData() { return &data_; }

    template <class T>
    T* GetTilingData() {
        data_.SetDataSize(sizeof(T));
        return static_cast<T*>(data_.GetData());
    }

    std::size_t* GetWorkspaceSizes(std::size_t count) {
        workspaces_.resize(std::max<std::size_t>(count, 1));
        return workspaces_.data();
    }

    const std::vector<std::size_t>& Workspaces() const { return workspaces_; }

private:
    template <class T>
    static ge::graphStatus Set(T& target, T value) {
        target = value;
        return ge::GRAPH_SUCCESS;
    }

    fe::PlatFormInfos platform_;
    uint32_t blocks_ = 1;
    uint64_t key_ = 0;
    TilingData data_;
    std::vector<std::size_t> workspaces_;
};

/// Compiled, never made: shapes and types of outputs are the scenario's.
class InferShapeContext : public OperatorContext {
public:
    const Shape* GetInputShape(std::size_t i) const {
        return i < inputs_.size() ? &inputs_[i].GetStorageShape() : nullptr;
    }

    const Shape* GetOptionalInputShape(std::size_t i) const { return GetInputShape(i); }

    Shape* GetOutputShape(std::size_t i) { return i < shapes_.size() ? &shapes_[i] : nullptr; }

private:
    std::vector<Shape> shapes_;
};

class InferDataTypeContext : public OperatorContext {
public:
    ge::DataType GetInputDataType(std::size_t i) const {
        return i < inputs_.size() ? inputs_[i].GetDataType() : ge::DT_UNDEFINED;
    }

    ge::DataType GetOptionalInputDataType(std::size_t i) const { return GetInputDataType(i); }

    ge::graphStatus SetOutputDataType(std::size_t, ge::DataType) { return ge::GRAPH_SUCCESS; }
};

class InferShapeRangeContext : public OperatorContext {};

class TilingParseContext : public OperatorContext {};

}  // namespace gert

namespace ge {

/// Bytes of a type, as host code asks for them.
class TypeUtils {
public:
    static bool GetDataTypeLength(DataType type, uint32_t& length) {
        const int bytes = GetSizeByDataType(type);
        length = bytes < 0 ? 0 : static_cast<uint32_t>(bytes);
        return bytes > 0;
    }
};

}  // namespace ge
