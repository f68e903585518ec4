// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_cost.hpp"

#include <algorithm>
#include <array>

#include "models/isa/vector/elementwise.hpp"
#include "models/isa/vector/lane_table.hpp"

namespace ascendsim::isa {

namespace {

using Cost = const VectorCost VectorSpec::*;

// Costs of the instructions that are no lane operation, where their files issue them.
struct Issued {
    std::string_view instruction;
    Cost cost;
};

constexpr std::array<Issued, 28> issued{{
    {"vconv", &VectorSpec::cast},
    {"vconv_deq", &VectorSpec::cast},
    {"vadddeqrelu", &VectorSpec::cast},
    {"vaddreluconv", &VectorSpec::cast},
    {"vsubreluconv", &VectorSpec::cast},
    {"vcmpv", &VectorSpec::compare},
    {"vcmpvs", &VectorSpec::compare},
    {"vcmp", &VectorSpec::compare},
    {"vsel", &VectorSpec::select},
    {"set_cmpmask", &VectorSpec::mask_register},
    {"get_cmpmask", &VectorSpec::mask_register},
    {"vgather", &VectorSpec::gather},
    {"vscatter", &VectorSpec::scatter},
    {"vgatherb", &VectorSpec::gather_block},
    {"vbrcb", &VectorSpec::broadcast},
    {"vreducev2", &VectorSpec::gather_mask},
    {"vci", &VectorSpec::simple},
    {"vcadd", &VectorSpec::reduce_repeat},
    {"vcmax", &VectorSpec::reduce_repeat},
    {"vcmin", &VectorSpec::reduce_repeat},
    {"vcgadd", &VectorSpec::reduce_block},
    {"vcgmax", &VectorSpec::reduce_block},
    {"vcgmin", &VectorSpec::reduce_block},
    {"vcpadd", &VectorSpec::reduce_pair},
    {"vbs32", &VectorSpec::sort},
    {"vmrgsort4", &VectorSpec::merge_sort},
    {"vextract", &VectorSpec::gather_mask},
    {"vnchwconv", &VectorSpec::transpose},
}};

constexpr std::array<NamedVectorCost, 26> cost_names{{
    {"simple", &VectorSpec::simple},
    {"duplicate", &VectorSpec::duplicate},
    {"exp", &VectorSpec::exp},
    {"ln", &VectorSpec::ln},
    {"sqrt", &VectorSpec::sqrt},
    {"rsqrt", &VectorSpec::rsqrt},
    {"reciprocal", &VectorSpec::reciprocal},
    {"div", &VectorSpec::div},
    {"multiply_add", &VectorSpec::multiply_add},
    {"fused_multiply_add", &VectorSpec::fused_multiply_add},
    {"compare", &VectorSpec::compare},
    {"select", &VectorSpec::select},
    {"cast", &VectorSpec::cast},
    {"cast_b64", &VectorSpec::cast_b64},
    {"reduce_repeat", &VectorSpec::reduce_repeat},
    {"reduce_block", &VectorSpec::reduce_block},
    {"reduce_pair", &VectorSpec::reduce_pair},
    {"gather_mask", &VectorSpec::gather_mask},
    {"gather", &VectorSpec::gather},
    {"gather_block", &VectorSpec::gather_block},
    {"scatter", &VectorSpec::scatter},
    {"broadcast", &VectorSpec::broadcast},
    {"transpose", &VectorSpec::transpose},
    {"sort", &VectorSpec::sort},
    {"merge_sort", &VectorSpec::merge_sort},
    {"mask_register", &VectorSpec::mask_register},
}};

const LaneEntry* lane_entry_of(std::string_view instruction) {
    for (std::size_t op = 0; op <= static_cast<std::size_t>(LaneOp::fused_mul_add_relu); ++op) {
        const LaneEntry& entry = lane_entry(static_cast<LaneOp>(op));
        if (entry.info.name == instruction) {
            return &entry;
        }
    }
    return nullptr;
}

Cost cost_of_issued(std::string_view instruction) {
    const auto* const found = std::ranges::find(issued, instruction, &Issued::instruction);
    if (found != issued.end()) {
        return found->cost;
    }
    const LaneEntry* const entry = lane_entry_of(instruction);
    return entry == nullptr ? nullptr : entry->cost;
}

}  // namespace

std::optional<NamedVectorCost> vector_cost_of(std::string_view instruction) {
    const Cost cost = cost_of_issued(instruction);
    if (cost == nullptr) {
        return std::nullopt;
    }
    const auto* const found = std::ranges::find(cost_names, cost, &NamedVectorCost::cost);
    return found == cost_names.end() ? std::nullopt : std::optional{*found};
}

std::optional<std::uint32_t> tensors_read(std::string_view instruction) {
    const LaneEntry* const entry = lane_entry_of(instruction);
    // What is added to may be of a wider type than what is added.
    return entry == nullptr || entry->reads_dst ? std::nullopt
                                                : std::optional<std::uint32_t>{entry->source_count};
}

}  // namespace ascendsim::isa
