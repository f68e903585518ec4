// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "networks/fusion/replaced_nodes.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// Conversions of layouts ("TransData") that one of two plans needs, and the other does not.
struct ConversionChange {
    std::vector<PlannedNode> before;
    std::vector<PlannedNode> after;
};

/// Knows the conversions that stand around the convolutions of a plan (networks/run/layouts), and finds those
/// that come and go if nodes are replaced. What fuses weighs them: a kernel that takes its operand as the
/// network states it, between two convolutions that could have handed blocks of channels to each other,
/// costs two conversions.
class Conversions {
public:
    /// `outputs` are the network's. The plan must outlive this.
    Conversions(const NetworkPlan& plan, const std::vector<std::string>& outputs, const ChipSpec& chip);

    /// What changes without the nodes of `gone`, with `with`, and with results that are other tensors now.
    [[nodiscard]] ConversionChange change(const std::set<std::size_t>& gone,
                                          const std::vector<Replacement>& with,
                                          const std::map<std::string, std::string>& same = {}) const;

private:
    /// By what they convert, with the extents of what they make.
    using Standing = std::map<std::string, PlannedNode>;

    [[nodiscard]] Standing standing(const NetworkPlan& plan) const;

    const NetworkPlan& plan_;
    const std::vector<std::string>& outputs_;
    const ChipSpec& chip_;
    bool convolves_ = false;
    Standing now_;
};

}  // namespace ascendsim::networks
