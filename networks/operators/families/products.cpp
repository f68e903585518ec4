// SPDX-License-Identifier: Apache-2.0
// Products of matrices: cube work.
#include <algorithm>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using loops::Op;

host::Shape joined_shape(host::Shape batch, std::uint64_t rows, std::uint64_t columns) {
    batch.push_back(rows);
    batch.push_back(columns);
    return batch;
}

Part multiplied(Steps& steps, Part a, Part b) {
    const host::Shape batch_a{a.tensor.shape.begin(), a.tensor.shape.end() - 2};
    const host::Shape batch_b{b.tensor.shape.begin(), b.tensor.shape.end() - 2};
    const host::Shape batch = broadcast(batch_a, batch_b);
    const std::uint64_t m = a.tensor.shape[a.tensor.shape.size() - 2];
    const std::uint64_t k = a.tensor.shape.back();
    const std::uint64_t n = b.tensor.shape.back();
    if (host::elements(batch_b) == 1) {  // all rows of A at once
        const Part rows = Steps::seen(a, {host::elements(batch_a) * m, k});
        const Part matrix = Steps::seen(b, {b.tensor.shape[b.tensor.shape.size() - 2], n});
        return Steps::seen(steps.product(rows, matrix), joined_shape(batch, m, n));
    }
    a = batch_a == batch ? a : steps.spread(a, joined_shape(batch, m, k));
    b = batch_b == batch ? b : steps.spread(b, joined_shape(batch, k, n));
    return steps.product(a, b);
}

Lowered matmul(const Operator& with) {
    Steps steps{with};
    Part a = steps.operand(0);
    Part b = steps.operand(1);
    if (a.tensor.shape.empty() || b.tensor.shape.empty()) {
        throw Refused{"the product of {} and {}", a.tensor.text(), b.tensor.text()};
    }
    const bool row = a.tensor.shape.size() == 1;
    const bool column = b.tensor.shape.size() == 1;
    a = row ? Steps::seen(a, {1, a.tensor.shape[0]}) : a;
    b = column ? Steps::seen(b, {b.tensor.shape[0], 1}) : b;
    if (a.tensor.shape.back() != b.tensor.shape[b.tensor.shape.size() - 2]) {
        throw Refused{"the product of {} and {}: their depths differ", a.tensor.text(), b.tensor.text()};
    }
    const Part c = multiplied(steps, a, b);
    host::Shape shape = c.tensor.shape;
    if (column) {
        shape.pop_back();
    }
    if (row) {
        shape.erase(shape.end() - (column ? 1 : 2));
    }
    return steps.done({Steps::seen(c, shape)});
}

Lowered gemm(const Operator& with) {
    Steps steps{with};
    const Part a = steps.operand(0);
    const Part b = steps.operand(1);
    if (a.tensor.shape.size() != 2 || b.tensor.shape.size() != 2) {
        throw Refused{"Gemm takes matrices, not {} and {}", a.tensor.text(), b.tensor.text()};
    }
    const isa::DataType type = a.tensor.type;
    if (!is_real(type) || type == isa::DataType::float64) {
        throw Refused{"the cube multiplies float16, bfloat16 and float32 here, not {}", isa::name(type)};
    }
    const bool turned_a = with.node.integer("transA", 0) != 0;
    const bool turned_b = with.node.integer("transB", 0) != 0;
    const std::uint64_t m = a.tensor.shape[turned_a ? 1 : 0];
    const std::uint64_t k = a.tensor.shape[turned_a ? 0 : 1];
    const std::uint64_t n = b.tensor.shape[turned_b ? 0 : 1];
    if (k != b.tensor.shape[turned_b ? 1 : 0]) {
        throw Refused{"the product of {} and {}: their depths differ", a.tensor.text(), b.tensor.text()};
    }
    Part c =
        steps.product_of(a, b, {.m = m, .n = n, .k = k, .turned_a = turned_a, .turned_b = turned_b}, {m, n});
    if (const double alpha = with.node.real("alpha", 1); alpha != 1) {
        c = steps.element(Op::scale, {c}, {alpha, 0});
    }
    if (with.has(2)) {
        Part term = steps.operand(2);
        if (const double beta = with.node.real("beta", 1); beta != 1) {
            term = steps.element(Op::scale, {term}, {beta, 0});
        }
        c = steps.element(Op::add, {c, term});
    }
    return steps.done({c});
}

}  // namespace

Operators products_operators() {
    return {{"MatMul", matmul}, {"Gemm", gemm}};
}

}  // namespace ascendsim::networks
