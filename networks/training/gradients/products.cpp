// SPDX-License-Identifier: Apache-2.0
// Gradients of products of matrices: of C = A B they are G B^T and A^T G.
#include <cstdint>

#include "networks/operators/operators.hpp"
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

host::Shape rows_of(const host::Shape& shape) {
    return {host::elements({shape.begin(), shape.end() - 1}), shape.back()};
}

Backward::Attributes turned(bool a, bool b) {
    return {{"transA", std::int64_t{a}}, {"transB", std::int64_t{b}}};
}

/// All rows of A by one matrix.
void gradient_of_rows(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& left = d.shape(0);
    const std::string g = b.seen(d.gradient(), rows_of(b.shape(d.output())));
    const host::Shape right{d.shape(1)[d.shape(1).size() - 2], d.shape(1).back()};
    if (d.wanted(0)) {
        const std::string matrix = d.shape(1) == right ? d.input(1) : b.seen(d.input(1), right);
        b.give(d.input(0), b.seen(b.add("Gemm", {g, matrix}, turned(false, true)), left));
    }
    if (d.wanted(1)) {
        const std::string a = b.seen(d.input(0), rows_of(left));
        const std::string product = b.add("Gemm", {a, g}, turned(true, false));
        b.give(d.input(1), d.shape(1) == right ? product : b.seen(product, d.shape(1)));
    }
}

void gradient_of_matmul(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& left = d.shape(0);
    const host::Shape& right = d.shape(1);
    if (left.size() < 2 || right.size() < 2) {
        throw Refused{"a product with a vector"};
    }
    const host::Shape batch_b{right.begin(), right.end() - 2};
    if (host::elements(batch_b) == 1) {
        gradient_of_rows(d);
        return;
    }
    const host::Shape& shape = b.shape(d.output());
    const host::Shape batch{shape.begin(), shape.end() - 2};
    const auto whole = [&batch](host::Shape of) {
        host::Shape result = batch;
        result.insert(result.end(), of.end() - 2, of.end());
        return result;
    };
    const auto spread = [&](std::size_t index) {
        const host::Shape to = whole(d.shape(index));
        return d.shape(index) == to ? d.input(index)
                                    : b.add("Expand", {d.input(index), b.integers(as_integers(to))});
    };
    if (d.wanted(0)) {
        b.give_spread(
            d.input(0), b.add("BatchMatMul", {d.gradient(), spread(1)}, turned(false, true)), whole(left));
    }
    if (d.wanted(1)) {
        b.give_spread(
            d.input(1), b.add("BatchMatMul", {spread(0), d.gradient()}, turned(true, false)), whole(right));
    }
}

/// Of alpha A' B' + beta C, where A' and B' may lie turned.
void gradient_of_gemm(const Differentiated& d) {
    Backward& b = d.backward;
    const bool turned_a = d.node.integer("transA", 0) != 0;
    const bool turned_b = d.node.integer("transB", 0) != 0;
    const std::string g = b.scaled(d.gradient(), d.node.real("alpha", 1));
    if (d.wanted(0)) {
        b.give(d.input(0),
               turned_a ? b.add("Gemm", {d.input(1), g}, turned(turned_b, true))
                        : b.add("Gemm", {g, d.input(1)}, turned(false, !turned_b)));
    }
    if (d.wanted(1)) {
        b.give(d.input(1),
               turned_b ? b.add("Gemm", {g, d.input(0)}, turned(true, turned_a))
                        : b.add("Gemm", {d.input(0), g}, turned(!turned_a, false)));
    }
    if (d.wanted(2)) {
        b.give_spread(d.input(2), b.scaled(d.gradient(), d.node.real("beta", 1)), b.shape(d.output()));
    }
}

}  // namespace

Gradients products_gradients() {
    return {{"MatMul", gradient_of_matmul}, {"Gemm", gradient_of_gemm}};
}

}  // namespace ascendsim::networks
