// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/validation/serving/nightly_runs.hpp"
#include "networks/llm/model_config.hpp"

namespace ascendsim::validation {

/// What serves a model.
enum class Framework : std::uint8_t { vllm, sglang, script };

/// A layout of `ascendsim serve`, [layout] or [prompts], with how tokens go to their experts, which depends
/// on what serves them, on the chip, and on the model's experts (nothing if it has none).
[[nodiscard]] std::string layout_table(const char* name,
                                       const ServerCommand& command,
                                       Framework framework,
                                       const std::string& chip,
                                       const std::optional<networks::llm::Experts>& experts);

}  // namespace ascendsim::validation
