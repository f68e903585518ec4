// SPDX-License-Identifier: Apache-2.0
// What kernels write with the number types. The kernel compiler checks it in each language mode; nothing
// links it.
#include <cmath>
#include <cstdint>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"
#include "models/numbers/int4.hpp"
#include "models/numbers/rounding.hpp"

using half = ascendsim::half;
using bfloat16_t = ascendsim::bfloat16;

// NOLINTBEGIN: kernel style, C casts included.
template <typename T>
struct Kernel {
    T scale = (T)0.5;
    T values[4];

    T apply(T x, float alpha, int32_t count, bool flag) {
        T y = static_cast<T>(alpha);
        float wide = x;
        double wider = x;
        T mean = x / count;
        y = x * y + mean;
        y += 1;
        y -= alpha;
        y *= (T)2.0f;
        y = -y;
        T chosen = flag ? x : T(0);
        if (x < 0 || 0.0f == y || x != y || !chosen || y) {
            y = 0;
        }
        int32_t whole = static_cast<int32_t>(x);
        int64_t longer = (int64_t)y;
        wide += x;
        wide = wide * x + alpha;
        wider = x * 1.0;
        T folded = static_cast<T>(wide / static_cast<float>(x));
        y = wide > 1.0f ? folded : y;
        return y + static_cast<T>(whole) + T(longer) + T(wider) + (T)std::sqrt(x) + T(std::fabs(x));
    }
};

union Overlay {
    half h;
    bfloat16_t b;
    uint16_t bits;
};

template struct Kernel<half>;
template struct Kernel<bfloat16_t>;

constexpr half minus_infinity = half::from_bits(0xFC00);
static_assert(minus_infinity < -65504.0f, "comparison at compile time");
static_assert(sizeof(Overlay) == 2, "two bytes, and trivial");
static_assert(ascendsim::cast<int32_t>(half(2.5f), ascendsim::RoundMode::rint) == 2,
              "conversion at compile time");
static_assert(ascendsim::int4b_t::pack(-8, 7).low() == -8, "packed pairs at compile time");
// NOLINTEND
