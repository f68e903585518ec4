// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/analysis/comparison/compare.hpp"
#include "gui/document/alignment.hpp"
#include "gui/document/latest.hpp"

namespace ascendsim::gui {

/// Run B beside run A on the timeline: where it lies, what is the same in both, and where their schedules
/// part. Everything is looked up once and kept until a run or the choice changes.
class TimelinePair {
public:
    /// Call once a frame; `b` is null unless B is shown.
    void follow(const Run& a, const Run* b, const ViewState& view);

    [[nodiscard]] const Run* other() const { return b_.get(); }

    [[nodiscard]] const Mapping& mapping() const { return mapping_; }

    /// What the selection of A is in B.
    [[nodiscard]] const std::optional<Pick>& selected_in_b() const { return match_; }

    /// Where the schedules part; cycle_a and cycle_b are those of B and A as the analysis, which calls the
    /// run before "a", has them.
    [[nodiscard]] const std::optional<analysis::Divergence>& divergence() const { return divergence_; }

    /// Cycles of the divergence, in A and in B, from the beginning of the recordings.
    [[nodiscard]] double divergence_in_a() const { return divergence_a_; }

    [[nodiscard]] double divergence_in_b() const { return divergence_b_; }

private:
    struct Choice {
        const void* a = nullptr;
        const void* b = nullptr;
        Alignment alignment = Alignment::time;
        std::uint64_t aligned_at = 0;
        std::uint64_t selected = 0;
        bool gap = false;

        friend bool operator==(const Choice&, const Choice&) = default;
    };

    void find_divergence(const Run& a);

    std::shared_ptr<const Run> b_;
    Choice seen_;
    Mapping mapping_;
    std::optional<Pick> match_;
    Latest<std::pair<const void*, const void*>, std::optional<analysis::Divergence>> search_;
    std::optional<analysis::Divergence> divergence_;
    double divergence_a_ = 0;
    double divergence_b_ = 0;
};

}  // namespace ascendsim::gui
