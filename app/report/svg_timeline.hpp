// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record/recording.hpp"

namespace ascendsim::report {

/// What a timeline picture shows.
struct SvgOptions {
    std::uint64_t from = 0;                // cycle
    std::uint64_t to = ~std::uint64_t{0};  // the scale reaches there even if the run does not
    std::uint32_t width = 1100;            // pixels, with the names
    std::uint32_t lane_height = 14;        // pixels
    std::size_t most_lanes = 72;           // cores are left out evenly beyond
    std::string title;
    std::optional<bool>
        dense{};  // shares of moments; false: spans one by one; by their number if nobody says
};

/// True if so many spans are shown that a picture draws shares of moments: for pictures that stand side by
/// side and have to have one style.
[[nodiscard]] bool is_dense(const record::Recording& recording, const SvgOptions& options);

/// A picture of lanes over time as an <svg> element. Few spans are drawn one by one, with their names; many
/// as the share of each moment that was busy, from below, and of each wait, in its colour, above it. Nothing
/// is rounded up to visibility: the picture's areas are the cycles.
[[nodiscard]] std::string svg_timeline(const record::Recording& recording, const SvgOptions& options = {});

/// The colours of the pictures of some recordings and the words for them, as an HTML list.
[[nodiscard]] std::string svg_legend(std::initializer_list<const record::Recording*> recordings);

/// The colour of a reason, as "#rrggbb"; none is the colour of work.
[[nodiscard]] std::string_view colour(record::Reason reason);

/// The lanes that a picture of at most `most` lanes shows: used ones, whole cores, evenly chosen.
[[nodiscard]] std::vector<std::uint32_t> shown_lanes(const record::Recording& recording, std::size_t most);

/// Text for HTML and SVG.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace ascendsim::report
