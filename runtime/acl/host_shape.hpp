// SPDX-License-Identifier: Apache-2.0
// Shapes and layouts as an operator's host functions read them (API reference: gert::Shape, StorageShape,
// StorageFormat).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "kernels/ascendc/graph/types.h"
#include "kernels/ascendc/register/op_impl_registry.h"

namespace gert {

/// The extents of a tensor, outermost first.
class Shape {
public:
    static constexpr std::size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

    Shape() = default;

    Shape(std::initializer_list<int64_t> dims) { assign(dims.begin(), dims.end()); }

    explicit Shape(const std::vector<int64_t>& dims) { assign(dims.begin(), dims.end()); }

    std::size_t GetDimNum() const { return count_; }

    int64_t GetDim(std::size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }

    const int64_t& operator[](std::size_t i) const { return dims_.at(i); }

    int64_t& operator[](std::size_t i) { return dims_.at(i); }

    /// Extents behind the last are added by it, as AppendDim does.
    void SetDim(std::size_t i, int64_t value) {
        if (i < kMaxDimNum) {
            dims_[i] = value;
            count_ = count_ < i ? i : count_;
        }
    }

    void SetDimNum(std::size_t count) { count_ = count < kMaxDimNum ? count : kMaxDimNum; }

    Shape& AppendDim(int64_t value) {
        if (count_ < kMaxDimNum) {
            dims_[count_++] = value;
        }
        return *this;
    }

    void SetScalar() { count_ = 0; }

    bool IsScalar() const { return count_ == 0; }

    bool operator==(const Shape& other) const {
        bool same = count_ == other.count_;
        for (std::size_t i = 0; same && i < count_; ++i) {
            same = dims_[i] == other.dims_[i];
        }
        return same;
    }

    bool operator!=(const Shape& other) const { return !(*this == other); }

    /// Elements; 1 of a scalar, -1 where an extent is unknown.
    int64_t GetShapeSize() const {
        int64_t size = 1;
        for (std::size_t i = 0; i < count_; ++i) {
            if (dims_[i] < 0) {
                return -1;
            }
            size *= dims_[i];
        }
        return size;
    }

private:
    template <class Iterator>
    void assign(Iterator from, Iterator to) {
        for (; from != to; ++from) {
            AppendDim(*from);
        }
    }

    std::size_t count_ = 0;
    std::array<int64_t, kMaxDimNum> dims_{};
};

/// A shape as the user sees it and as it is stored.
class StorageShape {
public:
    StorageShape() = default;

    StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
        : origin_{origin}, storage_{storage} {}

    explicit StorageShape(const Shape& shape) : origin_{shape}, storage_{shape} {}

    StorageShape(const Shape& origin, const Shape& storage) : origin_{origin}, storage_{storage} {}

    const Shape& GetStorageShape() const { return storage_; }

    const Shape& GetOriginShape() const { return origin_; }

    const Shape& GetShape() const { return origin_; }

    Shape& MutableShape() { return origin_; }

    Shape& MutableStorageShape() { return storage_; }

    Shape& MutableOriginShape() { return origin_; }

    bool operator==(const StorageShape& other) const {
        return origin_ == other.origin_ && storage_ == other.storage_;
    }

    bool operator!=(const StorageShape& other) const { return !(*this == other); }

private:
    Shape origin_;
    Shape storage_;
};

/// Steps between elements of a view; tensors here are dense.
class Stride {
public:
    std::size_t GetDimNum() const { return 0; }

    int64_t GetStride(std::size_t) const { return 0; }

    int64_t operator[](std::size_t) const { return 0; }
};

class ExpandDimsType {
public:
    bool operator==(const ExpandDimsType&) const { return true; }
};

class StorageFormat {
public:
    StorageFormat() = default;

    StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType& = {})
        : origin_{origin}, storage_{storage} {}

    ge::Format GetStorageFormat() const { return storage_; }

    ge::Format GetOriginFormat() const { return origin_; }

    void SetStorageFormat(ge::Format format) { storage_ = format; }

    void SetOriginFormat(ge::Format format) { origin_ = format; }

    ExpandDimsType GetExpandDimsType() const { return {}; }

private:
    ge::Format origin_ = ge::FORMAT_ND;
    ge::Format storage_ = ge::FORMAT_ND;
};

/// The least and the most that something may be.
template <class T>
class Range {
public:
    Range() = default;

    Range(T* least, T* most) : least_{least}, most_{most} {}

    explicit Range(T* same) : least_{same}, most_{same} {}

    const T* GetMin() const { return least_; }

    const T* GetMax() const { return most_; }

    T* GetMin() { return least_; }

    T* GetMax() { return most_; }

    void SetMin(T* least) { least_ = least; }

    void SetMax(T* most) { most_ = most; }

private:
    T* least_ = nullptr;
    T* most_ = nullptr;
};

}  // namespace gert
