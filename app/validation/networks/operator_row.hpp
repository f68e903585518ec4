// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/networks/network_figures.hpp"
#include "app/validation/family.hpp"
#include "app/validation/serving/source_statement.hpp"
#include "app/validation/system/system_row.hpp"

namespace ascendsim::validation {

/// What a row states of a network.
enum class OperatorMetric : std::uint8_t {
    fused,  // time of what fusion leaves, or of a kernel that does all of it
    apart,  // time of the operators one by one
    gain,   // the one divided by the other
};

/// A row about a fused operator, or a kernel: a network of scenarios/networks/operators at the row's extents.
struct OperatorCase {
    report::FiguredNetwork network;
    /// The kernel that is published for it, where one is shipped: `<network>.toml` beside the network.
    std::optional<networks::Task> kernel;
    std::string chip;
    double clock_ghz = 0;  // of its cores; 0: the chip's own
    bool eager = false;    // the host launches the kernels of the operator as it is, one by one
    OperatorMetric metric = OperatorMetric::fused;
    std::string assumed;  // what the row does not state, and was taken
};

/// The operator of a row of category fusion_gain or kernel_mean, found by a name in its workload and by the
/// extents of its shape. Of what does not name one network, its extents or its chip, or was written by
/// another compiler, says why not. `statement` is what the row's source says of its extents elsewhere.
[[nodiscard]] std::variant<OperatorCase, WhyNot> operator_case(
    const SystemRow& row,
    const toolchain::Installation& installation,
    const std::optional<SourceStatement>& statement = std::nullopt);

}  // namespace ascendsim::validation
