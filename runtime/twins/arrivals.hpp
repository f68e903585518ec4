// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "models/sanitize/checker.hpp"
#include "runtime/session/tensors.hpp"
#include "runtime/twins/twins.hpp"

namespace ascendsim::runtime {

/// Digests of what a kernel leaves in its outputs, by their names: {bytes, parts: [...]}, at most 4096 parts.
/// Bytes that it left as they were count as zeros.
[[nodiscard]] nlohmann::ordered_json result_digests(const host::Plan& plan,
                                                    const Tensors& tensors,
                                                    const sanitize::Checker& checker,
                                                    const isa::GlobalMemory& memory);

/// What a kernel leaves in its outputs, one behind the other in the plan's order. Bytes that it left as they
/// were are zeros.
[[nodiscard]] std::string result_bytes(const host::Plan& plan,
                                       const Tensors& tensors,
                                       const sanitize::Checker& checker,
                                       const isa::GlobalMemory& memory);

/// The first place where two runs' results differ, as in "output 'y' from byte 512 on"; nothing: nowhere. A
/// run without results differs from every other.
[[nodiscard]] std::optional<std::string> difference(const nlohmann::ordered_json& a,
                                                    const nlohmann::ordered_json& b);

/// Tells whether bytes that nobody wrote arrived in the results, and which of the reads that `checker`
/// suspects brought them: runs with other bytes there alone have other results. Each that did is a finding.
/// Where values decide, unwritten memory is a large number, a negative one and zero as well.
void find_arrivals(sanitize::Checker& checker, const nlohmann::ordered_json& results, Twins& twins);

}  // namespace ascendsim::runtime
