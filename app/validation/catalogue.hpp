// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scenario/l2_state.hpp"
#include "app/validation/row.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {

/// How much is known of what was measured: the kernel with its tiling, or a shape and a time alone.
enum class SourceClass : std::uint8_t { known_source, black_box };

inline constexpr std::array<std::string_view, 2> source_class_names{"known_source", "black_box"};

[[nodiscard]] constexpr std::string_view name(SourceClass which) {
    return source_class_names[static_cast<std::size_t>(which)];
}

/// What a rule of sources.toml says about the rows it fits.
struct SourceRule {
    Pattern source{""};
    std::optional<Pattern> kernel;
    std::optional<Pattern> notes;
    std::optional<Pattern> shape;
    std::optional<Pattern> chip;
    SourceClass which = SourceClass::black_box;
    runtime::L2State l2 = runtime::L2State::cold;
    bool code_held = false;    // the cores hold the kernel's code from an earlier run, whatever L2 holds
    double host_us = 0;        // of the host within the measured time, while the device waits
    double first_task_us = 0;  // added for each core: no core has run this kernel before
    bool own_process =
        false;  // each measurement is a profiled run of its own: its launch finds the device idle
    std::string why;

    /// Other kernels of the same network have run just before.
    [[nodiscard]] bool in_network() const {
        return l2 == runtime::L2State::used || l2 == runtime::L2State::chained;
    }

    [[nodiscard]] bool warm_l2() const { return l2 == runtime::L2State::warm; }
};

/// The chip a row was measured on.
struct ChipChoice {
    std::string chip;                 // a name of models/chips
    std::optional<double> clock_ghz;  // as the row states it
    std::string why;                  // what was read into it; empty if it is named
};

/// The values an operand takes: whole numbers from `least` to `most`, all alike.
struct ValueRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
};

/// The chip meant by what rows say of theirs, and the cores they had where fewer than it has.
struct ChipRule {
    Pattern pattern{""};
    std::optional<std::uint64_t> cores;
    std::string chip;
    std::string why;
};

/// What the operands of a source's rows held.
struct ValuesRule {
    Pattern source{""};
    Pattern notes{""};
    std::vector<ValueRange> operands;
};

/// The data that judge rows: sources.toml, chips.toml and values.toml of a folder. In each the first rule
/// that fits holds.
class Catalogue {
public:
    /// Reads all. Throws UserError with file and line.
    explicit Catalogue(const std::filesystem::path& folder);

    /// The rule of a row; rows that none fits are black boxes with a cold L2.
    [[nodiscard]] const SourceRule& source(const Row& row) const;
    /// The chip of a row; nothing if no rule fits.
    [[nodiscard]] std::optional<ChipChoice> chip(const Row& row) const;
    /// The values of a row's operands, in order, where its source has published them; else none.
    [[nodiscard]] std::vector<ValueRange> values(const Row& row) const;

private:
    std::vector<SourceRule> sources_;
    SourceRule unknown_;
    std::vector<ChipRule> chips_;
    std::vector<ValuesRule> values_;
};

}  // namespace ascendsim::validation
