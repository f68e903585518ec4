// SPDX-License-Identifier: Apache-2.0
// The greatest common divisor as the vector unit can do it, which divides no whole numbers: the smaller is
// taken from the larger until nothing is left of any lane of the tile.
#pragma once

#include <type_traits>

#include "kernels/ops/elementwise/elementwise/eltwise_ops.h"

/// to = |x|, by way of -x: whole numbers have no absolute value of their own.
template <typename C>
__aicore__ inline void EltMagnitude(const AscendC::LocalTensor<C>& to,
                                    const AscendC::LocalTensor<C>& x,
                                    int32_t count) {
    AscendC::Muls(to, x, C(-1), count), Then();
    AscendC::Max(to, to, x, count), Then();
}

/// The largest of `b`, none below 0, as a real number: what a loop that stops by itself looks at. `room`
/// takes it.
template <typename C>
__aicore__ inline float EltLargest(const AscendC::LocalTensor<C>& b,
                                   const AscendC::LocalTensor<C>& room,
                                   int32_t count) {
    using namespace AscendC;
    using Real = std::conditional_t<sizeof(C) == 2, half, float>;
    const LocalTensor<Real> real = room.template ReinterpretCast<Real>();
    if constexpr (std::is_same_v<C, Real>) {
        ReduceMax(real, b, real, count);
    } else {
        Cast(real, b, RoundMode::CAST_ROUND, count), Then();
        ReduceMax(real, real, real, count);
    }
    const TEventID ready = GetTPipePtr()->FetchEventID(HardEvent::V_S);
    SetFlag<HardEvent::V_S>(ready);
    WaitFlag<HardEvent::V_S>(ready);
    return static_cast<float>(real.GetValue(0));
}

/// y = gcd(x0, x1) by `steps` subtractions; as many as the sum of Euclid's quotients and one are enough. The
/// loop looks every time whether anything is left, as one whose end the data decide; it goes on nevertheless,
/// which changes nothing, because where only time is asked there are no data. All variables have their
/// places, as in a loop that a compiler generated.
template <typename C>
__aicore__ inline void EltGcd(const EltOperands<C>& o, int32_t steps) {
    using namespace AscendC;
    const LocalTensor<C>&a = o.y[0], b = o.Scratch(0), t = o.Scratch(1), u = o.Scratch(2);
    EltMagnitude(a, o.x[0], o.count);
    EltMagnitude(b, o.x[1], o.count);
    for (int32_t i = 0; i < steps; ++i) {
        Min(t, a, b, o.count), Sub(u, a, b, o.count), Then();
        Adds(b, t, C(0), o.count), Then();
        EltMagnitude(a, u, o.count);
        EltLargest(b, u, o.count);
    }
    Max(a, a, b, o.count);
}
