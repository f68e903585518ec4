// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/networks/network_report.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/run/run_tasks.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {

/// A network that claims are judged by.
struct FiguredNetwork {
    std::filesystem::path file;
    std::vector<std::string> extents;  // as --input takes them
    std::string fuse = "none";         // as --fuse takes it
    networks::Precision precision = networks::Precision::half;
    isa::DataType type = isa::DataType::half;  // of inputs that the file states as float16
};

/// Simulates the network for its times: its plan, and what each kernel takes. Throws UserError for a network
/// of which an operator cannot run.
[[nodiscard]] NetworkRun timed_network(const FiguredNetwork& network,
                                       const ChipSpec& chip,
                                       const toolchain::Installation& installation,
                                       const networks::TaskOptions& options);

/// Simulates the network for its times. Returns the `totals` of `ascendsim model --json` by their names, and
/// `peak_bytes` between operators. Throws UserError for a network of which an operator cannot run.
[[nodiscard]] std::map<std::string, double> network_figures(const FiguredNetwork& network,
                                                            const ChipSpec& chip,
                                                            const toolchain::Installation& installation,
                                                            const networks::TaskOptions& options);

}  // namespace ascendsim::report
