// SPDX-License-Identifier: Apache-2.0
#include "app/benchmark/benchmark_report.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/scenario/overrides.hpp"
#include "app/scenario/result.hpp"
#include "sim/base/csv_cell.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::benchmark {
namespace {

using nlohmann::ordered_json;

ordered_json statistics_json(const Statistics& of) {
    return {{"count", of.count},
            {"outliers", of.outliers},
            {"mean", of.mean},
            {"std", of.std},
            {"min", of.min},
            {"p50", of.p50},
            {"p90", of.p90},
            {"p99", of.p99},
            {"max", of.max},
            {"p99_of_all", of.p99_of_all}};
}

ordered_json case_json(const Case& one) {
    ordered_json values = ordered_json::object();
    for (const auto& [path, value] : one.values) {
        values[path] = scenario::json_of_setting(value);
    }
    ordered_json json{{"label", one.label}, {"values", std::move(values)}, {"items", one.items}};
    if (one.iteration.count > 0) {
        json["iteration_us"] = statistics_json(one.iteration);
        json["device_us"] = statistics_json(one.device);
        json["items_per_s"] = one.items_per_s();
    }
    json["error"] = one.error.empty() ? ordered_json{} : ordered_json(one.error);
    return json;
}

/// What a baseline keeps of a case. Of the last one more is better.
constexpr std::array<std::string_view, 6> kept_figures{"iteration_us.mean",
                                                       "iteration_us.p50",
                                                       "iteration_us.p90",
                                                       "iteration_us.p99",
                                                       "device_us.p50",
                                                       "items_per_s"};

bool more_is_better(const std::string& path) {
    return path == "items_per_s";
}

std::string schedule_text(const BenchmarkPlan& plan) {
    return fmt::format("{} cycle{} of {} waited, {} warm-up, {} active",
                       plan.repeat,
                       plan.repeat == 1 ? "" : "s",
                       plan.wait,
                       plan.warm_up,
                       plan.active);
}

}  // namespace

ordered_json to_json(const Benchmark& benchmark,
                     const std::vector<Change>& changes,
                     const std::vector<LimitState>& broken) {
    const BenchmarkPlan& plan = benchmark.plan;
    ordered_json json{{"benchmark", benchmark.name},
                      {"title", benchmark.title},
                      {"machine", benchmark.machine},
                      {"schedule",
                       {{"wait", plan.wait},
                        {"warm_up", plan.warm_up},
                        {"active", plan.active},
                        {"repeat", plan.repeat},
                        {"synchronise", plan.synchronise},
                        {"fence", plan.fence}}},
                      {"jitter", text_of(plan.jitter)},
                      {"seed", plan.seed},
                      {"cases", ordered_json::array()},
                      {"changes", ordered_json::array()},
                      {"limits", ordered_json::array()},
                      {"notes", benchmark.notes}};
    for (const Case& one : benchmark.cases) {
        json["cases"].push_back(case_json(one));
    }
    for (const Change& change : changes) {
        json["changes"].push_back({{"label", change.label},
                                   {"path", change.path},
                                   {"before", change.before},
                                   {"now", change.now},
                                   {"relative", change.relative()},
                                   {"worse", change.worse}});
    }
    for (const LimitState& limit : broken) {
        json["limits"].push_back({{"label", limit.label}, {"error", limit.sentence}});
    }
    return json;
}

std::string benchmark_text(const Benchmark& benchmark,
                           const std::vector<Change>& changes,
                           const std::vector<LimitState>& broken,
                           const report::Style& style) {
    using report::Tone;
    const BenchmarkPlan& plan = benchmark.plan;
    std::string text =
        fmt::format("{}\n{}\n{}; {}\nHost jitter: {}; seed {}\n\n",
                    toned(style, Tone::strong, benchmark.title),
                    benchmark.machine,
                    schedule_text(plan),
                    benchmark.of_step  ? "an iteration is a step"
                    : plan.synchronise ? "the host waits for each iteration"
                                       : "the host waits for a cycle, iterations overlap with its calls",
                    text_of(plan.jitter),
                    plan.seed);
    text += toned(style,
                  Tone::dim,
                  fmt::format("  {:<36}{:>10}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}{:>13}\n",
                              "us an iteration",
                              "mean",
                              "std",
                              "P50",
                              "P90",
                              "P99",
                              "outliers",
                              "device",
                              "items/s"));
    for (const Case& one : benchmark.cases) {
        text += "  " + report::left(one.label, 36);
        if (one.iteration.count > 0) {
            const Statistics& of = one.iteration;
            text += fmt::format("{:>10.2f}{:>9.2f}{:>10.2f}{:>10.2f}{:>10.2f}{:>10}{:>10.2f}{:>13.6g}",
                                of.mean,
                                of.std,
                                of.p50,
                                of.p90,
                                of.p99,
                                of.outliers,
                                one.device.p50,
                                one.items_per_s());
        }
        text += one.error.empty() ? "\n" : "  " + toned(style, Tone::poor, one.error) + "\n";
    }
    for (const std::string& note : benchmark.notes) {
        text += "  " + note + "\n";
    }
    if (!changes.empty()) {
        const auto worse = std::ranges::count_if(changes, &Change::worse);
        text += fmt::format(
            "\nAgainst the baseline: {}\n",
            worse == 0 ? fmt::format("nothing is worse by more than {}", report::percent_text(plan.tolerance))
                       : fmt::format("{} of {} figures are worse", worse, changes.size()));
    }
    for (const Change& change : changes) {
        if (change.now != change.before) {
            constexpr double percent = 100;
            text += toned(style,
                          change.worse ? Tone::poor : Tone::plain,
                          fmt::format("  {}  {}: {:.6g}, was {:.6g} ({:+.2f} %)\n",
                                      change.label,
                                      change.path,
                                      change.now,
                                      change.before,
                                      percent * change.relative()));
        }
    }
    for (const LimitState& limit : broken) {
        text += toned(style, Tone::poor, fmt::format("  {}  {}\n", limit.label, limit.sentence));
    }
    return text;
}

std::string benchmark_csv(const Benchmark& benchmark) {
    std::string text =
        "case,items,count,outliers,mean_us,std_us,min_us,p50_us,p90_us,p99_us,max_us,p99_of_all_us,"
        "device_p50_us,items_per_s,error\n";
    for (const Case& one : benchmark.cases) {
        const Statistics& of = one.iteration;
        text += fmt::format("{},{:.10g},{},{}", csv_cell(one.label), one.items, of.count, of.outliers);
        const std::array figures{of.mean,
                                 of.std,
                                 of.min,
                                 of.p50,
                                 of.p90,
                                 of.p99,
                                 of.max,
                                 of.p99_of_all,
                                 one.device.p50,
                                 one.items_per_s()};
        for (const double figure : figures) {
            text += of.count > 0 ? fmt::format(",{:.10g}", figure) : ",";
        }
        text += "," + csv_cell(one.error) + "\n";
    }
    return text;
}

std::string samples_csv(const Benchmark& benchmark) {
    std::string text = "case,cycle,iteration,us,device_us,outlier\n";
    for (const Case& one : benchmark.cases) {
        std::vector<double> times;
        for (const Iteration& iteration : one.iterations) {
            times.push_back(iteration.us);
        }
        const Fences fences = fences_of(times, benchmark.plan.fence);
        for (const Iteration& iteration : one.iterations) {
            text += fmt::format("{},{},{},{:.10g},{:.10g},{}\n",
                                csv_cell(one.label),
                                iteration.cycle,
                                iteration.number,
                                iteration.us,
                                iteration.device_us,
                                fences.hold(iteration.us) ? 0 : 1);
        }
    }
    return text;
}

BenchmarkBaseline baseline_of(const Benchmark& benchmark) {
    BenchmarkBaseline baseline;
    for (const Case& one : benchmark.cases) {
        const ordered_json json = case_json(one);
        for (const std::string_view path : kept_figures) {
            if (const std::optional<double> value = scenario::value_at(json, path)) {
                baseline[one.label][std::string{path}] = *value;
            }
        }
    }
    return baseline;
}

std::optional<BenchmarkBaseline> read_benchmark_baseline(const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file)) {
        return std::nullopt;
    }
    const auto json = json_of<ordered_json>(process::read_text(file));
    if (!json.is_object() || !json.contains("cases") || !json["cases"].is_object()) {
        throw UserError{"{}: is no baseline of a benchmark; 'ascendsim bench --update' writes one",
                        file.string()};
    }
    BenchmarkBaseline baseline;
    for (const auto& [label, figures] : json["cases"].items()) {
        if (!figures.is_object()) {
            throw UserError{"{}: cases.{}: must be figures by their names", file.string(), label};
        }
        for (const auto& [path, value] : figures.items()) {
            if (!value.is_number()) {
                throw UserError{"{}: cases.{}.{}: must be a number", file.string(), label, path};
            }
            baseline[label][path] = value.get<double>();
        }
    }
    return baseline;
}

std::string text_of(const BenchmarkBaseline& baseline) {
    ordered_json cases = ordered_json::object();
    for (const auto& [label, figures] : baseline) {
        cases[label] = figures;
    }
    return ordered_json{{"cases", std::move(cases)}}.dump(2) + "\n";
}

std::vector<Change> changes_of(const BenchmarkBaseline& before, const Benchmark& now) {
    std::vector<Change> changes;
    const BenchmarkBaseline figures = baseline_of(now);
    for (const Case& one : now.cases) {
        const auto old = before.find(one.label);
        const auto fresh = figures.find(one.label);
        if (old == before.end() || fresh == figures.end()) {
            continue;
        }
        for (const auto& [path, value] : fresh->second) {
            const auto known = old->second.find(path);
            if (known == old->second.end()) {
                continue;
            }
            Change change{
                .label = one.label, .path = path, .before = known->second, .now = value, .worse = false};
            const double growth = more_is_better(path) ? -change.relative() : change.relative();
            change.worse = growth > now.plan.tolerance;
            changes.push_back(std::move(change));
        }
    }
    return changes;
}

std::vector<LimitState> broken_limits(const Benchmark& benchmark) {
    std::vector<LimitState> broken;
    for (const Case& one : benchmark.cases) {
        const ordered_json json = case_json(one);
        for (const CaseLimit& limit : benchmark.plan.limits) {
            const std::optional<double> value = scenario::value_at(json, limit.path);
            const std::string where = fmt::format("{} ({})", limit.path, limit.place);
            if (!value) {
                broken.push_back({one.label, where + ": there is no such figure"});
            } else if (limit.min && *value < *limit.min) {
                broken.push_back(
                    {one.label,
                     fmt::format("{}: {:.6g}, at least {:.6g} expected", where, *value, *limit.min)});
            } else if (limit.max && *value > *limit.max) {
                broken.push_back(
                    {one.label,
                     fmt::format("{}: {:.6g}, at most {:.6g} expected", where, *value, *limit.max)});
            }
        }
    }
    return broken;
}

}  // namespace ascendsim::benchmark
