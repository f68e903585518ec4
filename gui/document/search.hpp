// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// Which instructions a text of the find field means: those whose name or source place holds it, whatever the
/// case.
class SpanFilter {
public:
    SpanFilter(const record::Recording& recording, std::string_view text);

    [[nodiscard]] bool any() const { return any_; }

    [[nodiscard]] bool matches(const record::Lane& lane, std::size_t i) const {
        return lane.reason[i] == record::Reason::none && (ops_[lane.op[i]] || sites_[lane.site[i]]);
    }

private:
    std::vector<bool> ops_;
    std::vector<bool> sites_;
    bool any_ = false;
};

/// The next match in time after (or before) a selection, on any lane; without one, the first or last.
[[nodiscard]] std::optional<Pick> next_match(const Run& run,
                                             std::string_view text,
                                             const std::optional<Pick>& from,
                                             bool forward);

}  // namespace ascendsim::gui
