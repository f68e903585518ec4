// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "networks/fusion/decision.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {

/// What one way to compute something spends its time on, over all its kernels.
struct WaySpent {
    double time_us = 0;
    std::size_t launches = 0;
    /// The critical paths by what they consist of, as in "computing on vec"; the sum is the time.
    std::map<std::string, double> path;
    /// The largest instruction of each of these, as in "Exp at kernel.cpp:12".
    std::map<std::string, std::string> largest;
    std::string longest_wait;  // of the busiest pipe, with its time and cause; empty if there is none
};

/// One or two sentences that say where the joined way loses, and what it saves: differences on the critical
/// path, which add up to the difference of the times.
[[nodiscard]] std::string slower_text(const WaySpent& apart, const WaySpent& fused);

/// Explains the decisions against what was slower: runs both ways with a recording, each kernel in a process
/// of its own and cached by content, and appends the explanation to the text. At most `most` of them, those
/// that lose most.
void explain_slower(std::vector<networks::Decision>& decisions,
                    const ChipSpec& chip,
                    const toolchain::Installation& installation,
                    std::size_t jobs,
                    std::size_t most = 5);

}  // namespace ascendsim::report
