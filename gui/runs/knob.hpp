// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ascendsim::gui {

enum class KnobKind : std::uint8_t { flag, integer, real, word, list };

/// A parameter that can be turned before a run, as the simulator declares it.
struct Knob {
    std::string path;   ///< as `--set` takes it: "kernel.buffers", "chip.hbm.gb_per_s"
    std::string group;  ///< "kernel", "chip hbm"
    std::string label;  ///< what is left of the path: "buffers", "gb_per_s"
    KnobKind kind = KnobKind::word;
    std::string base;  ///< the scenario's value, or the default
    std::string unit;
    std::string meaning;
    std::string tag;     ///< confidence of a chip's value: "V", "M", "I" …
    std::string source;  ///< where a chip's value is from
    std::vector<std::string> allowed;
    std::optional<double> min;
    std::optional<double> max;
};

/// The knobs of `ascendsim describe kernel K --json -`.
[[nodiscard]] std::vector<Knob> kernel_knobs(const nlohmann::json& description);
/// The knobs of `ascendsim describe chip C --json -`.
[[nodiscard]] std::vector<Knob> chip_knobs(const nlohmann::json& description);

/// What is wrong with a value for a knob, as a sentence; nothing if it is good.
[[nodiscard]] std::optional<std::string> problem_with(const Knob& knob, const std::string& text);

/// "1 to 2 buffers", "vector | scalar".
[[nodiscard]] std::string range_text(const Knob& knob);

/// A JSON value as `--set` takes it.
[[nodiscard]] std::string setting_text(const nlohmann::json& value);

}  // namespace ascendsim::gui
