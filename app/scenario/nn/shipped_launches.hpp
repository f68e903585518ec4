// SPDX-License-Identifier: Apache-2.0
// Operators of the vendor's package that code of libraries launches beside their own, by kernels that come
// with the simulator.
#pragma once

#include <optional>

#include "models/spec/chip_spec.hpp"
#include "runtime/session/operator_source.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// A recorded launch by a kernel of kernels/ops; nothing for another operator. Throws
/// runtime::OperatorRefusal for types and shapes that the kernel has not.
[[nodiscard]] std::optional<runtime::OperatorRun> shipped_launch(const program::OperatorAsk& ask,
                                                                 const ChipSpec& chip,
                                                                 const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
