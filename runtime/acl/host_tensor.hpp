// SPDX-License-Identifier: Apache-2.0
// Tensors as an operator's host functions read them (API reference: gert::Tensor, CompileTimeTensorDesc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/acl/host_shape.hpp"

namespace gert {

enum TensorPlacement {
    kOnDeviceHbm,
    kOnHost,
    kFollowing,
    kOnDeviceP2p,
    kTensorPlacementEnd,
};

/// What a placement means.
class TensorPlacementUtils {
public:
    static bool IsOnHost(TensorPlacement placement) {
        return placement == kOnHost || placement == kFollowing;
    }

    static bool IsOnHostNotFollowing(TensorPlacement placement) { return placement == kOnHost; }

    static bool IsOnHostFollowing(TensorPlacement placement) { return placement == kFollowing; }

    static bool IsOnDevice(TensorPlacement placement) {
        return placement == kOnDeviceHbm || placement == kOnDeviceP2p;
    }
};

using TensorAddress = void*;

/// Element type and layout of an input or output.
class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() = default;

    CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format) : type_{type}, format_{format} {}

    ge::DataType GetDataType() const { return type_; }

    void SetDataType(ge::DataType type) { type_ = type; }

    const StorageFormat& GetFormat() const { return format_; }

    StorageFormat& MutableFormat() { return format_; }

    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }

    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }

    void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }

    void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }

    ExpandDimsType GetExpandDimsType() const { return {}; }

private:
    ge::DataType type_ = ge::DT_FLOAT;
    StorageFormat format_;
};

/// Its shape, and its data where they are known before the kernel runs.
class Tensor : public CompileTimeTensorDesc {
public:
    Tensor() = default;

    Tensor(const Shape& shape, ge::DataType type) : CompileTimeTensorDesc{type, {}}, shape_{shape} {}

    Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type)
        : CompileTimeTensorDesc{type, format}, shape_{shape} {}

    Tensor(const StorageShape& shape,
           const StorageFormat& format,
           TensorPlacement /*placement*/,
           ge::DataType type,
           TensorAddress address)
        : CompileTimeTensorDesc{type, format}, shape_{shape}, address_{address} {}

    const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }

    const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }

    Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }

    Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }

    const StorageShape& GetShape() const { return shape_; }

    StorageShape& GetShape() { return shape_; }

    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }

    std::size_t GetSize() const {
        return static_cast<std::size_t>(ge::GetSizeInBytes(GetShapeSize(), GetDataType()));
    }

    /// On the host where the data are known.
    TensorPlacement GetPlacement() const { return address_ != nullptr ? kOnHost : kOnDeviceHbm; }

    /// Null where the data are not known.
    const void* GetAddr() const { return address_; }

    void* GetAddr() { return address_; }

    template <class T>
    const T* GetData() const {
        return static_cast<const T*>(address_);
    }

    template <class T>
    T* GetData() {
        return static_cast<T*>(address_);
    }

    /// Keeps the data with the tensor.
    void Hold(const std::vector<std::byte>& bytes) {
        bytes_ = std::make_shared<std::vector<std::byte>>(bytes);
        address_ = bytes_->data();
    }

private:
    StorageShape shape_;
    TensorAddress address_ = nullptr;
    std::shared_ptr<std::vector<std::byte>> bytes_;
};

using TensorV2 = Tensor;

}  // namespace gert
