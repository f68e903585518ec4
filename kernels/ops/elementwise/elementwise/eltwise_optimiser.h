// SPDX-License-Identifier: Apache-2.0
// An optimiser's step as a tensor compiler writes it whose scalars are tensors of one element (the operator
// library's ApplyAdamW takes learning rate, decays, powers and epsilon so): each is broadcast over every
// tile, and all arithmetic is of two tensors.
#pragma once

#include "kernels/ops/elementwise/elementwise/eltwise_ops.h"

/// As EltAdamW, with eight of the scratch tiles filled with the scalars; takes scratch 0 to 9.
template <typename C>
__aicore__ inline void EltAdamWOfTensors(const EltOperands<C>& o) {
    using namespace AscendC;
    const LocalTensor<C>&variable = o.y[0], &first = o.y[1], &second = o.y[2];
    const LocalTensor<C> t = o.Scratch(0), u = o.Scratch(1);
    const float values[]{o.p[1], 1.0f - o.p[1], o.p[2], 1.0f - o.p[2], o.p[3], o.p[5], o.p[4], o.p[0]};
    const auto filled = [&](uint32_t i) { return o.Scratch(2 + i); };
    const int32_t n = o.count;
    for (uint32_t i = 0; i < 8; ++i) {
        Duplicate(filled(i), static_cast<C>(values[i]), n);
    }
    Then();
    Mul(first, o.x[1], filled(0), n), Then();
    Mul(t, o.x[3], filled(1), n), Then();
    Add(first, first, t, n), Then();
    Mul(second, o.x[2], filled(2), n), Then();
    Mul(u, o.x[3], o.x[3], n), Then();
    Mul(u, u, filled(3), n), Then();
    Add(second, second, u, n), Then();
    Mul(variable, o.x[0], filled(4), n), Then();
    Mul(u, second, filled(5), n), Then();
    Sqrt(u, u, n), Then();
    Add(u, u, filled(6), n), Then();
    Mul(t, first, filled(7), n), Then();
    Div(t, t, u, n), Then();
    Sub(variable, variable, t, n);
}
