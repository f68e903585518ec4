// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// Which source line of one run is which of another, after the source was edited or copied.
///
/// Recordings of kernels of one's own hold their sources' texts (metadata `sources`). Lines of equal content
/// in the same order are the same line; where as many lines lie between two such in either source, they are
/// paired in order, as a line that was edited. Files without a text in both recordings are matched by number.
class LineMatch {
public:
    LineMatch(const record::Recording& a, const record::Recording& b);

    /// The place in `a` that a place of `b` was, by file name without folders; none for a line that is new in
    /// `b`.
    [[nodiscard]] std::optional<record::SourceLine> in_a(const record::SourceLine& place_in_b) const;

private:
    struct File {
        std::string name_in_a;
        std::vector<std::uint32_t> lines;  // of a, by line of b; 0: none
    };

    std::map<std::string, File> files_;  // by name in b
};

/// For each line of `b` (from 0) the line of `a` that it was, or a.size().
[[nodiscard]] std::vector<std::size_t> matched_lines(const std::vector<std::string>& a,
                                                     const std::vector<std::string>& b);

}  // namespace ascendsim::analysis
