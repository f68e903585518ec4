// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "models/port/data_type.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::scenario {

/// An element type in the graph engine and in kernels.
struct TypeNames {
    isa::DataType type;
    std::int32_t number;
    const char* name;    // DT_…
    const char* kernel;  // in Ascend C
};

[[nodiscard]] const TypeNames& names_of(isa::DataType type);

/// By the graph engine's number; null for a type that the chip's kernels do not have.
[[nodiscard]] const TypeNames* names_of_number(std::int32_t number);

/// Loads the host code of an operator in a process of its own, in which the platform is `chip`, and returns
/// what `work` makes of it, given the library's handle. Throws UserError that begins with `place` if the code
/// refuses, ProgramError if it crashes or does not end.
[[nodiscard]] nlohmann::ordered_json asked_of_host(
    const std::filesystem::path& plugin,
    const ChipSpec& chip,
    const std::string& place,
    const std::function<nlohmann::ordered_json(void* library)>& work);

}  // namespace ascendsim::scenario
