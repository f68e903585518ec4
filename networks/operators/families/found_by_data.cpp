// SPDX-License-Identifier: Apache-2.0
// Operators that data tells how much they make, and others that CANN gives to the AI CPU.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using Numbers = std::vector<double>;
using Indices = std::vector<std::int64_t>;

Lowered non_zero(const Operator& with) {
    const host::Shape shape = with.input(0).shape;
    const DataFunction function = [shape](const std::vector<const Numbers*>& operands) {
        const Indices own = strides_of(shape);
        std::vector<std::uint64_t> found;
        for (std::uint64_t i = 0; i < operands[0]->size(); ++i) {
            if ((*operands[0])[i] != 0) {
                found.push_back(i);
            }
        }
        Numbers places;
        for (std::size_t d = 0; d < own.size(); ++d) {
            for (const std::uint64_t place : found) {
                places.push_back(static_cast<double>(place / static_cast<std::uint64_t>(own[d]) % shape[d]));
            }
        }
        return std::vector<Tensor>{
            constant(DataType::int64, {shape.size(), found.size()}, std::move(places))};
    };
    return decided_by_data(
        with, function, {{.type = DataType::int64, .shape = {shape.size(), host::elements(shape)}}});
}

/// Subtensors along an axis, as rows.
struct Rows {
    std::uint64_t count = 1;
    std::uint64_t outer = 1;
    std::uint64_t inner = 1;

    [[nodiscard]] Numbers row(const Numbers& x, std::uint64_t index) const {
        Numbers result;
        for (std::uint64_t i = 0; i < outer; ++i) {
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>((i * count + index) * inner);
            result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(inner));
        }
        return result;
    }
};

struct Distinct {
    std::vector<Numbers> rows;
    Numbers first;    // where each stands first
    Numbers inverse;  // which each row is
    Numbers counts;
};

Distinct distinct_rows(const Rows& rows, const Numbers& x, bool sorted) {
    std::map<Numbers, std::size_t> places;
    Distinct all;
    for (std::uint64_t i = 0; i < rows.count; ++i) {
        const Numbers row = rows.row(x, i);
        const auto [place, added] = places.emplace(row, all.rows.size());
        if (added) {
            all.rows.push_back(row);
            all.first.push_back(static_cast<double>(i));
            all.counts.push_back(0);
        }
        ++all.counts[place->second];
        all.inverse.push_back(static_cast<double>(place->second));
    }
    if (!sorted) {
        return all;
    }
    Distinct result{.rows = {}, .first = {}, .inverse = all.inverse, .counts = {}};
    Numbers rank(all.rows.size());
    for (const auto& [row, place] : places) {  // a map is in order
        rank[place] = static_cast<double>(result.rows.size());
        result.rows.push_back(row);
        result.first.push_back(all.first[place]);
        result.counts.push_back(all.counts[place]);
    }
    for (double& entry : result.inverse) {
        entry = rank[static_cast<std::size_t>(entry)];
    }
    return result;
}

Lowered unique(const Operator& with) {
    const Tensor& x = with.input(0);
    const bool flat = !with.node.has("axis");
    const std::size_t axis = flat ? 0 : with.axis(with.node.integer("axis", 0), x.shape.size());
    const host::Shape shape = flat ? host::Shape{x.count()} : x.shape;
    const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const Rows rows{.count = shape[axis],
                    .outer = host::elements({shape.begin(), at}),
                    .inner = host::elements({at + 1, shape.end()})};
    const bool sorted = with.node.integer("sorted", 1) != 0;
    const DataType type = x.type;
    const DataFunction function = [=](const std::vector<const Numbers*>& operands) {
        Distinct found = distinct_rows(rows, *operands[0], sorted);
        const std::uint64_t count = found.rows.size();
        host::Shape made = shape;
        made[axis] = count;
        Numbers values(host::elements(made));
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const std::uint64_t row = i / rows.inner % std::max<std::uint64_t>(count, 1);
            values[i] = found.rows[row][i / rows.inner / count * rows.inner + i % rows.inner];
        }
        return std::vector<Tensor>{constant(type, made, std::move(values)),
                                   constant(DataType::int64, {count}, std::move(found.first)),
                                   constant(DataType::int64, {rows.count}, std::move(found.inverse)),
                                   constant(DataType::int64, {count}, std::move(found.counts))};
    };
    const Tensor places{.type = DataType::int64, .shape = {rows.count}};
    return decided_by_data(with, function, {{.type = type, .shape = shape}, places, places, places});
}

/// Bits of unsigned numbers move; those that leave the type are lost.
Lowered bit_shift(const Operator& with) {
    Steps steps{with};
    const DataType type = with.input(0).type;
    const host::Shape shape = broadcast(with.input(0).shape, with.input(1).shape);
    const bool left = with.node.word("direction", "LEFT") == "LEFT";
    const unsigned bits = static_cast<unsigned>(isa::bits(type));
    const auto spread = [&](std::size_t index) {
        const host::Shape& own = with.input(index).shape;
        Indices strides(shape.size(), 0);
        const Indices of = strides_of(own);
        for (std::size_t i = 0; i < own.size(); ++i) {
            strides[shape.size() - own.size() + i] = own[i] == 1 ? 0 : of[i];
        }
        return places(shape, strides);
    };
    const HostFunction function = [=, a = spread(0), b = spread(1)](const std::vector<Numbers>& operands) {
        Numbers result;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto value = static_cast<std::uint64_t>(operands[0][static_cast<std::size_t>(a[i])]);
            const auto by = static_cast<unsigned>(operands[1][static_cast<std::size_t>(b[i])]);
            const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
            const std::uint64_t moved = by >= bits ? 0 : left ? value << by : value >> by;
            result.push_back(static_cast<double>(moved & mask));
        }
        return std::vector<Numbers>{std::move(result)};
    };
    return steps.done(
        steps.on_host(function, {steps.operand(0), steps.operand(1)}, {{.type = type, .shape = shape}}));
}

/// By elimination with the largest pivot.
double determinant(Numbers matrix, std::uint64_t n) {
    double result = 1;
    for (std::uint64_t column = 0; column < n; ++column) {
        std::uint64_t pivot = column;
        for (std::uint64_t row = column + 1; row < n; ++row) {
            pivot = std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column]) ? row : pivot;
        }
        if (matrix[pivot * n + column] == 0) {
            return 0;
        }
        if (pivot != column) {
            std::swap_ranges(matrix.begin() + static_cast<std::ptrdiff_t>(pivot * n),
                             matrix.begin() + static_cast<std::ptrdiff_t>((pivot + 1) * n),
                             matrix.begin() + static_cast<std::ptrdiff_t>(column * n));
            result = -result;
        }
        result *= matrix[column * n + column];
        for (std::uint64_t row = column + 1; row < n; ++row) {
            const double factor = matrix[row * n + column] / matrix[column * n + column];
            for (std::uint64_t i = column; i < n; ++i) {
                matrix[row * n + i] -= factor * matrix[column * n + i];
            }
        }
    }
    return result;
}

Lowered det(const Operator& with) {
    Steps steps{with};
    const Tensor& x = with.input(0);
    if (x.shape.size() < 2 || x.shape.back() != x.shape[x.shape.size() - 2]) {
        throw Refused{"{} holds no square matrices", x.text()};
    }
    const std::uint64_t n = x.shape.back();
    const host::Shape shape{x.shape.begin(), x.shape.end() - 2};
    const HostFunction function = [n, count = host::elements(shape)](const std::vector<Numbers>& operands) {
        Numbers result;
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto begin = operands[0].begin() + static_cast<std::ptrdiff_t>(i * n * n);
            result.push_back(determinant({begin, begin + static_cast<std::ptrdiff_t>(n * n)}, n));
        }
        return std::vector<Numbers>{std::move(result)};
    };
    return steps.done(steps.on_host(function, {steps.operand(0)}, {{.type = x.type, .shape = shape}}));
}

/// Elements back at the places where a pool found them; the rest is zero.
Lowered max_unpool(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& in = x.tensor.shape;
    const Indices at = with.indices(1);
    const Indices taps = with.node.integers("kernel_shape", {});
    const std::size_t rank = taps.size();
    if (rank == 0 || in.size() != rank + 2 || at.size() != x.tensor.count()) {
        throw Refused{"windows of {} axes and {} places for {}", rank, at.size(), x.tensor.text()};
    }
    const Indices strides = with.node.integers("strides", Indices(rank, 1));
    const Indices pads = with.node.integers("pads", Indices(2 * rank, 0));
    host::Shape inferred{in[0], in[1]};
    for (std::size_t i = 0; i < rank; ++i) {
        inferred.push_back(
            static_cast<std::uint64_t>((static_cast<std::int64_t>(in[2 + i]) - 1) * strides.at(i) + taps[i] -
                                       pads.at(i) - pads.at(rank + i)));
    }
    host::Shape shape = inferred;
    if (with.has(2)) {
        const Indices stated = with.known(2);
        shape.assign(stated.begin(), stated.end());
    }
    if (shape.size() != in.size()) {
        throw Refused{"{} in a shape of {}", x.tensor.text(), host::text(shape)};
    }
    const Indices own = strides_of(shape);
    const Indices of = strides_of(inferred);  // which the places count through
    Indices from(host::elements(shape), -1);
    for (std::size_t i = 0; i < at.size(); ++i) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < of.size(); ++d) {
            place += at[i] / of[d] % static_cast<std::int64_t>(inferred[d]) * own[d];
        }
        from.at(static_cast<std::size_t>(place)) = static_cast<std::int64_t>(i);
    }
    return steps.done({steps.moved(x, shape, from)});
}

}  // namespace

Operators found_by_data_operators() {
    return {{"NonZero", non_zero},
            {"Unique", unique},
            {"BitShift", bit_shift},
            {"Det", det},
            {"MaxUnpool", max_unpool}};
}

}  // namespace ascendsim::networks
