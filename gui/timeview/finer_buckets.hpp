// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <vector>

#include "sim/record/pyramid.hpp"

namespace ascendsim::gui {

/// Has a worker make buckets that a zoom wants and no pyramid keeps. A frame that crosses a level would have
/// to read all visible spans of all lanes; it has coarser buckets instead, and the next ones finer.
class FinerBuckets {
public:
    /// Forgets what the last frame lacked; with `at_once`, this one makes what it wants itself.
    void begin_frame(bool at_once);

    /// Whether buckets [first, last) of a level may be read now; if not, they are noted.
    [[nodiscard]] bool has(const record::Pyramid& pyramid,
                           std::size_t level,
                           std::size_t first,
                           std::size_t last);

    /// Has what this frame lacked made, after what is under way. `owners` keep its pyramids. Returns whether
    /// anything is to come, so that another frame is wanted.
    bool end_frame(std::vector<std::shared_ptr<const void>> owners);

private:
    struct Wish {
        const record::Pyramid* pyramid = nullptr;
        std::size_t level = 0;
        std::size_t first = 0;
        std::size_t last = 0;
    };

    bool at_once_ = true;
    std::vector<Wish> wishes_;
    std::future<void> work_;
};

}  // namespace ascendsim::gui
