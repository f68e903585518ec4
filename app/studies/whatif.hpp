// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/blame/critical_path.hpp"
#include "app/report/style.hpp"
#include "app/studies/batch.hpp"
#include "models/spec/chip_file.hpp"

namespace ascendsim::study {

/// A resource that may limit a run: the parameters that together make it faster, and the segments of a
/// critical path that depend on it.
struct Resource {
    std::string_view name;
    std::vector<std::string_view> rates;  // parameters: more is faster
    std::vector<std::string_view>
        costs;  // parameters: less is faster; "vector.*.head" is all with that ending
    std::vector<std::string_view> limit_only;  // rates raised for the limit alone
    std::vector<scenario::Override> freed;     // what else the limit takes
    bool twice = true;                         // twice as fast means something
    /// True for segments of the path it would shorten; none if the path cannot tell.
    std::function<bool(const analysis::PathSegment&, const record::Recording&)> on_path;
};

/// All resources, in the order of a table.
[[nodiscard]] const std::vector<Resource>& resources();

/// The overrides that make the machine of a scenario twice as fast in one resource, or as fast as parameters
/// go; empty if that changes nothing. `chip` is the scenario's.
[[nodiscard]] std::vector<scenario::Override> made_faster(const Resource& resource,
                                                          const ChipFile& chip,
                                                          bool limit);

/// Cycles of a critical path that go to each resource, in the order of resources(); null where it cannot
/// tell.
[[nodiscard]] nlohmann::ordered_json path_shares(const analysis::CriticalPath& path,
                                                 const record::Recording& recording);

/// One re-run.
struct Trial {
    std::vector<scenario::Override> overrides;
    double time_us = 0;
    double gain = 0;                 // share of the run's time
    std::optional<double> estimate;  // the critical path's, of the same
    std::string error;

    /// What the re-run gained beyond the path's estimate.
    [[nodiscard]] std::optional<double> difference() const {
        return estimate && error.empty() ? std::optional{gain - *estimate} : std::nullopt;
    }
};

/// The gain from a faster resource.
struct Worth {
    std::string resource;
    std::optional<Trial> twice;
    std::optional<Trial> limit;  // as fast as can be, or freed of its effect

    [[nodiscard]] double most() const;
};

/// One run and its gain from each faster resource, the largest first.
struct WhatIf {
    std::string label;
    double time_us = 0;
    std::vector<std::string> faults;  // what is wrong with the run's result, a sentence each
    std::vector<Worth> worths;
    bool stopped = false;  // some re-runs were not made, because `stopped` of the options came
};

/// Runs a scenario's run once as it is and again with every resource as fast as can be; where that gains
/// anything, with the resource twice as fast too. Throws UserError if the run itself fails or is stopped.
[[nodiscard]] WhatIf what_if(const BatchRun& run,
                             const toolchain::Installation& installation,
                             const BatchOptions& options);

/// A tornado chart with its figures.
[[nodiscard]] std::string whatif_text(const WhatIf& result, const report::Style& style);
[[nodiscard]] nlohmann::ordered_json to_json(const WhatIf& result);

}  // namespace ascendsim::study
