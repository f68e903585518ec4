// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/reference_matmul.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ascendsim::host {
namespace {

std::vector<float> random_values(std::mt19937& random, std::uint64_t count) {
    std::vector<float> values(count);
    std::uniform_real_distribution<float> any{-1.0F, 1.0F};
    std::generate(values.begin(), values.end(), [&] { return any(random); });
    return values;
}

TEST(ReferenceMatmul, AgreesWithTheDefinitionInDouble) {
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random{seed};
    std::uniform_int_distribution<std::uint64_t> size{0, 150};
    for (int trial = 0; trial < 24; ++trial) {
        ReferenceProduct product{.a = {},
                                 .b = {},
                                 .m = size(random),
                                 .n = size(random),
                                 .k = size(random),
                                 .transpose_a = trial % 2 == 0,
                                 .transpose_b = trial % 3 == 0};
        const std::vector<float> a = random_values(random, product.m * product.k);
        const std::vector<float> b = random_values(random, product.k * product.n);
        product.a = a;
        product.b = b;
        const std::vector<double> c = multiply(product);
        const std::vector<double> of_rows = row_norms(product);
        const std::vector<double> of_columns = column_norms(product);
        ASSERT_EQ(c.size(), product.m * product.n);
        for (std::uint64_t i = 0; i < product.m; ++i) {
            for (std::uint64_t j = 0; j < product.n; ++j) {
                double sum = 0;
                double magnitudes = 0;
                for (std::uint64_t k = 0; k < product.k; ++k) {
                    const double term =
                        double{a[product.transpose_a ? k * product.m + i : i * product.k + k]} *
                        double{b[product.transpose_b ? j * product.k + k : k * product.n + j]};
                    sum += term;
                    magnitudes += std::abs(term);
                }
                ASSERT_NEAR(c[i * product.n + j], sum, 33 * 0x1p-24 * magnitudes);
                ASSERT_LE(magnitudes, of_rows[i] * of_columns[j] * (1 + 1e-12));
            }
        }
    }
}

TEST(ReferenceMatmul, NormsAreThoseOfRowsAndColumns) {
    const std::vector<float> a{3, 4, 0, 6, 8, 0};  // [2, 3]
    const std::vector<float> b{1, 2, 2, 3, 2, 6};  // [3, 2]
    ReferenceProduct product{.a = a, .b = b, .m = 2, .n = 2, .k = 3};
    EXPECT_EQ(row_norms(product), (std::vector<double>{5, 10}));
    EXPECT_EQ(column_norms(product), (std::vector<double>{3, 7}));  // 1 2 2 and 2 3 6
    product.transpose_a = product.transpose_b = true;
    EXPECT_EQ(row_norms(product)[0], std::sqrt(9.0 + 0 + 64));  // 3 0 8
    EXPECT_EQ(column_norms(product), (std::vector<double>{3, 7}));
}

}  // namespace
}  // namespace ascendsim::host
