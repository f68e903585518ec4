// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>

#include "app/analysis/comparison/compare.hpp"
#include "gui/document/run.hpp"

namespace ascendsim::gui {

/// The comparison of two runs, made by a worker whenever one of them has changed.
class CompareCache {
public:
    /// The newest comparison there is; null until the first is made. Starts another if the runs have changed,
    /// once a worker has added up what was read of them.
    [[nodiscard]] std::shared_ptr<const analysis::Comparison> get(const Run& a,
                                                                  const Run& b,
                                                                  double threshold);

    /// True while the comparison shown is older than the runs.
    [[nodiscard]] bool working() const { return job_.valid() || waits_; }

    /// Grows by one with every comparison.
    [[nodiscard]] int version() const { return version_; }

private:
    struct Key {
        std::shared_ptr<const RunData> a;
        std::shared_ptr<const RunData> b;
        double threshold = 0;

        friend bool operator==(const Key&, const Key&) = default;
    };

    void publish(analysis::Comparison comparison);

    Key made_;
    std::shared_ptr<const analysis::Comparison> shown_;
    std::future<analysis::Comparison> job_;  // of made_
    bool waits_ = false;                     // for what is added up of the runs
    int version_ = 0;
};

}  // namespace ascendsim::gui
