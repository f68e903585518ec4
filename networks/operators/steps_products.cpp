// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "networks/operators/activation.hpp"
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {

using isa::DataType;

Part Steps::product(const Part& a, const Part& b) {
    const host::Shape& left = a.tensor.shape;
    const host::Shape& right = b.tensor.shape;
    const DataType type = a.tensor.type;
    if (type != DataType::half && type != DataType::bfloat16 && type != DataType::float32) {
        throw Refused{"the cube multiplies float16, bfloat16 and float32 here, not {}", isa::name(type)};
    }
    if (left.size() < 2 || right.size() < 2 || left.back() != right[right.size() - 2]) {
        throw Refused{"the product of {} and {}: their depths differ", a.tensor.text(), b.tensor.text()};
    }
    host::Shape shape = left;
    shape.back() = right.back();
    const std::uint64_t groups = host::elements({right.begin(), right.end() - 2});
    const std::uint64_t rows = host::elements(left) / std::max<std::uint64_t>(left.back(), 1);
    constexpr std::uint64_t most_groups = 4096;  // of the kernel
    if (groups > most_groups || groups == 0 || left.back() == 0 || rows % groups != 0) {
        throw Refused{"{} products in a batch; the kernel takes 1 to {}", groups, most_groups};
    }
    return product_of(
        a, b, {.m = rows / groups, .n = right.back(), .k = left.back(), .groups = groups}, std::move(shape));
}

namespace {

/// Matrices (rows, columns) with zeros to whole blocks of 16, or, `back`, without them.
Arrange padded(std::uint64_t count, std::uint64_t rows, std::uint64_t columns, bool back) {
    const std::uint64_t whole_rows = (rows + 15) / 16 * 16;
    const std::uint64_t whole_columns = (columns + 15) / 16 * 16;
    return [=](const std::vector<double>& from) {
        std::vector<double> to(back ? count * rows * columns : count * whole_rows * whole_columns, 0);
        for (std::uint64_t i = 0; i < count * rows * columns; ++i) {
            const std::uint64_t row = i / columns;
            const std::uint64_t place = (row / rows * whole_rows + row % rows) * whole_columns + i % columns;
            to[back ? i : place] = from[back ? place : i];
        }
        return to;
    };
}

/// A row with zeros to whole blocks of 16.
Arrange padded_row(std::uint64_t columns) {
    return [=](const std::vector<double>& from) {
        std::vector<double> to = from;
        to.resize((columns + 15) / 16 * 16, 0);
        return to;
    };
}

}  // namespace

Part Steps::product_of(
    const Part& a, const Part& b, const Matrices& extents, host::Shape shape, const Finish& finish) {
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    const DataType type = a.tensor.type;
    Matrices of = extents;
    // Chips without padded copies hold matrices in blocks, of which the last are filled with zeros.
    const bool pads = with_.chip->arch != "2201" && (of.m % 16 != 0 || of.n % 16 != 0 || of.k % 16 != 0);
    Task task{.kernel = "matmul"};
    if (pads) {
        task.arranged = {padded(of.groups, of.turned_a ? of.k : of.m, of.turned_a ? of.m : of.k, false),
                         padded(of.groups, of.turned_b ? of.n : of.k, of.turned_b ? of.k : of.n, false)};
        if (finish.bias) {
            task.arranged.push_back(padded_row(of.n));
        }
        task.taken = padded(of.groups, of.m, of.n, true);
        for (std::uint64_t* extent : {&of.m, &of.n, &of.k}) {
            *extent = (*extent + 15) / 16 * 16;
        }
    }
    task.knobs = {{"m", number(of.m)},
                  {"n", number(of.n)},
                  {"k", number(of.k)},
                  {"dtype", std::string{isa::name(type)}},
                  {"groups", number(of.groups)}};
    if (of.turned_a || of.turned_b) {
        task.knobs.emplace_back("transpose_a", of.turned_a);
        task.knobs.emplace_back("transpose_b", of.turned_b);
    }
    add_finish(task, finish);
    std::vector<Part> reads{a, b};
    if (finish.bias) {  // of bfloat16 the sums begin with float32
        reads.push_back(type == DataType::bfloat16 ? cast(*finish.bias, DataType::float32) : *finish.bias);
    }
    return run(std::move(task), reads, {{.type = type, .shape = std::move(shape), .values = {}}})[0];
}

}  // namespace ascendsim::networks
