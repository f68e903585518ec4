// SPDX-License-Identifier: Apache-2.0
// Products of matrices and convolutions: cube work.
#include <algorithm>
#include <array>

#include "networks/operators/operators.hpp"

namespace ascendsim::networks {
namespace {

std::int64_t number(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// The types of which the cube multiplies.
std::string cube_word(isa::DataType type) {
    if (type != isa::DataType::half && type != isa::DataType::bfloat16 && type != isa::DataType::float32) {
        throw Refused{"the cube multiplies float16, bfloat16 and float32 here, not {}", isa::name(type)};
    }
    return std::string{isa::name(type)};
}

struct Product {
    std::uint64_t groups = 1;
    std::uint64_t m = 1;
    std::uint64_t n = 1;
    std::uint64_t k = 1;
    bool transpose_a = false;
    bool transpose_b = false;
};

Task matmul_task(const Product& product, isa::DataType type) {
    constexpr std::uint64_t most_groups = 4096;  // of the kernel
    if (product.groups > most_groups) {
        throw Refused{"{} products in a batch; the kernel takes {}", product.groups, most_groups};
    }
    return {.kernel = "matmul",
            .knobs = {{"m", number(product.m)},
                      {"n", number(product.n)},
                      {"k", number(product.k)},
                      {"dtype", cube_word(type)},
                      {"groups", number(product.groups)},
                      {"transpose_a", product.transpose_a},
                      {"transpose_b", product.transpose_b}}};
}

Lowered matmul(const Operator& with) {
    const Tensor& a = with.input(0);
    const Tensor& b = with.input(1);
    if (a.shape.size() < 2 || b.shape.size() < 2) {
        throw Refused{"the product of a vector: {} by {}", a.text(), b.text()};
    }
    const std::uint64_t k = a.shape.back();
    if (k != b.shape[b.shape.size() - 2]) {
        throw Refused{"the product of {} and {}: their depths differ", a.text(), b.text()};
    }
    const host::Shape batch_a{a.shape.begin(), a.shape.end() - 2};
    const host::Shape batch_b{b.shape.begin(), b.shape.end() - 2};
    Product product{.m = a.shape[a.shape.size() - 2], .n = b.shape.back(), .k = k};
    host::Shape shape = broadcast(batch_a, batch_b);
    if (host::elements(batch_b) == 1) {  // all rows of A at once
        product.m *= host::elements(batch_a);
    } else if (host::elements(batch_a) == host::elements(shape) && batch_a == batch_b) {
        product.groups = host::elements(shape);
    } else {
        throw Refused{"batches of {} and {} that are spread over each other", a.text(), b.text()};
    }
    shape.push_back(a.shape[a.shape.size() - 2]);
    shape.push_back(product.n);
    return {.outputs = {Tensor{.type = a.type, .shape = shape, .values = {}}},
            .tasks = {matmul_task(product, a.type)},
            .note = {}};
}

Lowered gemm(const Operator& with) {
    const Tensor& a = with.input(0);
    const Tensor& b = with.input(1);
    if (a.shape.size() != 2 || b.shape.size() != 2) {
        throw Refused{"Gemm takes matrices, not {} and {}", a.text(), b.text()};
    }
    Product product{.transpose_a = with.node.integer("transA", 0) != 0,
                    .transpose_b = with.node.integer("transB", 0) != 0};
    product.m = a.shape[product.transpose_a ? 1 : 0];
    product.k = a.shape[product.transpose_a ? 0 : 1];
    product.n = b.shape[product.transpose_b ? 0 : 1];
    if (product.k != b.shape[product.transpose_b ? 1 : 0]) {
        throw Refused{"the product of {} and {}: their depths differ", a.text(), b.text()};
    }
    const Tensor result{.type = a.type, .shape = {product.m, product.n}, .values = {}};
    Lowered lowered{.outputs = {result}, .tasks = {matmul_task(product, a.type)}, .note = {}};
    if (const double alpha = with.node.real("alpha", 1); alpha != 1) {
        const std::array scaled{&result};
        lowered.tasks.push_back(elementwise_task("scale", result.shape, scaled, result.type));
        lowered.tasks.back().knobs.emplace_back("p0", alpha);
        lowered.tasks.back().knobs.emplace_back("p1", 0.0);
    }
    if (with.has(2)) {
        const double beta = with.node.real("beta", 1);
        const std::array operands{&result, &with.input(2)};
        lowered.tasks.push_back(
            elementwise_task(beta == 1 ? "add" : "axpy", result.shape, operands, result.type));
        if (beta != 1) {
            lowered.tasks.back().knobs.emplace_back("p0", beta);
        }
    }
    return lowered;
}

/// The geometry of a filter's window along the axes behind the channels.
struct Window {
    std::vector<std::int64_t> filter;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads;  // before each axis, then behind each
};

/// True if all are the same.
bool uniform(const std::vector<std::int64_t>& values) {
    return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
}

Window window_of(const Operator& with, const std::vector<std::int64_t>& filter) {
    const std::size_t rank = filter.size();
    Window window{.filter = filter,
                  .strides = with.node.integers("strides", std::vector<std::int64_t>(rank, 1)),
                  .dilations = with.node.integers("dilations", std::vector<std::int64_t>(rank, 1)),
                  .pads = with.node.integers("pads", std::vector<std::int64_t>(2 * rank, 0))};
    if (window.strides.size() != rank || window.dilations.size() != rank || window.pads.size() != 2 * rank) {
        throw Refused{"strides, dilations and pads must have a number for each of {} axes", rank};
    }
    const std::string pad = with.node.word("auto_pad", "NOTSET");
    if (pad != "NOTSET" && pad != "VALID") {
        for (std::size_t i = 0; i < rank; ++i) {
            const std::int64_t reach = (filter[i] - 1) * window.dilations[i];
            if (window.strides[i] != 1 || reach % 2 != 0) {
                throw Refused{"auto_pad {} with a stride of {}", pad, window.strides[i]};
            }
            window.pads[i] = window.pads[rank + i] = reach / 2;
        }
    }
    return window;
}

/// CANN hands the bias to the cube's accumulator; the kernel conv2d has none.
constexpr const char* bias_note = "the bias is added while the cube accumulates, and takes no time here";

/// Extents and knobs that the kernel conv2d takes.
Task conv_task(const Operator& with, const Window& window, const Tensor& x, const Tensor& w) {
    constexpr std::uint64_t block = 16;                                     // channels
    const std::uint64_t c0 = x.type == isa::DataType::float32 ? 8 : block;  // of 32 bytes
    const auto groups = static_cast<std::uint64_t>(std::max<std::int64_t>(with.node.integer("group", 1), 1));
    const std::uint64_t inputs = x.shape[1];
    const std::uint64_t outputs = w.shape[0];
    if (!uniform(window.filter) || !uniform(window.strides) || !uniform(window.dilations) ||
        !uniform(window.pads)) {
        throw Refused{
            "the kernel conv2d takes square filters, and the same stride, dilation and padding on all "
            "sides"};
    }
    const bool depthwise = groups > 1 && groups == inputs && groups == outputs;
    if (groups > 1 && !depthwise && (inputs / groups % block != 0 || outputs / groups % block != 0)) {
        throw Refused{"{} groups of {} channels each; the kernel conv2d takes multiples of 16, or depthwise",
                      groups,
                      inputs / groups};
    }
    const auto blocks = [](std::uint64_t channels, std::uint64_t each) {
        return number((channels + each - 1) / each);
    };
    return {.kernel = "conv2d",
            .knobs = {{"batch", number(x.shape[0])},
                      {"c1", blocks(inputs, c0)},
                      {"height", number(x.shape[2])},
                      {"width", number(x.shape[3])},
                      {"n1", blocks(outputs, block)},
                      {"groups", depthwise ? blocks(outputs, block) : number(groups)},
                      {"filter", window.filter[0]},
                      {"stride", window.strides[0]},
                      {"dilation", window.dilations[0]},
                      {"pad", window.pads[0]},
                      {"dtype", cube_word(x.type)},
                      {"base_m", std::int64_t{0}}}};
}

Lowered conv(const Operator& with) {
    const Tensor& x = with.input(0);
    const Tensor& w = with.input(1);
    if (x.shape.size() != 4 || w.shape.size() != 4) {
        throw Refused{"a convolution of {}; images of two axes are taken", x.text()};
    }
    const auto groups = static_cast<std::uint64_t>(std::max<std::int64_t>(with.node.integer("group", 1), 1));
    if (w.shape[1] * groups != x.shape[1]) {
        throw Refused{"filters {} on {} in {} groups", w.text(), x.text(), groups};
    }
    const std::vector<std::int64_t> filter{number(w.shape[2]), number(w.shape[3])};
    const Window window = window_of(with, filter);
    host::Shape shape{x.shape[0], w.shape[0]};
    for (std::size_t i = 0; i < filter.size(); ++i) {
        const std::int64_t room = number(x.shape[2 + i]) + window.pads[i] + window.pads[filter.size() + i] -
                                  (filter[i] - 1) * window.dilations[i] - 1;
        if (room < 0 || window.strides[i] < 1) {
            throw Refused{"a filter of {} does not fit {}", filter[i], x.text()};
        }
        shape.push_back(static_cast<std::uint64_t>(room / window.strides[i] + 1));
    }
    return {.outputs = {Tensor{.type = x.type, .shape = shape, .values = {}}},
            .tasks = {conv_task(with, window, x, w)},
            .note = with.has(2) ? bias_note : ""};
}

}  // namespace

Operators products_operators() {
    return {{"MatMul", matmul}, {"Gemm", gemm}, {"Conv", conv}};
}

}  // namespace ascendsim::networks
