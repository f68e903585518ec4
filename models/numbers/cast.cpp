// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/cast.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "models/numbers/convert.hpp"
#include "models/numbers/independent.hpp"
#include "models/numbers/whole.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

template <RoundMode mode>
using Mode = std::integral_constant<RoundMode, mode>;

// Calls `function` with the mode as a type, so that each loop below exists once per mode and decides nothing
// per element.
template <class Function>
void with_mode(RoundMode mode, Function function) {
    switch (mode) {
        case RoundMode::none:
        case RoundMode::rint:
        case RoundMode::hybrid:
            return function(Mode<RoundMode::rint>{});
        case RoundMode::floor:
            return function(Mode<RoundMode::floor>{});
        case RoundMode::ceil:
            return function(Mode<RoundMode::ceil>{});
        case RoundMode::round:
            return function(Mode<RoundMode::round>{});
        case RoundMode::trunc:
            return function(Mode<RoundMode::trunc>{});
        case RoundMode::odd:
            return function(Mode<RoundMode::odd>{});
    }
}

template <class T>
constexpr bool is_small_integer{std::is_integral_v<T> && sizeof(T) <= 2};
template <class T>
constexpr bool is_floating{std::is_same_v<T, float> || numbers::is_float16<T>};

// Pairs that clamp a whole number: from a float to itself or to a signed or narrow integer.
template <class Dst, class Src>
constexpr bool by_whole{is_floating<Src> && (is_small_integer<Dst> || std::is_same_v<Dst, std::int32_t> ||
                                             (std::is_same_v<Dst, float> && std::is_same_v<Src, float>))};
// Pairs that a float in between converts exactly, or to nearest.
template <class Dst, class Src>
constexpr bool by_float{
    (is_small_integer<Src> || (std::is_same_v<Src, std::int32_t> && std::is_same_v<Dst, float>)) &&
    is_floating<Dst>};

template <class Dst, RoundMode mode>
[[gnu::always_inline]] inline Dst from_whole(float value) {
    if constexpr (std::is_same_v<Dst, float>) {
        return numbers::whole<mode>(value);
    } else {
        return numbers::clamped<Dst>(numbers::whole<mode>(value));
    }
}

template <class Dst, RoundMode mode, class Src>
[[gnu::always_inline]] inline void loop_whole(const Src* from, Dst* to, std::size_t count) {
    ASCENDSIM_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = from_whole<Dst, mode>(static_cast<float>(from[i]));
    }
}

template <class Dst, class Src>
[[gnu::always_inline]] inline void loop_float(const Src* from, Dst* to, std::size_t count) {
    ASCENDSIM_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = Dst(static_cast<float>(from[i]));
    }
}

#if defined(__x86_64__)
#define ASCENDSIM_WITH_AVX2 [[gnu::target("avx2")]]

bool host_has_avx2() {
    return __builtin_cpu_supports("avx2") != 0;
}

#else
#define ASCENDSIM_WITH_AVX2

bool host_has_avx2() {
    return false;
}

#endif

template <class Dst, RoundMode mode, class Src>
ASCENDSIM_WITH_AVX2 void loop_whole_avx2(const Src* from, Dst* to, std::size_t count) {
    loop_whole<Dst, mode>(from, to, count);
}

template <class Dst, class Src>
ASCENDSIM_WITH_AVX2 void loop_float_avx2(const Src* from, Dst* to, std::size_t count) {
    loop_float(from, to, count);
}

template <class Dst, class Src>
void cast_one_by_one(std::span<const Src> from, std::span<Dst> to, RoundMode mode, CastRange range) {
    with_mode(mode, [&](auto fixed) {
        for (std::size_t i{0}; i < from.size(); ++i) {
            to[i] = cast<Dst>(from[i], fixed.value, range);
        }
    });
}

template <class Dst, class Src>
void cast_by_whole(std::span<const Src> from, std::span<Dst> to, RoundMode mode) {
    with_mode(mode, [&](auto fixed) {
        if (host_has_avx2()) {
            loop_whole_avx2<Dst, fixed.value>(from.data(), to.data(), from.size());
        } else {
            loop_whole<Dst, fixed.value>(from.data(), to.data(), from.size());
        }
    });
}

bool is_to_nearest(RoundMode mode) {
    return mode == RoundMode::none || mode == RoundMode::rint || mode == RoundMode::hybrid;
}

}  // namespace

template <class Dst, class Src>
void cast_all(std::span<const Src> from, std::span<Dst> to, RoundMode mode, CastRange range) {
    check(from.size() == to.size(), "cast of {} elements into {}", from.size(), to.size());
    if constexpr (numbers::is_float16<Src> && std::is_same_v<Dst, float>) {
        if (!range.saturate_float) {
            return convert(from, to);
        }
    } else if constexpr (numbers::is_float16<Dst> && std::is_same_v<Src, float>) {
        if (!range.saturate_float && is_to_nearest(mode)) {
            return convert(from, to);
        }
    } else if constexpr (by_whole<Dst, Src>) {
        if (range.saturate_integer) {
            return cast_by_whole(from, to, mode);
        }
    } else if constexpr (by_float<Dst, Src>) {
        if (is_to_nearest(mode)) {
            return host_has_avx2() ? loop_float_avx2(from.data(), to.data(), from.size())
                                   : loop_float(from.data(), to.data(), from.size());
        }
    }
    cast_one_by_one(from, to, mode, range);
}

void cast_all(std::span<const half> from, std::span<int4b_t> to, RoundMode mode, CastRange range) {
    check(to.size() == numbers::int4_bytes(from.size()),
          "cast of {} elements into {} bytes",
          from.size(),
          to.size());
    for (std::size_t i{0}; i < to.size(); ++i) {
        const int low{cast_to_int4(from[2U * i], mode, range)};
        const int high{2U * i + 1U < from.size() ? cast_to_int4(from[2U * i + 1U], mode, range) : 0};
        to[i] = int4b_t::pack(low, high);
    }
}

void cast_all(std::span<const int4b_t> from, std::span<half> to) {
    check(from.size() == numbers::int4_bytes(to.size()),
          "cast of {} bytes into {} elements",
          from.size(),
          to.size());
    for (std::size_t i{0}; i < to.size(); ++i) {
        to[i] = half{numbers::int4_at(from.data(), i)};
    }
}

void cast_all_dequantized(std::span<const std::int32_t> from,
                          std::span<half> to,
                          half scale,
                          CastRange range) {
    check(from.size() == to.size(), "cast of {} elements into {}", from.size(), to.size());
    for (std::size_t i{0}; i < from.size(); ++i) {
        to[i] = cast_dequantized(from[i], scale, range);
    }
}

template void cast_all<float, float>(std::span<const float>, std::span<float>, RoundMode, CastRange);
template void cast_all<half, float>(std::span<const float>, std::span<half>, RoundMode, CastRange);
template void cast_all<bfloat16, float>(std::span<const float>, std::span<bfloat16>, RoundMode, CastRange);
template void cast_all<std::int64_t, float>(std::span<const float>,
                                            std::span<std::int64_t>,
                                            RoundMode,
                                            CastRange);
template void cast_all<std::int32_t, float>(std::span<const float>,
                                            std::span<std::int32_t>,
                                            RoundMode,
                                            CastRange);
template void cast_all<std::int16_t, float>(std::span<const float>,
                                            std::span<std::int16_t>,
                                            RoundMode,
                                            CastRange);
template void cast_all<float, half>(std::span<const half>, std::span<float>, RoundMode, CastRange);
template void cast_all<std::int32_t, half>(std::span<const half>,
                                           std::span<std::int32_t>,
                                           RoundMode,
                                           CastRange);
template void cast_all<std::int16_t, half>(std::span<const half>,
                                           std::span<std::int16_t>,
                                           RoundMode,
                                           CastRange);
template void cast_all<std::int8_t, half>(std::span<const half>,
                                          std::span<std::int8_t>,
                                          RoundMode,
                                          CastRange);
template void cast_all<std::uint8_t, half>(std::span<const half>,
                                           std::span<std::uint8_t>,
                                           RoundMode,
                                           CastRange);
template void cast_all<float, bfloat16>(std::span<const bfloat16>, std::span<float>, RoundMode, CastRange);
template void cast_all<std::int32_t, bfloat16>(std::span<const bfloat16>,
                                               std::span<std::int32_t>,
                                               RoundMode,
                                               CastRange);
template void cast_all<half, std::int16_t>(std::span<const std::int16_t>,
                                           std::span<half>,
                                           RoundMode,
                                           CastRange);
template void cast_all<float, std::int16_t>(std::span<const std::int16_t>,
                                            std::span<float>,
                                            RoundMode,
                                            CastRange);
template void cast_all<half, std::int8_t>(std::span<const std::int8_t>,
                                          std::span<half>,
                                          RoundMode,
                                          CastRange);
template void cast_all<half, std::uint8_t>(std::span<const std::uint8_t>,
                                           std::span<half>,
                                           RoundMode,
                                           CastRange);
template void cast_all<float, std::int32_t>(std::span<const std::int32_t>,
                                            std::span<float>,
                                            RoundMode,
                                            CastRange);
template void cast_all<std::int16_t, std::int32_t>(std::span<const std::int32_t>,
                                                   std::span<std::int16_t>,
                                                   RoundMode,
                                                   CastRange);
template void cast_all<std::int64_t, std::int32_t>(std::span<const std::int32_t>,
                                                   std::span<std::int64_t>,
                                                   RoundMode,
                                                   CastRange);
template void cast_all<std::int32_t, std::int64_t>(std::span<const std::int64_t>,
                                                   std::span<std::int32_t>,
                                                   RoundMode,
                                                   CastRange);
template void cast_all<float, std::int64_t>(std::span<const std::int64_t>,
                                            std::span<float>,
                                            RoundMode,
                                            CastRange);

}  // namespace ascendsim
