// SPDX-License-Identifier: Apache-2.0
// Operators that hold networks or lists of tensors. Where it is known what they do, others stand in their
// place (networks/run/control_flow); what arrives here waits for data.
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

/// Refused: for what was found before, for the operands that it waits for, or since there is no sequence.
Lower waiting_for(std::vector<std::size_t> operands, const char* reason) {
    return [operands = std::move(operands), reason](const Operator& with) -> Lowered {
        if (with.node.has("refusal")) {
            throw Refused{"{}", with.node.word("refusal", "")};
        }
        with.need(operands, reason);
        throw Refused{"what it reads or makes is no tensor"};
    };
}

constexpr const char* waits_for_place =
    "a place in a sequence, or the extents of its parts, are computed while the network runs";

}  // namespace

Operators control_operators() {
    return {{"If", waiting_for({0}, "its condition is computed while the network runs")},
            {"Loop", waiting_for({0, 1}, "how often it runs is computed while the network runs")},
            {"Scan", waiting_for({}, "")},
            {"SequenceAt", waiting_for({1}, waits_for_place)},
            {"SequenceInsert", waiting_for({2}, waits_for_place)},
            {"SequenceErase", waiting_for({1}, waits_for_place)},
            {"SplitToSequence", waiting_for({1}, waits_for_place)},
            {"SequenceLength", waiting_for({}, "")},
            {"SequenceConstruct", waiting_for({}, "")},
            {"SequenceEmpty", waiting_for({}, "")},
            {"ConcatFromSequence", waiting_for({}, "")}};
}

}  // namespace ascendsim::networks
