// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/math.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "models/numbers/convert.hpp"
#include "models/numbers/elementary.hpp"
#include "models/numbers/independent.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::numbers {
namespace {

// The loops are inlined into a version for each instruction set, so that the compiler vectorises them for it.
template <class Function>
[[gnu::always_inline]] inline void each(const float* x, float* y, std::size_t count, Function function) {
    ASCENDSIM_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = function(x[i]);
    }
}

template <class Function>
[[gnu::always_inline]] inline void each_pair(
    const float* a, const float* b, float* y, std::size_t count, Function function) {
    ASCENDSIM_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = function(a[i], b[i]);
    }
}

#if defined(__x86_64__)

bool host_has_avx2() {
    return __builtin_cpu_supports("avx2") != 0;
}

template <class Function>
[[gnu::target("avx2")]] void each_avx2(const float* x, float* y, std::size_t count, Function function) {
    each(x, y, count, function);
}

template <class Function>
[[gnu::target("avx2")]] void each_pair_avx2(
    const float* a, const float* b, float* y, std::size_t count, Function function) {
    each_pair(a, b, y, count, function);
}

#else

bool host_has_avx2() {
    return false;
}

template <class Function>
void each_avx2(const float* x, float* y, std::size_t count, Function function) {
    each(x, y, count, function);
}

template <class Function>
void each_pair_avx2(const float* a, const float* b, float* y, std::size_t count, Function function) {
    each_pair(a, b, y, count, function);
}

#endif

template <class Function>
void apply(std::span<const float> x, std::span<float> y, Function function) {
    check(x.size() == y.size(), "function of {} elements into {}", x.size(), y.size());
    if (host_has_avx2()) {
        each_avx2(x.data(), y.data(), x.size(), function);
    } else {
        each(x.data(), y.data(), x.size(), function);
    }
}

template <class Function>
void apply(std::span<const float> a, std::span<const float> b, std::span<float> y, Function function) {
    check(a.size() == y.size() && b.size() == y.size(),
          "function of {} and {} elements into {}",
          a.size(),
          b.size(),
          y.size());
    if (host_has_avx2()) {
        each_pair_avx2(a.data(), b.data(), y.data(), y.size(), function);
    } else {
        each_pair(a.data(), b.data(), y.data(), y.size(), function);
    }
}

// Halves pass through a buffer of floats that stays in the first-level cache.
constexpr std::size_t chunk{512};
using Buffer = std::array<float, chunk>;

template <class Function>
void apply(std::span<const half> x, std::span<half> y, Function function) {
    check(x.size() == y.size(), "function of {} elements into {}", x.size(), y.size());
    Buffer buffer;
    for (std::size_t begin{0}; begin < x.size(); begin += chunk) {
        const std::size_t count{std::min(chunk, x.size() - begin)};
        const std::span<float> wide{std::span{buffer}.first(count)};
        convert(x.subspan(begin, count), wide);
        apply(std::span<const float>{wide}, wide, function);
        convert(std::span<const float>{wide}, y.subspan(begin, count));
    }
}

template <class Function>
void apply(std::span<const half> a, std::span<const half> b, std::span<half> y, Function function) {
    check(a.size() == y.size() && b.size() == y.size(),
          "function of {} and {} elements into {}",
          a.size(),
          b.size(),
          y.size());
    Buffer first;
    Buffer second;
    for (std::size_t begin{0}; begin < y.size(); begin += chunk) {
        const std::size_t count{std::min(chunk, y.size() - begin)};
        const std::span<float> wide_a{std::span{first}.first(count)};
        const std::span<float> wide_b{std::span{second}.first(count)};
        convert(a.subspan(begin, count), wide_a);
        convert(b.subspan(begin, count), wide_b);
        apply(std::span<const float>{wide_a}, std::span<const float>{wide_b}, wide_a, function);
        convert(std::span<const float>{wide_a}, y.subspan(begin, count));
    }
}

// Function objects, which the loops can inline where a pointer to function they could not.
constexpr auto exp_of = [](float x) { return exp(x); };
constexpr auto ln_of = [](float x) { return ln(x); };
constexpr auto sqrt_of = [](float x) { return sqrt(x); };
constexpr auto rsqrt_of = [](float x) { return rsqrt(x); };
constexpr auto reciprocal_of = [](float x) { return reciprocal(x); };
constexpr auto sigmoid_of = [](float x) { return sigmoid(x); };
constexpr auto tanh_of = [](float x) { return tanh(x); };
constexpr auto erf_of = [](float x) { return erf(x); };
constexpr auto sin_of = [](float x) { return sin(x); };
constexpr auto cos_of = [](float x) { return cos(x); };
constexpr auto divide_of = [](float a, float b) { return divide(a, b); };
constexpr auto power_of = [](float a, float b) { return power(a, b); };

}  // namespace

void exp(std::span<const float> x, std::span<float> y) {
    apply(x, y, exp_of);
}

void exp(std::span<const half> x, std::span<half> y) {
    apply(x, y, exp_of);
}

void ln(std::span<const float> x, std::span<float> y) {
    apply(x, y, ln_of);
}

void ln(std::span<const half> x, std::span<half> y) {
    apply(x, y, ln_of);
}

void sqrt(std::span<const float> x, std::span<float> y) {
    apply(x, y, sqrt_of);
}

void sqrt(std::span<const half> x, std::span<half> y) {
    apply(x, y, sqrt_of);
}

void rsqrt(std::span<const float> x, std::span<float> y) {
    apply(x, y, rsqrt_of);
}

void rsqrt(std::span<const half> x, std::span<half> y) {
    apply(x, y, rsqrt_of);
}

void reciprocal(std::span<const float> x, std::span<float> y) {
    apply(x, y, reciprocal_of);
}

void reciprocal(std::span<const half> x, std::span<half> y) {
    apply(x, y, reciprocal_of);
}

void sigmoid(std::span<const float> x, std::span<float> y) {
    apply(x, y, sigmoid_of);
}

void sigmoid(std::span<const half> x, std::span<half> y) {
    apply(x, y, sigmoid_of);
}

void tanh(std::span<const float> x, std::span<float> y) {
    apply(x, y, tanh_of);
}

void tanh(std::span<const half> x, std::span<half> y) {
    apply(x, y, tanh_of);
}

void erf(std::span<const float> x, std::span<float> y) {
    apply(x, y, erf_of);
}

void erf(std::span<const half> x, std::span<half> y) {
    apply(x, y, erf_of);
}

void sin(std::span<const float> x, std::span<float> y) {
    apply(x, y, sin_of);
}

void sin(std::span<const half> x, std::span<half> y) {
    apply(x, y, sin_of);
}

void cos(std::span<const float> x, std::span<float> y) {
    apply(x, y, cos_of);
}

void cos(std::span<const half> x, std::span<half> y) {
    apply(x, y, cos_of);
}

void divide(std::span<const float> a, std::span<const float> b, std::span<float> y) {
    apply(a, b, y, divide_of);
}

void divide(std::span<const half> a, std::span<const half> b, std::span<half> y) {
    apply(a, b, y, divide_of);
}

void power(std::span<const float> a, std::span<const float> b, std::span<float> y) {
    apply(a, b, y, power_of);
}

void power(std::span<const half> a, std::span<const half> b, std::span<half> y) {
    apply(a, b, y, power_of);
}

}  // namespace ascendsim::numbers
