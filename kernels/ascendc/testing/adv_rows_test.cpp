// SPDX-License-Identifier: Apache-2.0
// Normalisations and reductions of the high-level API against their definitions in double precision.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/row_call.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::isa {
namespace {

template <class T>
class AdvRows : public testing::Test {};

using Types = testing::Types<float, half>;
TYPED_TEST_SUITE(AdvRows, Types);

/// LayerNorm of a row: alpha x + residual, without the mean unless `centred`.
template <class T>
void expect_norm(std::uint32_t which, const Shape& s, std::uint32_t shared) {
    RowRun<T> run{which, s, shared};
    for (std::uint32_t row = 0; row < s.m; ++row) {  // padding is 0, as the documentation asks for
        for (std::uint32_t c = s.width; c < s.stride; ++c) {
            run.slot_in(0)[row * s.stride + c] = T(0.0F);
            run.slot_in(3)[row * s.stride + c] = T(0.0F);
        }
    }
    if (which == 29) {
        for (std::uint32_t row = 0; row < s.m; ++row) {
            run.slot_in(4)[row] = static_cast<T>(0.5F + 0.125F * static_cast<float>(row % 8));  // a variance
        }
    }
    run.go();
    for (std::uint32_t row = 0; row < s.m; ++row) {
        const auto at = [&](std::uint32_t c) {
            return which == 22 ? 0.5 * run.x(0, row, c) + run.x(3, row, c) : run.x(0, row, c);
        };
        double mean = which == 21 ? 0 : run.over(plus, 0, at) / s.width;
        mean = which == 29 ? run.x(3, row) : mean;
        const auto square = [&](std::uint32_t c) { return (at(c) - mean) * (at(c) - mean); };
        double variance = run.over(plus, 0, square) / s.width;
        variance = which == 29 ? run.x(4, row) : variance;
        const double rstd = 1 / std::sqrt(variance + 0.01);
        for (std::uint32_t c = 0; c < s.width; ++c) {
            const double scaled = (at(c) - mean) * rstd * run.x(1, c);
            const double want = scaled + (which == 21 ? 0 : run.x(2, c));
            const double slack = sizeof(T) == 2 ? 2e-5 : 1e-6;  // epsilon itself is a half there
            ASSERT_NEAR(run.y(0, row, c), want, tolerance<T>(want) + std::abs(scaled) * slack + 2e-6)
                << "case " << which;
        }
        if (which == 20 || which == 27 || which == 28) {
            ASSERT_NEAR(run.y(1, row), mean, tolerance<T>(mean) + 1e-6);
            const double second = which == 27 ? rstd : variance;
            ASSERT_NEAR(run.y(2, row), second, tolerance<T>(second));
        } else if (which == 22) {
            ASSERT_NEAR(run.y(2, row), rstd, tolerance<T>(rstd) * 2);
        } else if (which == 29) {
            ASSERT_NEAR(run.y(1, row), rstd, tolerance<T>(rstd));
        }
    }
}

TYPED_TEST(AdvRows, NormalisationsFollowTheirFormulas) {
    for (const Shape& s : shapes) {
        for (std::uint32_t which : {20U, 21U, 22U, 27U, 28U, 29U}) {
            if (which >= 27 && sizeof(TypeParam) == 2) {
                continue;  // the test kernel has these for float
            }
            expect_norm<TypeParam>(which, s, s.m % 2);
            if (this->HasFatalFailure()) {
                FAIL() << "shape " << s.m << " x " << s.width;
            }
        }
    }
}

TYPED_TEST(AdvRows, BatchNormGoesDownTheColumns) {
    const Shape s{10, 64, 64};
    RowRun<TypeParam> run{23, s, 0};
    run.go();
    for (std::uint32_t c = 0; c < s.width; ++c) {
        double mean = 0;
        double variance = 0;
        for (std::uint32_t row = 0; row < s.m; ++row) {
            mean += run.x(0, row, c) / s.m;
        }
        for (std::uint32_t row = 0; row < s.m; ++row) {
            variance += std::pow(run.x(0, row, c) - mean, 2) / s.m;
        }
        EXPECT_NEAR(run.y(1, c), mean, tolerance<TypeParam>(mean) + 1e-6);
        EXPECT_NEAR(run.y(2, c), variance, tolerance<TypeParam>(variance));
        for (std::uint32_t row = 0; row < s.m; ++row) {
            const double want =
                (run.x(0, row, c) - mean) / std::sqrt(variance + 0.01) * run.x(1, row) + run.x(2, row);
            EXPECT_NEAR(run.y(0, row, c), want, tolerance<TypeParam>(want) * 2 + 1e-4);
        }
    }
}

TYPED_TEST(AdvRows, GroupNormGoesOverGroupsOfChannels) {
    const Shape s{12, 32, 25};  // two images of six channels: groups of three channels
    RowRun<TypeParam> run{24, s, 1};
    run.go();
    for (std::uint32_t group = 0; group < 4; ++group) {
        double mean = 0;
        double variance = 0;
        const auto each = [&](auto&& f) {
            for (std::uint32_t row = group * 3; row < group * 3 + 3; ++row) {
                for (std::uint32_t c = 0; c < s.width; ++c) {
                    f(row, c);
                }
            }
        };
        each([&](auto row, auto c) { mean += run.x(0, row, c) / (3 * s.width); });
        each([&](auto row, auto c) { variance += std::pow(run.x(0, row, c) - mean, 2) / (3 * s.width); });
        EXPECT_NEAR(run.y(1, group), mean, tolerance<TypeParam>(mean) + 1e-6);
        EXPECT_NEAR(run.y(2, group), variance, tolerance<TypeParam>(variance));
        each([&](auto row, auto c) {
            const double want = (run.x(0, row, c) - mean) / std::sqrt(variance + 0.01) * run.x(1, row % 6) +
                                run.x(2, row % 6);
            EXPECT_NEAR(run.y(0, row, c), want, tolerance<TypeParam>(want) * 2 + 1e-4);
        });
    }
}

TYPED_TEST(AdvRows, LayerNormGradientsFollowTheDocumentedSums) {
    const Shape s{7, 48, 48};
    RowRun<TypeParam> run{25, s, 1};
    for (std::uint32_t row = 0; row < s.m; ++row) {  // dy, variance, mean and x that belong together
        double mean = 0;
        double variance = 0;
        for (std::uint32_t c = 0; c < s.width; ++c) {
            mean += run.x(3, row, c) / s.width;
        }
        for (std::uint32_t c = 0; c < s.width; ++c) {
            variance += std::pow(run.x(3, row, c) - mean, 2) / s.width;
        }
        run.slot_in(1)[row] = static_cast<TypeParam>(static_cast<float>(variance));
        run.slot_in(2)[row] = static_cast<TypeParam>(static_cast<float>(mean));
    }
    run.go();
    for (std::uint32_t row = 0; row < s.m; ++row) {
        const double variance = run.x(1, row) + 0.01;
        const double mean = run.x(2, row);
        double pd_var = 0;
        double pd_mean = 0;
        double deviation = 0;
        for (std::uint32_t c = 0; c < s.width; ++c) {
            const double pd_xl = run.x(0, row, c) * run.x(4, c);
            pd_var += -0.5 * pd_xl * (run.x(3, row, c) - mean) * std::pow(variance, -1.5);
            pd_mean -= pd_xl / std::sqrt(variance);
            deviation += -2 * (run.x(3, row, c) - mean);
        }
        pd_mean += pd_var / s.width * deviation;
        for (std::uint32_t c = 0; c < s.width; ++c) {
            const double centred = run.x(3, row, c) - mean;
            const double want = run.x(0, row, c) * run.x(4, c) / std::sqrt(variance) +
                                pd_var * 2 / s.width * centred + pd_mean / s.width;
            // With half statistics the deviations do not add up to 0 exactly, which the short form leaves
            // out.
            EXPECT_NEAR(
                run.y(0, row, c), want, tolerance<TypeParam>(want) + (sizeof(TypeParam) == 2 ? 4e-3 : 4e-6));
            EXPECT_NEAR(run.y(1, row, c), centred / std::sqrt(variance), tolerance<TypeParam>(2) * 2);
        }
    }
}

TYPED_TEST(AdvRows, GradientsOfGammaAndBetaAreSumsOverRows) {
    const Shape s{7, 48, 48};
    RowRun<TypeParam> run{26, s, 0};
    run.go();
    for (std::uint32_t c = 0; c < s.width; ++c) {
        double gamma = 0;
        double beta = 0;
        for (std::uint32_t row = 0; row < s.m; ++row) {
            gamma += run.x(0, row, c) * run.x(3, row, c);
            beta += run.x(3, row, c);
        }
        EXPECT_NEAR(run.y(0, c), gamma, tolerance<TypeParam>(gamma) + 2e-6);
        EXPECT_NEAR(run.y(1, c), beta, tolerance<TypeParam>(beta) + 2e-6);
    }
}

TEST(AdvRowsOfFloats, WelfordGivesTheMeanAndVarianceOfAllPieces) {
    const Shape s{5, 72, 72};
    RowRun<float> run{30, s, 1};
    run.go();
    double mean = 0;
    double variance = 0;
    const double n = s.m * s.stride;
    for (std::uint32_t i = 0; i < s.m * s.stride; ++i) {
        mean += run.x(0, i) / n;
    }
    for (std::uint32_t i = 0; i < s.m * s.stride; ++i) {
        variance += std::pow(run.x(0, i) - mean, 2) / n;
    }
    EXPECT_NEAR(run.y(0, 0), mean, 1e-6);
    EXPECT_NEAR(run.y(0, 8), variance, 4e-6);
}

TEST(AdvRowsOfFloats, WelfordInPlaceKeepsWhatIsNotComputed) {
    const Shape s{1, 72, 35};
    RowRun<float> run{31, s, 1};
    run.go();
    for (std::uint32_t i = 0; i < s.stride; ++i) {
        const double mean = i < s.width ? run.x(1, i) + (run.x(0, i) - run.x(1, i)) / 4 : run.x(1, i);
        const double m =
            i < s.width ? run.x(2, i) + (run.x(0, i) - run.x(1, i)) * (run.x(0, i) - mean) : run.x(2, i);
        EXPECT_NEAR(run.y(0, i), mean, 4e-7) << i;  // values up to 4, three roundings of 2^-24 each
        EXPECT_NEAR(run.y(1, i), m, 4e-6) << i;     // up to 18
    }
}

TYPED_TEST(AdvRows, ReductionsByPatternCombineRowsOrColumns) {
    const auto least = [](double a, double b) { return std::min(a, b); };
    const auto times = [](double a, double b) { return a * b; };

    struct Reduction {
        std::uint32_t which;
        bool first_axis;
        std::function<double(double, double)> combine;
        double start;
        bool mean;
    };

    const Reduction all[]{{40, false, plus, 0, false},
                          {41, false, plus, 0, true},
                          {42, false, larger, -9, false},
                          {43, true, larger, -9, false},
                          {44, false, least, 9, false},
                          {45, true, least, 9, false},
                          {46, false, plus, 0, false},
                          {47, true, plus, 0, false},
                          {48, false, plus, 0, true},
                          {49, true, plus, 0, true},
                          {50, false, times, 1, false},
                          {51, true, times, 1, false}};
    for (Shape s : shapes) {
        const std::uint32_t block = RowRun<TypeParam>::block_size;
        s.stride = (s.width + block - 1) / block * block;  // these calls know the width alone
        for (const Reduction& r : all) {
            if (sizeof(TypeParam) == 2 && r.which >= 46) {
                continue;  // documented for float alone
            }
            RowRun<TypeParam> run{r.which, s, s.m % 2};
            const std::uint32_t source = r.which >= 50 ? 1 : 0;
            if (source == 1) {  // factors near 1, so that products stay in range
                for (std::uint32_t i = 0; i < slot; ++i) {
                    run.slot_in(1)[i] =
                        static_cast<TypeParam>(1.0F + static_cast<float>(run.slot_in(1)[i]) * 0x1p-10F);
                }
            }
            run.go();
            for (std::uint32_t i = 0; i < (r.first_axis ? s.width : s.m); ++i) {
                double want = r.start;
                for (std::uint32_t j = 0; j < (r.first_axis ? s.m : s.width); ++j) {
                    want = r.combine(want, r.first_axis ? run.x(source, j, i) : run.x(source, i, j));
                }
                want /= r.mean ? (r.first_axis ? s.m : s.width) : 1;
                ASSERT_NEAR(
                    run.y(0, i), want, tolerance<TypeParam>(want) + 1e-6 * (r.mean ? 1 : s.width / 16.0))
                    << "case " << r.which << " of " << s.m << " x " << s.width << " at " << i;
            }
        }
    }
}

// Rows of less than a repeat, of one and some elements, of several; more rows than an instruction takes; and
// one of more blocks than a repeat's stride can say.
TEST(AdvRowsOfFloats, ReductionsInTheSourceCombineRows) {
    const auto least = [](double a, double b) { return std::min(a, b); };
    for (const auto& [m, width] :
         {std::pair{4U, 20U}, {3U, 64U}, {5U, 65U}, {16U, 200U}, {300U, 8U}, {1U, 2050U}}) {
        Shape s = shapes[0];
        s.m = m;
        s.width = width;
        s.stride = (width + 7) / 8 * 8;
        for (const std::uint32_t which : {52U, 53U, 54U}) {
            RowRun<float> run{which, s, m % 2};
            run.go();
            for (std::uint32_t row = 0; row < m; ++row) {
                double want = which == 52 ? 0 : which == 53 ? -9 : 9;
                for (std::uint32_t i = 0; i < width; ++i) {
                    const double x = run.x(0, row, i);
                    want = which == 52 ? want + x : which == 53 ? larger(want, x) : least(want, x);
                }
                ASSERT_NEAR(run.y(0, row), want, tolerance<float>(want) + 1e-6 * width / 16.0)
                    << "case " << which << " of " << m << " x " << width << " at " << row;
            }
        }
    }
}

}  // namespace
}  // namespace ascendsim::isa
