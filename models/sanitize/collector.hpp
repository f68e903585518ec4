// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/sanitize/finding.hpp"
#include "models/sanitize/range_map.hpp"

namespace ascendsim::sanitize {

/// Keeps one finding for each kind and pair of source places, and counts the rest.
class Collector {
public:
    /// The finding of this kind at these places if there is one already, counted once more; else null.
    Finding* again(Kind kind, const Touch& later, const Touch* earlier);
    /// Adds the first finding of its kind at these places.
    Finding& add(Finding finding, const Touch& later, const Touch* earlier);

    /// Adds a finding without operations.
    void add(Finding finding) { findings_.push_back(std::move(finding)); }

    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

    /// The finding with this place among findings().
    [[nodiscard]] Finding& at(std::size_t place) { return findings_[place]; }

private:
    using Place = std::tuple<std::string_view, std::string_view, std::uint32_t, std::uint8_t>;
    using Key = std::tuple<Kind, Place, Place>;

    [[nodiscard]] static Key key(Kind kind, const Touch& later, const Touch* earlier);

    std::map<Key, std::size_t> known_;
    std::vector<Finding> findings_;
};

}  // namespace ascendsim::sanitize
