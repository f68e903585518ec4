// SPDX-License-Identifier: Apache-2.0
// The elementwise functions of the high-level API against the C++ library in double precision.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

extern "C" void adv_elementwise(std::uint8_t* x,
                                std::uint8_t* y,
                                std::uint8_t* out,
                                std::uint32_t which,
                                std::uint32_t form,
                                std::uint32_t bytes);

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t count = 200;

/// One function: its number in adv_elementwise.cpp, its definition, where it is tested, and how far float
/// results may lie from it: `absolute` + `relative` x |expected|.
struct Function {
    std::uint32_t which;
    const char* name;
    std::function<double(double, double)> definition;
    double low;
    double high;
    double absolute;
    double relative;
};

double digamma(double x) {
    double below = 0;  // psi(x) = psi(x + 20) - 1 / x - ... - 1 / (x + 19), and its asymptotic series
    for (int i = 0; i < 20; ++i) {
        below += 1 / (x + i);
    }
    const double w = x + 20;
    return std::log(w) - 0.5 / w - 1 / (12 * w * w) + 1 / (120 * w * w * w * w) - below;
}

double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double parabola(double x) {
    const double rest = std::min(std::abs(0.7071 * x), 1.769) - 1.769;
    return x * (std::copysign(0.5 - 0.1444 * rest * rest, x) + 0.5);
}

double sign(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

double swish(double x, double beta) {
    return x / (1 + std::exp(-beta * x));
}

/// Functions whose interface has no temporary space, in which halves could become floats.
bool stays_in_its_type(const Function& f) {
    return std::string_view{f.name} == "Silu" || std::string_view{f.name} == "Swish";
}

const std::vector<Function>& functions() {
    const auto of = [](double (*f)(double)) { return [f](double x, double) { return f(x); }; };
    static const std::vector<Function> all{
        {0, "Tanh", of(std::tanh), -12, 12, 3e-7, 0},
        {1, "Sinh", of(std::sinh), -10, 10, 3e-7, 2e-6},
        {2, "Cosh", of(std::cosh), -10, 10, 0, 2e-6},
        {3, "Asinh", of(std::asinh), -100, 100, 3e-7, 1e-6},
        {4, "Acosh", of(std::acosh), 1.5, 100, 3e-7, 1e-6},
        {5, "Atanh", of(std::atanh), -0.9, 0.9, 3e-7, 1e-6},
        {6, "Sin", of(std::sin), -1000, 1000, 3e-7, 0},
        {7, "Cos", of(std::cos), -1000, 1000, 3e-7, 0},
        {8, "Tan", of(std::tan), -10, 10, 5e-7, 2e-6},
        {9, "Asin", of(std::asin), -1, 1, 3e-7, 0},
        {10, "Acos", of(std::acos), -1, 1, 5e-7, 0},
        {11, "Atan", of(std::atan), -20, 20, 3e-7, 0},
        {12, "Erf", of(std::erf), -4, 4, 0, 5e-7},
        {13, "Erfc", of(std::erfc), -4, 4, 0, 4e-6},
        {14, "Lgamma", of(std::lgamma), -4.8, 40, 4e-6, 1e-6},
        {15, "Digamma", of(digamma), 0.2, 40, 2e-6, 1e-6},
        {16, "Exp", of(std::exp), -20, 20, 0, 1e-6},
        {17, "Log", of(std::log), 0.01, 100, 0, 1e-7},
        {18, "Log2", of(std::log2), 0.01, 100, 0, 3e-7},
        {19, "Log10", of(std::log10), 0.01, 100, 0, 3e-7},
        // y is a multiple of 1/4 between -4 and 4; |y ln x| is up to 12.
        {20, "Power", [](double x, double y) { return std::pow(x, y); }, 0.05, 20, 0, 2e-6},
        {21, "Power, scalar exponent", [](double x, double) { return std::pow(x, 2.5); }, 0.05, 20, 0, 2e-6},
        {22, "Power, scalar base", [](double x, double) { return std::pow(2.5, x); }, -8, 8, 0, 2e-6},
        {23, "Floor", of(std::floor), -50, 50, 0, 0},
        {24, "Ceil", of(std::ceil), -50, 50, 0, 0},
        {25, "Trunc", of(std::trunc), -50, 50, 0, 0},
        {26, "Round", of(std::nearbyint), -50, 50, 0, 0},
        {27, "Frac", [](double x, double) { return x - std::trunc(x); }, -50, 50, 0, 0},
        {28, "Sign", of(sign), -1, 1, 0, 0},
        // The quotients are up to 32: 32 x 2^-24 x |y| is lost.
        {29, "Fmod", [](double x, double y) { return std::fmod(x, y); }, -8, 8, 8e-6, 0},
        {30, "ClampMax", [](double x, double) { return std::min(x, 0.5); }, -2, 2, 0, 0},
        {31, "ClampMin", [](double x, double) { return std::max(x, 0.5); }, -2, 2, 0, 0},
        {32, "Sigmoid", [](double x, double) { return 1 / (1 + std::exp(-x)); }, -10, 10, 0, 1e-6},
        {33, "Silu", [](double x, double) { return swish(x, 1); }, -10, 10, 0, 1e-6},
        {34, "Swish", [](double x, double) { return swish(x, 1.5); }, -10, 10, 0, 2e-6},
        {35, "Gelu", of(gelu), -4, 4, 1e-9, 4e-6},
        {36, "FasterGelu", [](double x, double) { return swish(x, 1.702); }, -6, 6, 0, 2e-6},
        {37, "FasterGeluV2", of(parabola), -6, 6, 5e-7, 0},
        {38, "ReGlu", [](double x, double y) { return y * std::max(x, 0.0); }, -6, 6, 0, 1e-7},
        {39, "GeGLU", [](double x, double y) { return y * gelu(x); }, -4, 4, 1e-8, 4e-6},
        {40, "SwiGLU", [](double x, double y) { return y * swish(x, 1.25); }, -6, 6, 0, 2e-6},
    };
    return all;
}

class AdvElementwise : public testing::Test {
protected:
    /// Runs `f` on values of T spread over its range, and compares. Half has 11 bits, so rounding the
    /// result adds a relative 2^-11, and half of the smallest half, 2^-25.
    template <class T>
    void expect(const Function& f, std::uint32_t form) {
        ChipSpec chip;
        GlobalMemory memory{1U << 20U};
        auto* x = reinterpret_cast<T*>(memory.allocate("x", count * sizeof(T)));
        auto* y = reinterpret_cast<T*>(memory.allocate("y", count * sizeof(T)));
        auto* out = reinterpret_cast<T*>(memory.allocate("out", count * sizeof(T)));
        for (std::uint32_t i = 0; i < count; ++i) {
            // An irregular order, so that no neighbour can stand in for another.
            const std::uint32_t at = i * 73 % count;
            x[i] = static_cast<T>(static_cast<float>(f.low + (f.high - f.low) * at / (count - 1)));
            const int quarter = static_cast<int>(i % 32) - 16;
            y[i] = static_cast<T>(static_cast<float>(quarter == 0 ? 16 : quarter) * 0.25F);
        }
        {
            PlainCore core{chip, memory, CoreKind::aiv};
            adv_elementwise(bytes(x), bytes(y), bytes(out), f.which, form, sizeof(T));
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            const double want = f.definition(static_cast<float>(x[i]), static_cast<float>(y[i]));
            if (sizeof(T) == 2 && std::abs(want) >= 65504) {
                continue;  // beyond the largest half
            }
            const double half_part = sizeof(T) == 2 ? std::abs(want) * 0x1p-11 + 0x1p-25 : 0.0;
            ASSERT_NEAR(static_cast<double>(static_cast<float>(out[i])),
                        want,
                        f.absolute + f.relative * std::abs(want) + half_part)
                << f.name << " of " << static_cast<float>(x[i]) << ", " << static_cast<float>(y[i])
                << ", form " << form;
        }
    }

    template <class T>
    static std::uint8_t* bytes(T* data) {
        return reinterpret_cast<std::uint8_t*>(data);
    }
};

TEST_F(AdvElementwise, ComputesFloatsInTheSpaceThePipeHasLeft) {
    for (const Function& f : functions()) {
        expect<float>(f, 0);
    }
}

TEST_F(AdvElementwise, ComputesFloatsInChunksOfASmallSharedBuffer) {
    for (const Function& f : functions()) {
        expect<float>(f, 1);
    }
}

TEST_F(AdvElementwise, ComputesInPlace) {
    for (const Function& f : functions()) {
        if (!stays_in_its_type(f)) {  // those say that operands may not overlap
            expect<float>(f, 2);
        }
    }
}

TEST_F(AdvElementwise, ComputesHalvesInFloatAndRoundsOnce) {
    for (const Function& f : functions()) {
        if (!stays_in_its_type(f)) {
            expect<half>(f, 0);
            expect<half>(f, 1);
        }
    }
}

TEST_F(AdvElementwise, SiluAndSwishTakeNoSpaceAndComputeHalvesInHalves) {
    for (Function f : functions()) {
        if (stays_in_its_type(f)) {
            // The product is off by 2^-11 of up to 15, and so is its power; power, sum and quotient are
            // rounded once more each. Where the power exceeds halves, 0 stands for up to 10 / 65504.
            f.relative += (15 + 3) * 0x1p-11;
            f.absolute += 10 / 65504.0;
            expect<half>(f, 0);
        }
    }
}

TEST_F(AdvElementwise, PowerFollowsTheSignOfTheBase) {
    const Function f{20, "Power", [](double x, double y) { return std::pow(x, y); }, 0, 0, 0, 0};
    ChipSpec chip;
    GlobalMemory memory{1U << 20U};
    auto* x = reinterpret_cast<float*>(memory.allocate("x", count * 4));
    auto* y = reinterpret_cast<float*>(memory.allocate("y", count * 4));
    auto* out = reinterpret_cast<float*>(memory.allocate("out", count * 4));
    std::fill_n(x, count, 1.0F);
    std::fill_n(y, count, 1.0F);
    const float cases[][3]{
        {-2, 3, -8}, {-2, 2, 4}, {-2, -1, -0.5F}, {0, 0, 1}, {0, 2, 0}, {-3, 0, 1}, {5, 0, 1}};
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        x[i] = cases[i][0];
        y[i] = cases[i][1];
    }
    x[8] = -2;
    y[8] = 0.5F;
    PlainCore core{chip, memory, CoreKind::aiv};
    adv_elementwise(bytes(x), bytes(y), bytes(out), f.which, 0, 4);
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        EXPECT_NEAR(out[i], cases[i][2], 1e-5) << x[i] << " to the power of " << y[i];
    }
    EXPECT_TRUE(std::isnan(out[8]));
}

}  // namespace
}  // namespace ascendsim::isa
