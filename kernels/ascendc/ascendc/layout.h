// SPDX-License-Identifier: Apache-2.0
// Shapes, strides and layouts of tensors, and the trait that gives a tensor one.
#pragma once

#include "kernels/ascendc/ascendc/std.h"
#include "kernels/ascendc/ascendc/types.h"

namespace AscendC {

template <class... Sizes>
using Shape = Std::tuple<Sizes...>;
template <class... Steps>
using Stride = Std::tuple<Steps...>;
template <class... Places>
using Coord = Std::tuple<Places...>;

template <class... Sizes>
constexpr Shape<Sizes...> MakeShape(const Sizes&... sizes) {
    return {sizes...};
}

template <class... Steps>
constexpr Stride<Steps...> MakeStride(const Steps&... steps) {
    return {steps...};
}

template <class... Places>
constexpr Coord<Places...> MakeCoord(const Places&... places) {
    return {places...};
}

/// The offset in elements of a coordinate: its inner product with the strides, level by level.
template <class CoordType, class StrideType>
constexpr auto InnerProduct(const CoordType& coord, const StrideType& stride) {
    if constexpr (Std::is_tuple_v<CoordType>) {
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return (std::size_t{0} + ... +
                    static_cast<std::size_t>(InnerProduct(std::get<i>(coord), std::get<i>(stride))));
        }
        (std::make_index_sequence<std::tuple_size_v<CoordType>>{});
    } else {
        return static_cast<std::size_t>(coord) * static_cast<std::size_t>(stride);
    }
}

/// A shape with the distance between neighbours of each dimension, in elements.
template <class ShapeType, class StrideType>
struct Layout {
    constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
        : shape_(shape), stride_(stride) {}

    [[nodiscard]] constexpr const ShapeType& GetShape() const { return shape_; }

    [[nodiscard]] constexpr const StrideType& GetStride() const { return stride_; }

    template <class CoordType>
    constexpr auto operator()(const CoordType& coord) const {
        return InnerProduct(coord, stride_);
    }

private:
    ShapeType shape_;
    StrideType stride_;
};

template <class ShapeType, class StrideType>
constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType& shape, const StrideType& stride) {
    return {shape, stride};
}

template <class CoordType, class ShapeType, class StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const ShapeType&, const StrideType& stride) {
    return InnerProduct(coord, stride);
}

template <class CoordType, class ShapeType, class StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
    return layout(coord);
}

/// What a tensor may be declared over instead of its element type: element, position and layout.
template <typename T, TPosition pos = TPosition::GM, class LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
    using LiteType = T;
    using LiteLayoutType = LayoutType;
    static constexpr TPosition tPos = pos;

    constexpr TensorTrait(const LayoutType& layout = {}) : layout_(layout) {}

    [[nodiscard]] constexpr const LayoutType& GetLayout() const { return layout_; }

    constexpr void SetLayout(const LayoutType& layout) { layout_ = layout; }

private:
    LayoutType layout_;
};

template <typename T, TPosition pos, class LayoutType>
constexpr TensorTrait<T, pos, LayoutType> MakeTensorTrait(const LayoutType& layout) {
    return {layout};
}

}  // namespace AscendC
