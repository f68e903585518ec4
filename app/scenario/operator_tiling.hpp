// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "runtime/acl/tiling_request.hpp"
#include "sim/config/table_reader.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

struct UserKernel;

/// What an argument `role = "tiling"` says that takes its content from the operator's own host side:
///
///     host = "../op_host/softmax.cpp"
///     attributes = { dim = -1 }      # those that differ from the operator's defaults
struct TilingQuestion {
    std::string argument;
    std::filesystem::path host;
    std::string place;  // of `host`, for messages
    std::vector<std::pair<std::string, tiling::AttributeValue>> attributes;
};

/// An attribute of an operator as a scenario states it.
[[nodiscard]] tiling::AttributeValue attribute_value(const Node& node);

/// Reads `attributes` of an argument whose `host` is given.
[[nodiscard]] TilingQuestion read_tiling_question(TableReader& table,
                                                  const Node& host,
                                                  const std::string& argument);

/// Runs the operator's tiling function with the shapes and types of the kernel's arguments on a chip, in a
/// process of its own, and completes the kernel with what it answers: content of the tiling, blocks of
/// launches that name none, size of the workspace, tiling key, and the type macros DTYPE_<NAME>. Throws
/// UserError where the function does not compile, crashes or refuses.
void complete_tiling(UserKernel& kernel,
                     const TilingQuestion& question,
                     const ChipSpec& chip,
                     const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
