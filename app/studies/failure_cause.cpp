// SPDX-License-Identifier: Apache-2.0
#include "app/studies/failure_cause.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/file_name.hpp"
#include "app/report/style.hpp"
#include "app/studies/fault_place.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::ordered_json;

/// What ended a run that broke off: whatever it did until then did not.
FailureCause of_fault(const CheckedRun& run) {
    Fault fault = fault_of(run.lines.front().text);
    return {.text = std::move(fault.text), .file = std::move(fault.file), .line = fault.line};
}

/// True if a figure is beyond its limit, which the time of lines explains; that of wrong numbers, or of a
/// missing error, explains nothing.
bool has_figure_beyond_limit(const CheckedRun& run) {
    return std::ranges::any_of(run.lines, [](const CheckLine& line) {
        constexpr std::array<std::string_view, 5> others{
            "runs", "expect error", "expect races", "expect hazards", "expect numerics."};
        return !line.passed && std::ranges::none_of(others, [&](std::string_view other) {
            return other.ends_with('.') ? line.name.starts_with(other) : line.name == other;
        });
    });
}

/// The place of the first hazard that is an error.
FailureCause of_hazard(const ordered_json& run) {
    const ordered_json hazards =
        run.is_object() ? run.value("hazards", ordered_json::array()) : ordered_json{};
    for (const ordered_json& hazard : hazards) {
        if (!hazard.is_object() || hazard.value("severity", std::string{"error"}) != "error" ||
            !hazard.contains("later") || !hazard["later"].is_object()) {
            continue;
        }
        const ordered_json& later = hazard["later"];
        const std::string file = later.value("file", std::string{});
        const std::uint32_t line = later.value("line", 0U);
        if (!file.empty() && line != 0) {
            return {.text = fmt::format("{} at {}:{}",
                                        hazard.value("kind", std::string{"hazard"}),
                                        analysis::file_name(file),
                                        line),
                    .file = file,
                    .line = line};
        }
    }
    return {};
}

/// The whole path of a file of `now` that is known by its last part.
std::string path_of(const record::Recording& now, const std::string& name) {
    for (const record::SourceLine& line : now.sites()) {
        if (analysis::file_name(line.file) == name) {
            return line.file;
        }
    }
    return name;
}

/// The line whose cycles grew most.
FailureCause of_growth(const record::Recording& before, const record::Recording& now) {
    const analysis::Comparison comparison = analysis::compare(before, now);
    const analysis::LineChange* most = nullptr;
    const auto grown = [](const analysis::LineChange& one) {
        return one.busy.difference() + one.wait.difference();
    };
    for (const analysis::LineChange& one : comparison.lines) {
        most = grown(one) > 0 && (most == nullptr || grown(one) > grown(*most)) ? &one : most;
    }
    if (most == nullptr) {
        return {};
    }
    std::string place = most->source_in_b.empty() ? most->source : most->source_in_b;
    place = place.substr(0, place.find(' '));  // without " (B)"
    const std::size_t colon = place.rfind(':');
    FailureCause cause;
    cause.text = fmt::format("{:+.0f} cycles (busy {:+.0f}, waiting {:+.0f}, of all cores) in {} on {} at {}",
                             grown(*most),
                             most->busy.difference(),
                             most->wait.difference(),
                             most->instruction,
                             most->pipe,
                             place);
    if (colon != std::string::npos) {
        std::from_chars(place.data() + colon + 1, place.data() + place.size(), cause.line);
        cause.file = path_of(now, place.substr(0, colon));
    }
    return cause;
}

/// Where most of the time goes.
FailureCause of_path(const record::Recording& now) {
    const analysis::Explanation all = analysis::explain(now, analysis::Explained::without_blame);
    for (const analysis::Root& root : all.path.roots) {
        const record::SourceLine& line = now.kernel_line(root.site);
        if (root.pipe.empty() || line.file.empty() || line.line == 0) {
            continue;
        }
        const double share = static_cast<double>(root.cycles) /
                             static_cast<double>(std::max<std::uint64_t>(1, all.path.cycles()));
        return {.text = fmt::format("{} of the critical path is {} of {} on {} at {}",
                                    report::percent_text(share),
                                    label(root.kind),
                                    now.name(root.op),
                                    root.pipe,
                                    analysis::place_text(now, root.site)),
                .file = line.file,
                .line = line.line};
    }
    return {};
}

}  // namespace

FailureCause cause_of_failure(const CheckedRun& run,
                              const record::Recording* before,
                              const record::Recording* now) {
    if (run.broke_off()) {
        return of_fault(run);
    }
    FailureCause cause = of_hazard(run.json);
    if (!cause.text.empty() || now == nullptr || !now->complete() || !has_figure_beyond_limit(run)) {
        return cause;
    }
    if (before != nullptr) {
        cause = of_growth(*before, *now);
    }
    return cause.text.empty() ? of_path(*now) : cause;
}

}  // namespace ascendsim::study
