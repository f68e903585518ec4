// SPDX-License-Identifier: Apache-2.0
// The graph engine's shape, as far as the tiling functions of the high-level API use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace ge {

/// The extents of a tensor, outermost first.
class Shape {
public:
    Shape() = default;

    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}

    [[nodiscard]] std::size_t GetDimNum() const { return dims_.size(); }

    [[nodiscard]] int64_t GetDim(std::size_t i) const { return i < dims_.size() ? dims_[i] : 0; }

    bool SetDim(std::size_t i, int64_t value) {
        if (i >= dims_.size()) {
            return false;
        }
        dims_[i] = value;
        return true;
    }

    [[nodiscard]] std::vector<int64_t> GetDims() const { return dims_; }

    /// Elements; 0 of a shape without extents.
    [[nodiscard]] int64_t GetShapeSize() const {
        return dims_.empty() ? 0
                             : std::accumulate(dims_.begin(), dims_.end(), int64_t{1}, std::multiplies<>{});
    }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge

namespace AscendC {

using TensorShape = ge::Shape;

}  // namespace AscendC

namespace AscendC {
using TensorShape = ge::Shape;  // as the documentation of the tiling functions calls it
}  // namespace AscendC
