// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/vector_work.hpp"

#include <algorithm>

namespace ascendsim::networks::loops {
namespace {

const VectorCost& cost_of(Code code, const VectorSpec& vector) {
    switch (code) {
        case Code::exp:
            return vector.exp;
        case Code::ln:
            return vector.ln;
        case Code::sqrt:
            return vector.sqrt;
        case Code::div:
            return vector.div;
        case Code::multiply_add:
            return vector.fused_multiply_add;
        case Code::convert:
        case Code::round:
            return vector.cast;
        case Code::compare:
        case Code::compare_scalar:
            return vector.compare;
        case Code::select:
        case Code::select_scalar:
            return vector.select;
        case Code::reduce_sum:
        case Code::reduce_max:
        case Code::reduce_min:
            return vector.reduce_block;
        default:
            return vector.simple;
    }
}

}  // namespace

double vector_work(const Program& program, const Space& space, const ChipSpec& chip) {
    double elements = 1;
    for (const Axis& axis : space.axes) {
        elements *= static_cast<double>(axis.extent);
    }
    double work = 0;
    for (const Node& node : program.nodes) {
        const bool reduces = node.code >= Code::reduce_sum;
        const bool dense = reduces ? program.nodes[node.operands[0]].form.dense() : node.form.dense();
        if (node.code == Code::load || node.code == Code::store || !dense) {
            continue;
        }
        std::uint32_t bits = isa::bits(node.type);
        for (const std::size_t operand : node.operands) {
            bits = std::max(bits, isa::bits(program.nodes[operand].type));
        }
        const VectorCost& cost = cost_of(node.code, chip.vector);
        // A repeat is 128 elements of 16 bits, or 64 of 32.
        work += elements * (bits <= 16 ? cost.repeat_b16 / 2 : cost.repeat_b32);
    }
    return work;
}

}  // namespace ascendsim::networks::loops
