// SPDX-License-Identifier: Apache-2.0
// Whole-number arithmetic that the operator libraries' kernels take from their base package.
#pragma once

namespace Ops::Base {

template <typename T, typename U>
constexpr T FloorDiv(T x, U y) {
    return y == 0 ? x : static_cast<T>(x / y);
}

template <typename T, typename U>
constexpr T FloorAlign(T x, U align) {
    return align == 0 ? T{0} : static_cast<T>(x / align * align);
}

template <typename T, typename U>
constexpr T CeilDiv(T x, U y) {
    return y == 0 ? x : static_cast<T>((x + y - 1) / y);
}

template <typename T, typename U>
constexpr T CeilAlign(T x, U align) {
    return align == 0 ? T{0} : static_cast<T>((x + align - 1) / align * align);
}

}  // namespace Ops::Base
