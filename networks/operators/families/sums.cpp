// SPDX-License-Identifier: Apache-2.0
// Sums of products by letters, and running sums.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// A tensor whose axes have letters.
struct Lettered {
    Part part;
    std::string letters;
};

constexpr char first_dot = '0';  // axes that an ellipsis stands for are 0, 1, … from the last one on

/// The letters of one operand with its ellipsis spelled out.
std::string spelled(const std::string& term, std::size_t rank) {
    const std::size_t dots = term.find("...");
    std::string letters = term;
    if (dots != std::string::npos) {
        const std::size_t named = term.size() - 3;
        if (named > rank || rank - named > 9) {
            throw Refused{"'{}' for a tensor of {} axes", term, rank};
        }
        std::string axes;
        for (std::size_t i = rank - named; i > 0; --i) {
            axes.push_back(static_cast<char>(first_dot + static_cast<char>(i - 1)));
        }
        letters.replace(dots, 3, axes);
    }
    const std::set<char> distinct{letters.begin(), letters.end()};
    if (letters.size() != rank || distinct.size() != rank || distinct.contains('.')) {
        throw Refused{"'{}' for a tensor of {} axes: each axis has a letter of its own", term, rank};
    }
    return letters;
}

struct Equation {
    std::vector<std::string> terms;
    std::string result;
};

/// "ij,jk->ik"; without an arrow, the letters that stand once, in the order of the alphabet.
Equation equation_of(const Operator& with) {
    std::string text = with.node.word("equation", "");
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    const std::size_t arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    Equation equation;
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t comma = left.find(',', at);
        equation.terms.push_back(left.substr(at, comma == std::string::npos ? comma : comma - at));
        at = comma == std::string::npos ? comma : comma + 1;
    }
    if (equation.terms.size() != with.inputs.size()) {
        throw Refused{"'{}' for {} operands", text, with.inputs.size()};
    }
    std::map<char, int> counts;
    std::string dots;
    for (std::size_t i = 0; i < equation.terms.size(); ++i) {
        equation.terms[i] = spelled(equation.terms[i], with.input(i).shape.size());
        std::string own;
        for (const char letter : equation.terms[i]) {
            ++counts[letter];
            own += std::isdigit(static_cast<unsigned char>(letter)) != 0 ? std::string{letter} : "";
        }
        dots = own.size() > dots.size() ? own : dots;
    }
    if (arrow != std::string::npos) {
        equation.result = text.substr(arrow + 2);
        if (const std::size_t at = equation.result.find("..."); at != std::string::npos) {
            equation.result.replace(at, 3, dots);
        }
    } else {
        equation.result = dots;
        for (const auto& [letter, count] : counts) {
            const bool once = count == 1 && std::isdigit(static_cast<unsigned char>(letter)) == 0;
            equation.result += once ? std::string{letter} : "";
        }
    }
    for (const char letter : equation.result) {
        if (!counts.contains(letter) || std::ranges::count(equation.result, letter) != 1) {
            throw Refused{"'{}': '{}' of the result stands in no operand, or twice", text, letter};
        }
    }
    return equation;
}

std::uint64_t extent_of(const Lettered& tensor, char letter) {
    const std::size_t at = tensor.letters.find(letter);
    return at == std::string::npos ? 1 : tensor.part.tensor.shape[at];
}

/// The tensor with its axes in another order.
Part ordered(Steps& steps, const Lettered& tensor, const std::string& letters) {
    host::Shape order;
    for (const char letter : letters) {
        order.push_back(tensor.letters.find(letter));
    }
    return steps.transposed(tensor.part, order);
}

/// Without the letters that nobody behind asks for.
Lettered summed(Steps& steps, const Lettered& tensor, const std::string& kept) {
    std::vector<std::size_t> axes;
    Lettered result{.part = tensor.part, .letters = {}};
    host::Shape shape;
    for (std::size_t i = 0; i < tensor.letters.size(); ++i) {
        if (kept.find(tensor.letters[i]) == std::string::npos) {
            axes.push_back(i);
        } else {
            result.letters += tensor.letters[i];
            shape.push_back(tensor.part.tensor.shape[i]);
        }
    }
    if (!axes.empty()) {
        result.part = Steps::seen(steps.reduce(Op::reduce_sum, tensor.part, axes), shape);
    }
    return result;
}

/// Two operands as products of matrices, one for each place of the letters that both and `kept` have.
Lettered multiplied(Steps& steps, const Lettered& left, const Lettered& right, const std::string& kept) {
    const Lettered a = summed(steps, left, kept + right.letters);
    const Lettered b = summed(steps, right, kept + left.letters);
    std::string batch;
    std::string inner;
    std::string rows;
    std::string columns;
    for (const char letter : a.letters) {
        const bool both = b.letters.find(letter) != std::string::npos;
        const bool stays = kept.find(letter) != std::string::npos;
        (both ? stays ? batch : inner : rows) += letter;
        if (both && extent_of(a, letter) != extent_of(b, letter)) {
            throw Refused{"'{}' is {} in one operand and {} in the other",
                          letter,
                          extent_of(a, letter),
                          extent_of(b, letter)};
        }
    }
    for (const char letter : b.letters) {
        columns += a.letters.find(letter) == std::string::npos ? std::string{letter} : "";
    }
    const auto count = [](const Lettered& tensor, const std::string& letters) {
        std::uint64_t product = 1;
        for (const char letter : letters) {
            product *= extent_of(tensor, letter);
        }
        return product;
    };
    const Part x = Steps::seen(ordered(steps, a, batch + rows + inner),
                               {count(a, batch), count(a, rows), count(a, inner)});
    const Part y = Steps::seen(ordered(steps, b, batch + inner + columns),
                               {count(b, batch), count(b, inner), count(b, columns)});
    Lettered result{.part = steps.product(x, y), .letters = batch + rows + columns};
    host::Shape shape;
    for (const char letter : result.letters) {
        shape.push_back(a.letters.find(letter) != std::string::npos ? extent_of(a, letter)
                                                                    : extent_of(b, letter));
    }
    result.part = Steps::seen(result.part, shape);
    return result;
}

Lowered einsum(const Operator& with) {
    Steps steps{with};
    const Equation equation = equation_of(with);
    Lettered all{.part = steps.operand(0), .letters = equation.terms[0]};
    for (std::size_t i = 1; i < equation.terms.size(); ++i) {
        std::string kept = equation.result;
        for (std::size_t later = i + 1; later < equation.terms.size(); ++later) {
            kept += equation.terms[later];
        }
        all = multiplied(steps, all, {.part = steps.operand(i), .letters = equation.terms[i]}, kept);
    }
    all = summed(steps, all, equation.result);
    return steps.done({ordered(steps, all, equation.result)});
}

/// Running sums as a product with ones on one side of a diagonal.
Lowered cumulative_sum(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const std::size_t axis = with.axis(with.known(1).at(0), shape.size());
    const std::uint64_t extent = shape[axis];
    const bool exclusive = with.node.integer("exclusive", 0) != 0;
    const bool reverse = with.node.integer("reverse", 0) != 0;
    const auto takes = [=](std::uint64_t from, std::uint64_t to) {
        return from == to ? !exclusive : (from < to) != reverse;
    };
    constexpr std::uint64_t most = 4096;  // a matrix of its square is read
    if (extent > most) {
        throw Refused{"running sums over {} elements; at most {} are multiplied", extent, most};
    }
    host::Shape order(shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::swap(order[axis], order.back());
    const Part rows = steps.transposed(x, order);
    const std::uint64_t count = extent == 0 ? 0 : x.tensor.count() / extent;
    const DataType type = x.tensor.type;
    Part sums;
    if (!x.known() && is_real(type) && type != DataType::float64 && count != 0) {
        std::vector<double> ones(extent * extent);
        for (std::uint64_t i = 0; i < ones.size(); ++i) {
            ones[i] = takes(i / extent, i % extent) ? 1 : 0;
        }
        sums = steps.product(Steps::seen(rows, {count, extent}),
                             Steps::table(type, {extent, extent}, std::move(ones)));
    } else {
        sums = steps.on_host(
            [=](const std::vector<std::vector<double>>& operands) {
                std::vector<double> result(operands.at(0).size(), 0);
                for (std::uint64_t i = 0; i < result.size(); ++i) {
                    for (std::uint64_t from = 0; from < extent; ++from) {
                        result[i] += takes(from, i % extent) ? operands[0][i / extent * extent + from] : 0;
                    }
                }
                return std::vector<std::vector<double>>{std::move(result)};
            },
            {rows},
            {rows.tensor})[0];
    }
    return steps.done({steps.transposed(Steps::seen(sums, rows.tensor.shape), order)});
}

}  // namespace

Operators sums_operators() {
    return {{"Einsum", einsum}, {"CumSum", cumulative_sum}};
}

}  // namespace ascendsim::networks
