// SPDX-License-Identifier: Apache-2.0
// Shapes that are not known: a rank of -2, an extent of -1.
#pragma once

#include "runtime/acl/host_shape.hpp"

namespace Ops {
namespace Base {

/// A scalar has axis 0 alone.
template <class Rank, class Axis>
bool CheckAxisBounds(Rank rank, Axis axis) {
    const auto extents = static_cast<int64_t>(rank);
    const auto at = static_cast<int64_t>(axis);
    return extents == 0 ? at == 0 : at >= -extents && at < extents;
}

inline bool IsUnknownRank(const gert::Shape& shape) {
    return shape.GetDimNum() == 1 && shape.GetDim(0) == ge::UNKNOWN_DIM_NUM;
}

inline void SetUnknownRank(gert::Shape& shape) {
    shape = gert::Shape{ge::UNKNOWN_DIM_NUM};
}

inline void SetUnknownShape(int64_t rank, gert::Shape& shape) {
    shape.SetDimNum(0);
    for (int64_t i = 0; i < rank; ++i) {
        shape.AppendDim(ge::UNKNOWN_DIM);
    }
}

inline bool IsUnknownShape(const gert::Shape& shape) {
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        if (shape.GetDim(i) == ge::UNKNOWN_DIM) {
            return true;
        }
    }
    return false;
}

}  // namespace Base
}  // namespace Ops
