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
            }
        }
    }
}

}  // namespace
}  // namespace ascendsim::host
