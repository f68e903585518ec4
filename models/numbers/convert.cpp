// SPDX-License-Identifier: Apache-2.0
#include "models/numbers/convert.hpp"

#include <cstddef>
#include <span>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "models/numbers/independent.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

template <class From, class To>
void check_lengths(std::span<const From> from, std::span<To> to) {
    check(from.size() == to.size(), "conversion of {} elements into {}", from.size(), to.size());
}

// Inlined into each version, so that the compiler vectorises it for that version's instructions.
template <class From, class To>
[[gnu::always_inline]] inline void convert_each(const From* from, To* to, std::size_t count) {
    ASCENDSIM_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = To(from[i]);
    }
}

#if defined(__x86_64__)

// Asked once: in a virtual machine cpuid goes through the hypervisor, which takes longer than a thousand
// conversions.
bool ask_for_f16c() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    const bool f16c =
        __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;  // clang 14 knows it by no name
    return f16c && __builtin_cpu_supports("avx2") != 0;
}

bool host_has_f16c() {
    static const bool has = ask_for_f16c();
    return has;
}

[[gnu::target("avx2,f16c")]] void convert_with_f16c(const half* from, float* to, std::size_t count) {
    std::size_t i{0};
    for (; i + 8U <= count; i += 8U) {
        const __m128i narrow =
            _mm_loadu_si128(static_cast<const __m128i_u*>(static_cast<const void*>(from + i)));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(narrow));
    }
    convert_each(from + i, to + i, count - i);
}

[[gnu::target("avx2,f16c")]] void convert_with_f16c(const float* from, half* to, std::size_t count) {
    std::size_t i{0};
    for (; i + 8U <= count; i += 8U) {
        const __m128i narrow = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(static_cast<__m128i_u*>(static_cast<void*>(to + i)), narrow);
    }
    convert_each(from + i, to + i, count - i);
}

[[gnu::target("avx2")]] void convert_with_f16c(const bfloat16* from, float* to, std::size_t count) {
    convert_each(from, to, count);
}

[[gnu::target("avx2")]] void convert_with_f16c(const float* from, bfloat16* to, std::size_t count) {
    convert_each(from, to, count);
}

#else

bool host_has_f16c() {
    return false;
}

template <class From, class To>
void convert_with_f16c(const From* from, To* to, std::size_t count) {
    convert_each(from, to, count);
}

#endif

template <class From, class To>
void convert_here(std::span<const From> from, std::span<To> to) {
    check_lengths(from, to);
    if (host_has_f16c()) {
        convert_with_f16c(from.data(), to.data(), from.size());
    } else {
        convert_each(from.data(), to.data(), from.size());
    }
}

}  // namespace

void convert(std::span<const half> from, std::span<float> to) {
    convert_here(from, to);
}

void convert(std::span<const float> from, std::span<half> to) {
    convert_here(from, to);
}

void convert(std::span<const bfloat16> from, std::span<float> to) {
    convert_here(from, to);
}

void convert(std::span<const float> from, std::span<bfloat16> to) {
    convert_here(from, to);
}

namespace numbers {

void convert_portably(std::span<const half> from, std::span<float> to) {
    check_lengths(from, to);
    convert_each(from.data(), to.data(), from.size());
}

void convert_portably(std::span<const float> from, std::span<half> to) {
    check_lengths(from, to);
    convert_each(from.data(), to.data(), from.size());
}

void convert_portably(std::span<const bfloat16> from, std::span<float> to) {
    check_lengths(from, to);
    convert_each(from.data(), to.data(), from.size());
}

void convert_portably(std::span<const float> from, std::span<bfloat16> to) {
    check_lengths(from, to);
    convert_each(from.data(), to.data(), from.size());
}

}  // namespace numbers
}  // namespace ascendsim
