// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

// Values of a recording's metadata, which may come from anyone: what does not fit is nothing.
namespace ascendsim::analysis {

/// The value of a key; null if there is none.
[[nodiscard]] const nlohmann::json& recorded_value(const nlohmann::json& object, const char* key);
/// The list of a key; an empty one if it is none.
[[nodiscard]] const nlohmann::json& recorded_list(const nlohmann::json& object, const char* key);
/// A text, cut after a few thousand letters; empty if it is none.
[[nodiscard]] std::string recorded_text(const nlohmann::json& object, const char* key);
/// A finite number, clamped to 1e18 on either side; 0 if it is none.
[[nodiscard]] double recorded_number(const nlohmann::json& value);
/// The same of a key, from 0 on.
[[nodiscard]] double recorded_figure(const nlohmann::json& object, const char* key);
[[nodiscard]] std::uint64_t recorded_count(const nlohmann::json& object, const char* key);

/// What a run's totals say of the host program that ran; null if none did.
[[nodiscard]] const nlohmann::json& recorded_program(const nlohmann::json& totals);
/// Its timeline: total_us, devices, calls, spans; null if there is none.
[[nodiscard]] const nlohmann::json& recorded_timeline(const nlohmann::json& totals);

}  // namespace ascendsim::analysis
