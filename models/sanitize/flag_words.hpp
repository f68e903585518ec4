// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/sanitize/clock.hpp"
#include "models/sanitize/range_map.hpp"

namespace ascendsim::sanitize {

/// What cores tell each other through words of global memory that kernels use as flags. A core tells a line
/// when a store into it leaves its data cache, or when a small copy writes it: whoever then finds the new
/// value knows that everything was complete that was complete for the writer.
class FlagWords {
public:
    /// What a core has told a line.
    struct Told {
        std::uint16_t core = 0;
        Clock clock;              // complete before it was told
        std::uint64_t issue = 0;  // of the latest copy that told it; 0: none did
    };

    explicit FlagWords(std::uint64_t line_bytes) : line_bytes_{line_bytes} {}

    [[nodiscard]] std::uint64_t line_of(std::uint64_t offset) const { return offset / line_bytes_; }

    /// A core tells the lines of [begin, end). Copies to more than the first lines are ignored: flags are
    /// few.
    void tell(std::uint64_t begin, std::uint64_t end, const Told& what) {
        for (std::uint64_t line = line_of(begin); line <= line_of(end - 1); ++line) {
            if (what.issue != 0 && told_.size() >= most_lines && !told_.contains(line)) {
                return;
            }
            auto& tellers = told_[line];
            const auto own = std::ranges::find(tellers, what.core, &Told::core);
            if (own == tellers.end()) {
                tellers.push_back(what);
            } else {
                own->clock.join(what.clock);
                own->issue = std::max(own->issue, what.issue);
            }
        }
    }

    /// Calls f(told) for what cores have told the lines of [begin, end).
    template <class F>
    void for_each(std::uint64_t begin, std::uint64_t end, F&& f) const {
        for (std::uint64_t line = line_of(begin); line <= line_of(end - 1); ++line) {
            const auto found = told_.find(line);
            if (found == told_.end()) {
                continue;
            }
            std::ranges::for_each(found->second, f);
        }
    }

    void clear() { told_.clear(); }

private:
    static constexpr std::size_t most_lines = 1U << 16U;

    std::uint64_t line_bytes_;
    std::unordered_map<std::uint64_t, std::vector<Told>> told_;
};

/// A line of global memory as a core's data cache may hold it.
struct CachedLine {
    std::uint64_t filled = 0;   // when it came in, in accesses of the run; 0: it has not
    std::uint64_t cleaned = 0;  // when it was last cleaned and invalidated by itself
    std::uint32_t polls = 0;    // how often that was done
    bool learned = false;       // a flag was found there
    bool unproven = false;      // found at the first look
};

/// Two accesses without order, of which one may be that of a flag, which is known only later.
struct Suspects {
    Touch later;
    Touch earlier;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A small copy into the unified buffer. If the scalar unit looks at it, it was the copy of a flag; if
/// another pipe uses it, of data.
struct Peek {
    Touch copy;
    std::uint64_t begin = 0;  // in the unified buffer
    std::uint64_t end = 0;
    std::vector<Suspects> suspects;
};

}  // namespace ascendsim::sanitize
