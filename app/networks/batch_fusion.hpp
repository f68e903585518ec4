// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/style.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/fusion/decision.hpp"

namespace ascendsim::report {

/// What was decided at one batch.
struct BatchDecisions {
    std::uint64_t batch = 1;
    std::vector<networks::Decision> decisions;
    std::vector<networks::NotJoined> not_joined;
};

/// `buckets`: batches that follow each other and join the same operators share a plan [{batches, joined}];
/// `changes` where one ends [{from, to, what, joined, count, code, text}]; `kernels` [{entry, batches}]: each
/// generated source with the batches that it serves, by its tiling alone.
[[nodiscard]] nlohmann::ordered_json batch_fusion_json(const std::vector<BatchDecisions>& batches,
                                                       const ChipSpec& chip);

/// Prints what batch_fusion_json() holds.
void print_batch_fusion(std::ostream& out, const nlohmann::ordered_json& fusion, const Style& style);

}  // namespace ascendsim::report
