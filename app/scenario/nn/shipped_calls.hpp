// SPDX-License-Identifier: Apache-2.0
// aclnn functions whose work a kernel that comes with the simulator does exactly, for programs without a
// library that has one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scenario/nn/call_headers.hpp"
#include "models/spec/chip_spec.hpp"
#include "runtime/session/operator_source.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// The functions of a header ("aclnn_add.h"); empty if there are none.
[[nodiscard]] std::vector<CallSignature> shipped_signatures(const std::string& header);

/// The names of these functions, sorted.
[[nodiscard]] std::vector<std::string> shipped_calls();

/// The call by a kernel of kernels/ops; nothing for another function. Throws runtime::OperatorRefusal for
/// types, shapes or values that the kernel has not.
[[nodiscard]] std::optional<runtime::OperatorRun> shipped_run(const program::OperatorAsk& ask,
                                                              const ChipSpec& chip,
                                                              const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
