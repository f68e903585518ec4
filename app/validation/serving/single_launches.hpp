// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/validation/system/system_row.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {

/// What sources.toml calls lists of such kernels.
inline constexpr const char* single_launches = "kernel_details, launched one by one";

/// True of kernels that the host launches one by one: in eager mode, and those of prompts in any (vllm-ascend
/// captures graphs of decoding steps alone).
[[nodiscard]] bool launched_one_by_one(const SystemRow& row);

/// What sources.toml adds to the start of each core of such a kernel, in us.
[[nodiscard]] double first_task_us(const toolchain::Installation& installation);

}  // namespace ascendsim::validation
