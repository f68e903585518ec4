// SPDX-License-Identifier: Apache-2.0
// Runs one case of adv_rows.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "kernels/ascendc/testing/vector_cycles.hpp"

struct RowsArguments {
    std::uint32_t which;
    std::uint32_t m;
    std::uint32_t stride;
    std::uint32_t width;
    std::uint32_t shared;
};

extern "C" void adv_rows(std::uint8_t* in, std::uint8_t* out, std::uint32_t bytes, RowsArguments arguments);

namespace ascendsim::isa {

inline constexpr std::uint32_t slot = 4096;

/// Shapes: fewer columns than a repeat, whole repeats, ragged ones, one long row, more columns than rows can
/// cover.
struct Shape {
    std::uint32_t m, stride, width;
};

inline constexpr Shape shapes[]{
    {5, 16, 13}, {16, 64, 64}, {24, 160, 150}, {1, 4096, 4090}, {3, 1024, 1010}, {60, 32, 32}};

template <class T>
class RowRun {
public:
    RowRun(std::uint32_t which, const Shape& shape, std::uint32_t shared) : shape_{shape} {
        in_ = reinterpret_cast<T*>(memory_.allocate("in", 5 * slot * sizeof(T)));
        out_ = reinterpret_cast<T*>(memory_.allocate("out", 4 * slot * sizeof(T)));
        std::uint32_t seed = which * 7919U + shape.m;
        for (std::uint32_t i = 0; i < 5 * slot; ++i) {
            seed = seed * 1664525U + 1013904223U;
            in_[i] = static_cast<T>(static_cast<float>(seed >> 20U) / 1024.0F - 2.0F);  // -2 to 2
        }
        arguments_ = {which, shape.m, shape.stride, shape.width, shared};
    }

    T* slot_in(std::uint32_t i) { return in_ + i * slot; }

    void go() {
        PlainCore core{chip_, memory_, CoreKind::aiv};
        adv_rows(reinterpret_cast<std::uint8_t*>(in_),
                 reinterpret_cast<std::uint8_t*>(out_),
                 sizeof(T),
                 arguments_);
        vector_cycles_ = vector_cycles_after_first(core);
    }

    /// Cycles that the function's instructions hold the vector unit, at the costs of a default chip.
    [[nodiscard]] std::uint64_t vector_cycles() const { return vector_cycles_; }

    /// A matrix operand.
    double x(std::uint32_t i, std::uint32_t row, std::uint32_t column) const {
        return static_cast<float>(in_[i * slot + row * shape_.stride + column]);
    }

    double y(std::uint32_t i, std::uint32_t row, std::uint32_t column) const {
        return static_cast<float>(out_[i * slot + row * shape_.stride + column]);
    }

    /// Element `at` of a slot.
    double x(std::uint32_t i, std::uint32_t at) const { return static_cast<float>(in_[i * slot + at]); }

    double y(std::uint32_t i, std::uint32_t at) const { return static_cast<float>(out_[i * slot + at]); }

    /// Element `lane` of a row's 32-byte block.
    double block(std::uint32_t i, std::uint32_t row, std::uint32_t lane = 0) const {
        return y(i, row * block_size + lane);
    }

    /// The value of a row over its columns that count.
    double over(const std::function<double(double, double)>& combine,
                double start,
                const std::function<double(std::uint32_t)>& of) const {
        double value = start;
        for (std::uint32_t c = 0; c < shape_.width; ++c) {
            value = combine(value, of(c));
        }
        return value;
    }

    static constexpr std::uint32_t block_size = 32 / sizeof(T);

private:
    Shape shape_;
    ChipSpec chip_;
    GlobalMemory memory_{1U << 22U};
    std::uint64_t vector_cycles_ = 0;
    T* in_ = nullptr;
    T* out_ = nullptr;
    RowsArguments arguments_{};
};

/// Half rounds results, and float sums of up to 4096 terms lose a few last places.
template <class T>
double tolerance(double want) {
    return sizeof(T) == 2 ? std::abs(want) * 0x1p-10 + 1e-6 : std::abs(want) * 4e-6 + 1e-7;
}

inline double larger(double a, double b) {
    return std::max(a, b);
}

inline double plus(double a, double b) {
    return a + b;
}

}  // namespace ascendsim::isa
