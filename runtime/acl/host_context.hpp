// SPDX-License-Identifier: Apache-2.0
// The contexts of an operator's host functions: tensors, attributes, and where the tiling goes. Names and
// meanings are those of the API reference (gert::TilingContext and relatives).
//
// An operator's parameters ("IR inputs") may each stand for no tensor (an optional one that is absent), one,
// or several (a dynamic one). Functions without a word about the kind count tensors, those of optional,
// required and dynamic inputs count parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/acl/attribute.hpp"
#include "runtime/acl/host_tensor.hpp"
#include "runtime/acl/include/tiling/platform/platform_ascendc.h"

namespace gert {

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
        } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
            return reinterpret_cast<const T*>(&one.whole);
        } else if constexpr (std::is_same_v<T, ContinuousVector>) {
            return one.kind == AttributeKind::reals    ? static_cast<const T*>(&one.real_list)
                   : one.kind == AttributeKind::truths ? static_cast<const T*>(&one.truth_list)
                                                       : static_cast<const T*>(&one.whole_list);
        } else if constexpr (std::is_same_v<T, ContinuousVectorVector>) {
            return &one.lists;
        } else if constexpr (std::is_same_v<T, TypedContinuousVector<float>>) {
            return &one.real_list;
        } else if constexpr (std::is_same_v<T, TypedContinuousVector<bool>>) {
            return &one.truth_list;
        } else {
            static_assert(std::is_same_v<T, TypedContinuousVector<int64_t>>, "an attribute of no known type");
            return &one.whole_list;
        }
    }

    const int64_t* GetInt(std::size_t i) const { return GetAttrPointer<int64_t>(i); }

    const float* GetFloat(std::size_t i) const { return GetAttrPointer<float>(i); }

    const bool* GetBool(std::size_t i) const { return GetAttrPointer<bool>(i); }

    const char* GetStr(std::size_t i) const { return GetAttrPointer<char>(i); }

    const TypedContinuousVector<int64_t>* GetListInt(std::size_t i) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(i);
    }

    const TypedContinuousVector<float>* GetListFloat(std::size_t i) const {
        return GetAttrPointer<TypedContinuousVector<float>>(i);
    }

    const ContinuousVectorVector* GetListListInt(std::size_t i) const {
        return GetAttrPointer<ContinuousVectorVector>(i);
    }

private:
    std::vector<Attribute> values_;
};

/// The tensors that a parameter stands for.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() = default;

    AnchorInstanceInfo(uint32_t start, uint32_t count) : start_{start}, count_{count} {}

    std::size_t GetInstanceNum() const { return count_; }

    std::size_t GetInstanceStart() const { return start_; }

private:
    uint32_t start_ = 0;
    uint32_t count_ = 0;
};

/// Everything that is known of a use of an operator.
class ComputeNodeInfo {
public:
    ComputeNodeInfo() = default;

    /// `inputs[p]` are the tensors of parameter p.
    ComputeNodeInfo(std::string type,
                    const std::vector<std::vector<Tensor>>& inputs,
                    const std::vector<std::vector<Tensor>>& outputs,
                    RuntimeAttrs attrs)
        : type_{std::move(type)}, attrs_{std::move(attrs)} {
        gather(inputs, inputs_, input_anchors_);
        gather(outputs, outputs_, output_anchors_);
    }

    const char* GetNodeType() const { return type_.c_str(); }

    const char* GetNodeName() const { return type_.c_str(); }

    std::size_t GetIrInputsNum() const { return input_anchors_.size(); }

    std::size_t GetIrOutputsNum() const { return output_anchors_.size(); }

    std::size_t GetInputsNum() const { return inputs_.size(); }

    std::size_t GetOutputsNum() const { return outputs_.size(); }

    const AnchorInstanceInfo* GetInputInstanceInfo(std::size_t parameter) const {
        return parameter < input_anchors_.size() ? &input_anchors_[parameter] : nullptr;
    }

    const AnchorInstanceInfo* GetOutputInstanceInfo(std::size_t parameter) const {
        return parameter < output_anchors_.size() ? &output_anchors_[parameter] : nullptr;
    }

    const CompileTimeTensorDesc* GetInputTdInfo(std::size_t i) const { return Input(i); }

    const CompileTimeTensorDesc* GetOutputTdInfo(std::size_t i) const { return Output(i); }

    const RuntimeAttrs* GetAttrs() const { return &attrs_; }

    const Tensor* Input(std::size_t i) const { return i < inputs_.size() ? &inputs_[i] : nullptr; }

    const Tensor* Output(std::size_t i) const { return i < outputs_.size() ? &outputs_[i] : nullptr; }

    Tensor* Output(std::size_t i) { return i < outputs_.size() ? &outputs_[i] : nullptr; }

    /// Tensor `relative` of a parameter.
    const Tensor* Dynamic(std::size_t parameter, std::size_t relative) const {
        const AnchorInstanceInfo* anchor = GetInputInstanceInfo(parameter);
        return anchor != nullptr && relative < anchor->GetInstanceNum()
                   ? Input(anchor->GetInstanceStart() + relative)
                   : nullptr;
    }

private:
    static void gather(const std::vector<std::vector<Tensor>>& from,
                       std::vector<Tensor>& tensors,
                       std::vector<AnchorInstanceInfo>& anchors) {
        for (const std::vector<Tensor>& parameter : from) {
            anchors.emplace_back(static_cast<uint32_t>(tensors.size()),
                                 static_cast<uint32_t>(parameter.size()));
            tensors.insert(tensors.end(), parameter.begin(), parameter.end());
        }
    }

    std::string type_ = "operator";
    std::vector<Tensor> inputs_;
    std::vector<Tensor> outputs_;
    std::vector<AnchorInstanceInfo> input_anchors_;
    std::vector<AnchorInstanceInfo> output_anchors_;
    RuntimeAttrs attrs_;
};

/// Where the tiling is written.
class TilingData {
public:
    void* GetData() { return data_.data(); }

    const void* GetData() const { return data_.data(); }

    std::size_t GetCapacity() const { return data_.size(); }

    std::size_t GetDataSize() const { return size_; }

    void SetDataSize(std::size_t size) { size_ = size; }

    template <class T>
    ge::graphStatus Append(const T& value) {
        return Append(&value, 1);
    }

    template <class T>
    ge::graphStatus Append(const T* values, std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (size_ + bytes > data_.size()) {
            return ge::GRAPH_FAILED;
        }
        std::memcpy(data_.data() + size_, values, bytes);
        size_ += bytes;
        return ge::GRAPH_SUCCESS;
    }

private:
    static constexpr std::size_t capacity = 65536;  // B, more than any tiling takes
    std::vector<std::byte> data_ = std::vector<std::byte>(capacity);
    std::size_t size_ = 0;
};

class KernelContext {};

/// What all contexts tell of an operator's tensors and attributes; null for those it does not have.
class ExtendedKernelContext : public KernelContext {
public:
    ExtendedKernelContext() = default;

    explicit ExtendedKernelContext(ComputeNodeInfo node) : node_{std::move(node)} {}

    ExtendedKernelContext(std::vector<Tensor> inputs, std::vector<Tensor> outputs, RuntimeAttrs attrs)
        : node_{"operator", each(std::move(inputs)), each(std::move(outputs)), std::move(attrs)} {}

    const ComputeNodeInfo* GetComputeNodeInfo() const { return &node_; }

    ComputeNodeInfo& Node() { return node_; }

    const char* GetNodeName() const { return node_.GetNodeName(); }

    const char* GetNodeType() const { return node_.GetNodeType(); }

    const char* GetKernelName() const { return node_.GetNodeName(); }

    const char* GetKernelType() const { return node_.GetNodeType(); }

    std::size_t GetComputeNodeInputNum() const { return node_.GetInputsNum(); }

    std::size_t GetComputeNodeOutputNum() const { return node_.GetOutputsNum(); }

    std::size_t GetInputNum() const { return node_.GetInputsNum(); }

    const RuntimeAttrs* GetAttrs() const { return node_.GetAttrs(); }

    const AnchorInstanceInfo* GetIrInputInstanceInfo(std::size_t parameter) const {
        return node_.GetInputInstanceInfo(parameter);
    }

    const AnchorInstanceInfo* GetIrOutputInstanceInfo(std::size_t parameter) const {
        return node_.GetOutputInstanceInfo(parameter);
    }

    const Tensor* GetInputTensor(std::size_t i) const { return node_.Input(i); }

    const Tensor* GetOptionalInputTensor(std::size_t parameter) const { return node_.Dynamic(parameter, 0); }

    const Tensor* GetRequiredInputTensor(std::size_t parameter) const { return node_.Dynamic(parameter, 0); }

    const Tensor* GetDynamicInputTensor(std::size_t parameter, std::size_t relative) const {
        return node_.Dynamic(parameter, relative);
    }

    const CompileTimeTensorDesc* GetInputDesc(std::size_t i) const { return node_.Input(i); }

    const CompileTimeTensorDesc* GetOptionalInputDesc(std::size_t parameter) const {
        return node_.Dynamic(parameter, 0);
    }

    const CompileTimeTensorDesc* GetRequiredInputDesc(std::size_t parameter) const {
        return node_.Dynamic(parameter, 0);
    }

    const CompileTimeTensorDesc* GetDynamicInputDesc(std::size_t parameter, std::size_t relative) const {
        return node_.Dynamic(parameter, relative);
    }

    const CompileTimeTensorDesc* GetOutputDesc(std::size_t i) const { return node_.Output(i); }

private:
    /// One parameter for each tensor.
    static std::vector<std::vector<Tensor>> each(std::vector<Tensor> tensors) {
        std::vector<std::vector<Tensor>> result;
        for (Tensor& one : tensors) {
            result.push_back({std::move(one)});
        }
        return result;
    }

    ComputeNodeInfo node_;
};

class TilingContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;

    const StorageShape* GetInputShape(std::size_t i) const { return shape_of(GetInputTensor(i)); }

    const StorageShape* GetOptionalInputShape(std::size_t parameter) const {
        return shape_of(GetOptionalInputTensor(parameter));
    }

    const StorageShape* GetRequiredInputShape(std::size_t parameter) const {
        return shape_of(GetRequiredInputTensor(parameter));
    }

    const StorageShape* GetDynamicInputShape(std::size_t parameter, std::size_t relative) const {
        return shape_of(GetDynamicInputTensor(parameter, relative));
    }

    const StorageShape* GetOutputShape(std::size_t i) const {
        return shape_of(GetComputeNodeInfo()->Output(i));
    }

    /// What the operator's TilingParse found out of the chip.
    const void* GetCompileInfo() const { return compile_info_; }

    template <class T>
    const T* GetCompileInfo() const {
        return static_cast<const T*>(compile_info_);
    }

    void SetCompileInfo(const void* info) { compile_info_ = info; }

    fe::PlatFormInfos* GetPlatformInfo() const { return &platform_; }

    int32_t GetDeterministic() const { return deterministic_ ? 1 : 0; }

    int32_t GetDeterministicLevel() const { return GetDeterministic(); }

    void SetDeterministic(bool on) { deterministic_ = on; }

    ge::graphStatus SetBlockDim(uint32_t blocks) { return Set(blocks_, blocks); }

    ge::graphStatus SetNumBlocks(uint32_t blocks) { return Set(blocks_, blocks); }

    ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return Set(blocks_, blocks); }

    uint32_t GetBlockDim() const { return blocks_; }

    uint32_t GetNumBlocks() const { return blocks_; }

    ge::graphStatus SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }

    ge::graphStatus SetTilingKey(uint64_t key) { return Set(key_, key); }

    uint64_t GetTilingKey() const { return key_; }

    ge::graphStatus SetTilingCond(int32_t condition) { return Set(condition_, condition); }

    int32_t GetTilingCond() const { return condition_; }

    ge::graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }

    ge::graphStatus SetScheduleMode(uint32_t mode) { return Set(schedule_mode_, mode); }

    uint32_t GetScheduleMode() const { return schedule_mode_; }

    ge::graphStatus SetLocalMemorySize(uint32_t bytes) { return Set(local_memory_, bytes); }

    uint32_t GetLocalMemorySize() const { return local_memory_; }

    ge::graphStatus SetDynUBufSize(uint32_t bytes) { return Set(local_memory_, bytes); }

    bool InputIsView(std::size_t) const { return false; }

    bool OutputIsView(std::size_t) const { return false; }

    bool RequiredInputIsView(std::size_t) const { return false; }

    bool OptionalInputIsView(std::size_t) const { return false; }

    bool DynamicInputIsView(std::size_t, std::size_t) const { return false; }

    const Stride* GetInputStride(std::size_t) const { return nullptr; }

    const Stride* GetOutputStride(std::size_t) const { return nullptr; }

    const Stride* GetRequiredInputStride(std::size_t) const { return nullptr; }

    const Stride* GetOptionalInputStride(std::size_t) const { return nullptr; }

    const Stride* GetDynamicInputStride(std::size_t, std::size_t) const { return nullptr; }

    int64_t GetInputOffset(std::size_t) const { return -1; }

    int64_t GetOutputOffset(std::size_t) const { return -1; }

    TilingData* GetRawTilingData() { return &data_; }

    const TilingData* GetRawTilingData() const { return &data_; }

    template <class T>
    T* GetTilingData() {
        data_.SetDataSize(sizeof(T));
        return static_cast<T*>(data_.GetData());
    }

    std::size_t* GetWorkspaceSizes(std::size_t count) {
        workspaces_.resize(std::max<std::size_t>(count, 1));
        return workspaces_.data();
    }

    std::size_t GetWorkspaceNum() const { return workspaces_.size(); }

    const std::vector<std::size_t>& Workspaces() const { return workspaces_; }

private:
    static const StorageShape* shape_of(const Tensor* tensor) {
        return tensor == nullptr ? nullptr : &tensor->GetShape();
    }

    template <class T>
    static ge::graphStatus Set(T& target, T value) {
        target = value;
        return ge::GRAPH_SUCCESS;
    }

    mutable fe::PlatFormInfos platform_;
    const void* compile_info_ = nullptr;
    bool deterministic_ = false;
    uint32_t blocks_ = 1;
    uint64_t key_ = 0;
    int32_t condition_ = 0;
    uint32_t schedule_mode_ = 0;
    uint32_t local_memory_ = 0;
    TilingData data_;
    std::vector<std::size_t> workspaces_;
};

/// Shapes in, shapes out.
class InferShapeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;

    const Shape* GetInputShape(std::size_t i) const { return shape_of(GetInputTensor(i)); }

    const Shape* GetOptionalInputShape(std::size_t parameter) const {
        return shape_of(GetOptionalInputTensor(parameter));
    }

    const Shape* GetRequiredInputShape(std::size_t parameter) const {
        return shape_of(GetRequiredInputTensor(parameter));
    }

    const Shape* GetDynamicInputShape(std::size_t parameter, std::size_t relative) const {
        return shape_of(GetDynamicInputTensor(parameter, relative));
    }

    Shape* GetOutputShape(std::size_t i) {
        Tensor* tensor = Node().Output(i);
        return tensor == nullptr ? nullptr : &tensor->MutableOriginShape();
    }

private:
    static const Shape* shape_of(const Tensor* tensor) {
        return tensor == nullptr ? nullptr : &tensor->GetOriginShape();
    }
};

class InferDataTypeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;

    ge::DataType GetInputDataType(std::size_t i) const { return type_of(GetInputDesc(i)); }

    ge::DataType GetOptionalInputDataType(std::size_t parameter) const {
        return type_of(GetOptionalInputDesc(parameter));
    }

    ge::DataType GetRequiredInputDataType(std::size_t parameter) const {
        return type_of(GetRequiredInputDesc(parameter));
    }

    ge::DataType GetDynamicInputDataType(std::size_t parameter, std::size_t relative) const {
        return type_of(GetDynamicInputDesc(parameter, relative));
    }

    ge::DataType GetOutputDataType(std::size_t i) const { return type_of(GetOutputDesc(i)); }

    ge::graphStatus SetOutputDataType(std::size_t i, ge::DataType type) {
        Tensor* tensor = Node().Output(i);
        if (tensor == nullptr) {
            return ge::GRAPH_FAILED;
        }
        tensor->SetDataType(type);
        return ge::GRAPH_SUCCESS;
    }

private:
    static ge::DataType type_of(const CompileTimeTensorDesc* tensor) {
        return tensor == nullptr ? ge::DT_UNDEFINED : tensor->GetDataType();
    }
};

using TensorRange = Range<Tensor>;

/// Compiled, never made: shapes here are known.
class InferShapeRangeContext : public ExtendedKernelContext {
public:
    const Range<Shape>* GetInputShapeRange(std::size_t) const { return nullptr; }

    const Range<Shape>* GetOptionalInputShapeRange(std::size_t) const { return nullptr; }

    const Range<Shape>* GetRequiredInputShapeRange(std::size_t) const { return nullptr; }

    const Range<Shape>* GetDynamicInputShapeRange(std::size_t, std::size_t) const { return nullptr; }

    const TensorRange* GetInputTensorRange(std::size_t) const { return nullptr; }

    Range<Shape>* GetOutputShapeRange(std::size_t) { return nullptr; }
};

/// Of the function that finds out about the chip before any tiling.
class TilingParseContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;

    /// What the compiler of kernels noted; none does here.
    const char* GetCompiledJson() const { return "{}"; }

    template <class T>
    T* GetCompiledInfo() {
        return static_cast<T*>(compiled_);
    }

    void SetCompiledInfo(void* info) { compiled_ = info; }

    fe::PlatFormInfos* GetPlatformInfo() const { return &platform_; }

private:
    mutable fe::PlatFormInfos platform_;
    void* compiled_ = nullptr;
};

class OpExecuteContext;
class OpExecutePrepareContext;
class OpExecuteLaunchContext;
class ExeResGenerationContext;
class OpCheckContext;
class InferFormatContext;

}  // namespace gert

namespace ge {

/// A text of the graph engine.
class AscendString {
public:
    AscendString() = default;

    AscendString(const char* text) : text_{text == nullptr ? "" : text} {}

    explicit AscendString(std::string text) : text_{std::move(text)} {}

    const char* GetString() const { return text_.c_str(); }

    std::size_t GetLength() const { return text_.size(); }

    auto operator<=>(const AscendString&) const = default;

private:
    std::string text_;
};

/// The word for a layout.
const char* GetFormatName(Format format);

/// Words for types and layouts, as host code puts them into messages.
class TypeUtils {
public:
    static std::string DataTypeToSerialString(DataType type);
    static std::string FormatToSerialString(Format format);

    static AscendString DataTypeToAscendString(DataType type) {
        return AscendString{DataTypeToSerialString(type)};
    }

    static AscendString FormatToAscendString(Format format) {
        return AscendString{FormatToSerialString(format)};
    }

    static bool GetDataTypeLength(DataType type, uint32_t& length) {
        const int bytes = GetSizeByDataType(type);
        length = bytes < 0 ? 0 : static_cast<uint32_t>(bytes);
        return bytes > 0;
    }
};

}  // namespace ge
