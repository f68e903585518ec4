// SPDX-License-Identifier: Apache-2.0
#include "networks/compress/compress.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>

#include "networks/run/testing/numbers_fixture.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

/// Elements between -1 and 1 that fill the interval evenly, in steps of the golden ratio.
std::vector<double> golden_elements(std::size_t count) {
    std::vector<double> values(count);
    double next = 0;
    for (double& value : values) {
        next = std::fmod(next + 0.6180339887498949, 1.0);
        value = 2 * next - 1;
    }
    return values;
}

double largest_magnitude(const std::vector<double>& values) {
    double most = 0;
    for (const double value : values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

class CompressedNetworks : public NetworkNumbers {
protected:
    [[nodiscard]] CompressedNetwork compressed(const host::Shape& x, const Compression& how) {
        graph_.inputs = {{.name = "x", .type = isa::DataType::float32, .shape = {}}};
        graph_.outputs = {graph_.nodes.back().outputs[0]};
        return compress(graph_, {{"x", x}}, as_stated(), how);
    }

    /// The operators in their order.
    [[nodiscard]] static std::vector<std::string> operators(const Graph& graph) {
        std::vector<std::string> names;
        for (const Node& node : graph.nodes) {
            names.push_back(node.op);
        }
        return names;
    }
};

TEST_F(CompressedNetworks, HaveBytesAndAScaleForEachColumn) {
    // column j holds 0.01 (i - 32) (j + 1): its largest magnitude, 0.32 (j + 1), is byte -127
    constexpr std::size_t depth = 64;
    constexpr std::size_t columns = 16;
    std::vector<double> w(depth * columns);
    for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = 0.01 * (static_cast<double>(i / columns) - 32) * static_cast<double>(i % columns + 1);
    }
    table("w", {depth, columns}, w);
    add("MatMul", {"x", "w"}, "y");
    const CompressedNetwork network = compressed({3, depth}, {.int8 = true});
    EXPECT_THAT(operators(network.graph), ElementsAre("QuantiseRows", "ByteProduct"));
    EXPECT_THAT(network.quantised, ElementsAre("y"));
    EXPECT_FALSE(network.graph.constants.contains("w"));
    const Tensor& bytes = network.graph.constants.at("w/bytes");
    EXPECT_EQ(bytes.type, isa::DataType::int8);
    EXPECT_EQ((*bytes.values)[0], -127);
    EXPECT_EQ((*bytes.values)[32 * columns + 5], 0);
    EXPECT_EQ((*bytes.values)[40 * columns + 5], 32);  // a quarter of 127: 31.75
    // sums of 64 products are divided by 64 on their way to float16
    EXPECT_NEAR((*network.graph.constants.at("w/scales").values)[2], 0.32 * 3 / 127 * 64, 1e-12);
}

TEST_F(CompressedNetworks, HaveScalesForEachWayThatAWeightServes) {
    // Of x w the columns have a scale each, of (x w) turned w the rows do.
    constexpr std::size_t size = 64;
    std::vector<double> w(size * size);
    for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] = static_cast<double>(i / size + 1);
    }
    table("w", {size, size}, w);
    add("MatMul", {"x", "w"}, "hidden");
    add("Gemm", {"hidden", "w"}, "y", {{"transB", std::int64_t{1}}});
    const CompressedNetwork network = compressed({3, size}, {.int8 = true});
    EXPECT_NEAR((*network.graph.constants.at("w/scales").values)[0], 64.0 / 127 * 64, 1e-9);
    EXPECT_NEAR((*network.graph.constants.at("w/turned/scales").values)[0], 1.0 / 127 * 64, 1e-9);
}

TEST_F(CompressedNetworks, AreOffByHalfAByteOfRowsAndColumnsAtMost) {
    constexpr std::size_t rows = 20;
    constexpr std::size_t depth = 64;
    constexpr std::size_t columns = 48;
    const std::vector<double> w = golden_elements(depth * columns);
    const std::vector<double> x = golden_elements(rows * depth);
    const std::vector<double> row = golden_elements(columns);
    table("w", {depth, columns}, w);
    table("b", {columns}, row);
    add("Gemm", {"x", "w", "b"}, "y");
    graph_ = compressed({rows, depth}, {.int8 = true}).graph;
    EXPECT_THAT(operators(graph_), ElementsAre("QuantiseRows", "ByteProduct", "Add"));
    const std::vector<double> y = last({rows, depth}, x);
    ASSERT_EQ(y.size(), rows * columns);
    // each factor is off by 1 / 254 of the largest at most; sums leave the cube as float16
    const double off = 1.0 / 254;
    const double allowed =
        static_cast<double>(depth) * largest_magnitude(w) * largest_magnitude(x) * (2 * off + off * off);
    double most = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = row[i % columns];
        for (std::size_t k = 0; k < depth; ++k) {
            sum += x[i / columns * depth + k] * w[k * columns + i % columns];
        }
        most = std::max(most, std::abs(y[i] - sum));
    }
    EXPECT_LT(most, allowed + 1e-3 * largest_magnitude(y));
    EXPECT_GT(most, 0);  // bytes do lose something
}

TEST_F(CompressedNetworks, KeepTheTwoLargestOfEveryFourWeights) {
    constexpr std::size_t depth = 64;
    constexpr std::size_t columns = 16;
    // of every four weights of a column 1 and 4 hundredths of 127 matter least: they go
    std::vector<double> w(depth * columns);
    for (std::size_t i = 0; i < w.size(); ++i) {
        constexpr std::array<double, 4> of_group{0.01, 1, -0.5, 0.04};
        w[i] = of_group[i / columns % 4];
    }
    table("w", {depth, columns}, w);
    add("MatMul", {"x", "w"}, "y");
    const CompressedNetwork network = compressed({2, depth}, {.sparse = true});
    EXPECT_THAT(operators(network.graph), ElementsAre("QuantiseRows", "SparseProduct"));
    const Tensor& kept = network.graph.constants.at("w/kept");
    EXPECT_EQ(kept.shape, (host::Shape{1, 1, 16, 32}));
    EXPECT_EQ((*kept.values)[0], 127);
    EXPECT_EQ((*kept.values)[1], -64);  // 63.5, to even
    // elements 1 and 2: the first index counts from element 0, the second from element 1; twice in a byte
    EXPECT_EQ((*network.graph.constants.at("w/index").values)[0], 0b0101'0101);
    const std::vector<double> x = golden_elements(2 * depth);
    graph_ = network.graph;
    const std::vector<double> y = last({2, depth}, x);
    ASSERT_EQ(y.size(), 2 * columns);
    for (std::size_t i = 0; i < y.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < depth; ++k) {
            sum += k % 4 == 1 || k % 4 == 2 ? x[i / columns * depth + k] * w[k * columns] : 0;
        }
        // half a byte of each factor, of 32 products of values up to 1
        EXPECT_NEAR(y[i], sum, 32 * 2 / 254.0);
    }
}

TEST_F(CompressedNetworks, KeepTheFirstChannelsBetweenTwoProducts) {
    constexpr std::size_t depth = 16;
    constexpr std::size_t between = 32;
    constexpr std::size_t columns = 16;
    const std::vector<double> w = golden_elements(depth * between);
    const std::vector<double> v = golden_elements(between * columns);
    const std::vector<double> bias = golden_elements(between);
    table("w", {depth, between}, w);
    table("b", {between}, bias);
    table("v", {between, columns}, v);
    add("MatMul", {"x", "w"}, "p");
    add("Add", {"p", "b"}, "s");
    add("Relu", {"s"}, "r");
    add("MatMul", {"r", "v"}, "y");
    const CompressedNetwork network = compressed({2, depth}, {.prune = 2});
    EXPECT_THAT(network.pruned, ElementsAre("b", "v", "w"));
    EXPECT_EQ(network.graph.constants.at("w").shape, (host::Shape{depth, between / 2}));
    EXPECT_EQ(network.graph.constants.at("v").shape, (host::Shape{between / 2, columns}));
    EXPECT_THAT(operators(network.graph), ElementsAre("MatMul", "Add", "Relu", "MatMul", "Identity"));
    const std::vector<double> x = golden_elements(2 * depth);
    std::vector<double> expected(2 * columns, 0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t channel = 0; channel < between / 2; ++channel) {
            double sum = bias[channel];
            for (std::size_t k = 0; k < depth; ++k) {
                sum += x[i / columns * depth + k] * w[k * between + channel];
            }
            expected[i] += std::max(0.0, sum) * v[channel * columns + i % columns];
        }
    }
    graph_ = network.graph;
    EXPECT_THAT(last({2, depth}, x), Pointwise(::testing::DoubleNear(1e-4), expected));
}

TEST_F(CompressedNetworks, AreRefusedWhereNothingGetsSmaller) {
    add("Relu", {"x"}, "y");
    EXPECT_THAT(
        [&] {
            (void)compressed({4, 32}, {.int8 = true});
        },
        ThrowsMessage<UserError>(HasSubstr("no product that can multiply bytes")));
    // results of a single product are the network's, and stay whole
    graph_.nodes.clear();
    table("w", {32, 16}, golden_elements(512));
    add("MatMul", {"x", "w"}, "y");
    EXPECT_THAT(
        [&] {
            (void)compressed({4, 32}, {.prune = 2});
        },
        ThrowsMessage<UserError>(HasSubstr("no product")));
}

}  // namespace
}  // namespace ascendsim::networks
