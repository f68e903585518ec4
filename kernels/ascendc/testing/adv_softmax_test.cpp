// SPDX-License-Identifier: Apache-2.0
// The softmax family of the high-level API against its definitions in double precision.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/row_call.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::isa {
namespace {

template <class T>
class AdvSoftmax : public testing::Test {
protected:
    /// Softmax with statistics in blocks, or dense: case 0 to 6.
    void softmax(std::uint32_t which, const Shape& s, std::uint32_t shared) {
        RowRun<T> run{which, s, shared};
        const bool dense = which == 6;
        const std::uint32_t step = dense ? 1 : RowRun<T>::block_size;
        for (std::uint32_t row = 0; row < s.m; ++row) {  // a row's sum and maximum before this piece
            for (std::uint32_t lane = 0; lane < step; ++lane) {
                run.slot_in(1)[row * step + lane] =
                    static_cast<T>(1.5F + 0.25F * static_cast<float>(row % 4));
                run.slot_in(2)[row * step + lane] =
                    static_cast<T>(1.0F + 0.125F * static_cast<float>(row % 16));
            }
        }
        run.go();
        const bool update = which == 3 || which == 4 || which == 6;
        for (std::uint32_t row = 0; row < s.m; ++row) {
            const auto at = [&](std::uint32_t c) { return run.x(0, row, c); };
            double max = run.over(larger, -1e30, at);
            const double old_max = run.x(2, row * step);
            const double old_sum = run.x(1, row * step);
            if (which == 2) {
                max = old_max;
            } else if (update) {
                max = std::max(max, old_max);
            }
            double sum = run.over(plus, 0, [&](std::uint32_t c) { return std::exp(at(c) - max); });
            const double carried = std::exp(old_max - max) * old_sum;
            sum = which == 2 ? old_sum : update ? sum + carried : sum;
            const bool normalised = which <= 3;
            for (std::uint32_t c = 0; c < s.width; ++c) {
                const double want = std::exp(at(c) - max) / (normalised ? sum : 1);
                ASSERT_NEAR(run.y(0, row, c), want, tolerance<T>(want))
                    << "case " << which << " row " << row << " column " << c;
            }
            if (which == 1 || which == 2) {
                continue;
            }
            for (std::uint32_t lane = 0; lane < step; ++lane) {
                ASSERT_NEAR(run.y(1, row * step + lane), sum, tolerance<T>(sum)) << "sum, case " << which;
                ASSERT_NEAR(run.y(2, row * step + lane), max, tolerance<T>(max)) << "max, case " << which;
                const double factor = which == 3 ? carried / sum : std::exp(old_max - max);
                if (update) {
                    ASSERT_NEAR(run.y(3, row * step + lane), factor, tolerance<T>(factor))
                        << "case " << which;
                }
            }
        }
    }
};

using Types = testing::Types<float, half>;
TYPED_TEST_SUITE(AdvSoftmax, Types);

TYPED_TEST(AdvSoftmax, SoftmaxAndItsPiecesFollowTheirFormulas) {
    for (const Shape& shape : shapes) {
        for (std::uint32_t which = 0; which <= 6; ++which) {
            for (std::uint32_t shared = 0; shared <= 1; ++shared) {
                this->softmax(which, shape, shared);
                if (this->HasFatalFailure()) {
                    FAIL() << "shape " << shape.m << " x " << shape.width << ", shared " << shared;
                }
            }
        }
    }
}

TYPED_TEST(AdvSoftmax, LogSoftmaxIsADecimalLogarithm) {
    const Shape s{9, 48, 41};
    RowRun<TypeParam> run{7, s, 1};
    run.go();
    for (std::uint32_t row = 0; row < s.m; ++row) {
        const auto at = [&](std::uint32_t c) { return std::exp(run.x(0, row, c)); };
        const double sum = run.over(plus, 0, at);
        for (std::uint32_t c = 0; c < s.width; ++c) {
            EXPECT_NEAR(
                run.y(0, row, c), std::log10(at(c) / sum), tolerance<TypeParam>(std::log10(at(c) / sum)));
        }
    }
}

TYPED_TEST(AdvSoftmax, SoftmaxGradientsSubtractTheRowSum) {
    for (const Shape& s : shapes) {
        RowRun<TypeParam> full{8, s, 0};
        RowRun<TypeParam> front{9, s, 0};
        full.go();
        front.go();
        for (std::uint32_t row = 0; row < s.m; ++row) {
            const auto sum = [&](const RowRun<TypeParam>& run) {
                return run.over(
                    plus, 0, [&](std::uint32_t c) { return run.x(0, row, c) * run.x(1, row, c); });
            };
            // Sums cancel: the tolerance is that of their largest terms, 4 x the width in the worst case.
            const double slack = 1e-6 * s.width;
            EXPECT_NEAR(front.block(0, row, 3), sum(front), tolerance<TypeParam>(sum(front)) + slack);
            for (std::uint32_t c = 0; c < s.width; ++c) {
                const double want = (full.x(0, row, c) - sum(full)) * full.x(1, row, c);
                ASSERT_NEAR(full.y(0, row, c), want, tolerance<TypeParam>(want) + 2 * slack);
            }
        }
    }
}

TYPED_TEST(AdvSoftmax, MatricesInNzOrderGiveWhatRowsGive) {
    const auto nz = [](const Shape& s, std::uint32_t row, std::uint32_t c) {
        return c / 16 * s.m * 16 + row * 16 + c % 16;
    };

    struct Case {
        std::uint32_t rows, fractals, matrices;  // numbers of the two calls; operands that are matrices
    };

    for (const Shape& s : {Shape{16, 64, 64}, Shape{24, 160, 150}, Shape{1, 2064, 2050}}) {
        for (const auto& [rows, fractals, matrices] : {Case{0, 11, 1}, Case{4, 12, 1}, Case{8, 13, 2}}) {
            RowRun<TypeParam> plain{rows, s, 0};
            RowRun<TypeParam> other{fractals, s, 0};
            std::copy_n(plain.slot_in(0), 5 * slot, other.slot_in(0));
            for (std::uint32_t i = 0; i < matrices; ++i) {
                for (std::uint32_t at = 0; at < s.m * s.stride; ++at) {
                    const std::uint32_t row = at / s.stride;
                    other.slot_in(i)[nz(s, row, at % s.stride)] = plain.slot_in(i)[at];
                }
            }
            plain.go();
            other.go();
            for (std::uint32_t at = 0; at < s.m * s.stride; ++at) {
                const std::uint32_t row = at / s.stride;
                const std::uint32_t c = at % s.stride;
                if (c < s.width) {
                    ASSERT_EQ(other.y(0, nz(s, row, c)), plain.y(0, at))
                        << "case " << fractals << " row " << row;
                }
            }
            for (std::uint32_t at = 0; matrices == 1 && at < s.m * RowRun<TypeParam>::block_size; ++at) {
                ASSERT_EQ(other.y(1, at), plain.y(1, at)) << "sum, case " << fractals;
            }
        }
    }
}

TYPED_TEST(AdvSoftmax, AdjustedRowsAreThoseOfTheGivenMaximum) {
    const Shape s{6, 32, 32};
    RowRun<TypeParam> run{10, s, 0};
    for (std::uint32_t row = 0; row < s.m; ++row) {
        std::fill_n(run.slot_in(2) + row * RowRun<TypeParam>::block_size,
                    RowRun<TypeParam>::block_size,
                    static_cast<TypeParam>(row % 2 == 0 ? 3.0F : 1.0F));
    }
    run.go();
    for (std::uint32_t row = 0; row < s.m; ++row) {
        EXPECT_EQ(run.y(0, row, 5), row % 2 == 0 ? 7.0 : run.x(0, row, 5));
    }
}

}  // namespace
}  // namespace ascendsim::isa
