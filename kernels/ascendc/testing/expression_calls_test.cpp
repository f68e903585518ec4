// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "models/port/testing/plain_core.hpp"

extern "C" void expression_calls(std::uint8_t* x, std::uint8_t* y, std::uint8_t* out);

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t row = 64;
constexpr std::uint32_t rows = 13;

class Expressions : public testing::Test {
protected:
    Expressions() {
        for (std::uint32_t i = 0; i < row; ++i) {
            x[i] = static_cast<float>(i % 7) * 0.5F;
            y[i] = 0.5F + static_cast<float>(i % 5) * 0.5F;
        }
        PlainCore core{chip, memory, CoreKind::aiv};
        expression_calls(bytes(x), bytes(y), bytes(out));
        for (const TimedOp& op : core.ops()) {
            named += op.info->name == "vadd" && op.site.line > 0 ? 1 : 0;
        }
    }

    void expect(std::uint32_t index,
                const char* what,
                const std::function<float(std::uint32_t)>& value,
                float tolerance = 0.0F) const {
        for (std::uint32_t i = 0; i < row; ++i) {
            ASSERT_NEAR(out[index * row + i], value(i), tolerance) << what << " at " << i;
        }
    }

    static std::uint8_t* bytes(float* data) { return reinterpret_cast<std::uint8_t*>(data); }

    float* tensor(const char* name, std::uint32_t n) {
        return reinterpret_cast<float*>(memory.allocate(name, n * 4));
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 26U};
    float* x = tensor("x", row);
    float* y = tensor("y", row);
    float* out = tensor("out", row* rows);
    int named = 0;
};

/// The bits of both, as the 16-bit operations see them: (x & y) | x is x.
TEST_F(Expressions, OfTensorsWorkOnAllTheirElements) {
    expect(0, "+", [&](auto i) { return x[i] + y[i]; });
    expect(1, "* - /", [&](auto i) { return (x[i] * y[i] - x[i]) / y[i]; });
    expect(2, "& |", [&](auto i) { return x[i]; });
    expect(3, ">", [&](auto i) { return std::max(x[i], y[i]); });
    expect(4, "==", [&](auto i) { return x[i] == y[i] ? x[i] : -1.0F; });
    EXPECT_EQ(named, 1);  // the one sum knows its line
}

TEST_F(Expressions, GoWithFunctionsAsTemplateArgumentsAndFormsWithACount) {
    expect(
        5, "Sin", [&](auto i) { return std::sin(x[i]); }, 2e-7F);
    expect(
        6, "Erf", [&](auto i) { return std::erf(x[i]); }, 4e-7F);
    expect(7, "Div", [&](auto i) { return x[i] / y[i]; });
    expect(8, "Copy", [&](auto i) { return i < 5 ? y[i] : x[i]; });
    // Between the lanes that the two masks name stands what the copy left.
    expect(9, "Add, Mul", [&](auto i) { return i < 10 ? x[i] + y[i] : i < 16 ? x[i] : x[i] * y[i]; });
}

TEST_F(Expressions, CanBeWrittenWithTheNamesBeneath) {
    expect(10, "AddsImpl, MulImpl", [&](auto i) { return (x[i] + 2.0F) * x[i]; });
    const auto before = [&](std::uint32_t i) { return (x[i] + 2.0F) * x[i]; };
    expect(11, "DuplicateIntrinsicsImpl", [&](auto i) { return i < 8 ? 3.0F : before(i); });
    // Row r of the transpose holds column r of four rows of 16, then zeros.
    expect(12, "TransDataTo5HDImpl", [&](auto i) { return i % 16 < 4 ? x[(i % 16) * 16 + i / 16] : 0.0F; });
}

}  // namespace
}  // namespace ascendsim::isa
