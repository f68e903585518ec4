// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/compare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/analysis/comparison/line_match.hpp"
#include "app/analysis/faults.hpp"
#include "app/analysis/file_name.hpp"
#include "app/analysis/instruction_words.hpp"
#include "app/analysis/network_figures.hpp"
#include "models/port/pipe.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::analysis {

namespace {

// "1,234,567"; reports are not for this folder to know.
std::string grouped(std::uint64_t count) {
    const std::string digits = std::to_string(count);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        text += i > 0 && (digits.size() - i) % 3 == 0 ? "," : "";
        text += digits[i];
    }
    return text;
}

using record::Recording;

class Comparer {
public:
    Comparer(
        const Recording& a, const Recording& b, RunSummary summary_a, RunSummary summary_b, double threshold)
        : a_{a}, b_{b} {
        result_.a = std::move(summary_a);
        result_.b = std::move(summary_b);
        result_.threshold = threshold;
    }

    Comparison compare() {
        const RunSummary& a = result_.a;
        const RunSummary& b = result_.b;
        result_.time = change("time_us", a.time_us, b.time_us);
        result_.figures = {
            of_whole("efficiency", a.bounds.efficiency(a.time_us), b.bounds.efficiency(b.time_us)),
            of_whole("speed_of_light_us", a.bounds.speed_of_light_us(), b.bounds.speed_of_light_us()),
            of_whole("tflops", a.tflops(), b.tflops()),
            change("bubbles.fraction", a.bubble_fraction(), b.bubble_fraction()),
            change("memory.achieved_gbps", a.achieved_gbps(), b.achieved_gbps()),
            change("memory.l2_hit_rate", a.traffic.l2_hit_rate(), b.traffic.l2_hit_rate()),
            of_whole(
                "launch_cycles", static_cast<double>(a.launch_cycles), static_cast<double>(b.launch_cycles))};
        pipes();
        traffic();
        lines();
        result_.parameters = changed_parameters(a_.metadata(), b_.metadata());
        result_.divergence = first_divergence(a_, b_);
        result_.wrong_a = fault_of(a);
        result_.wrong_b = fault_of(b);
        result_.verdict = verdict();
        return std::move(result_);
    }

private:
    [[nodiscard]] Change change(std::string name, double a, double b) const {
        const double larger = std::max(std::abs(a), std::abs(b));
        return {std::move(name), a, b, larger > 0 && std::abs(b - a) > result_.threshold * larger};
    }

    // What only a whole run tells: the end of a recording holds its work and its launches.
    [[nodiscard]] Change of_whole(std::string name, double a, double b) const {
        Change result = change(std::move(name), a, b);
        result.known_a = result_.a.complete;
        result.known_b = result_.b.complete;
        result.significant = result.significant && result.known();
        return result;
    }

    // A change of cycles matters by its share of the run, not of itself.
    [[nodiscard]] Change share_of_run(std::string name, double a, double b) const {
        const auto run = static_cast<double>(std::max(result_.a.cycles, result_.b.cycles));
        return {std::move(name), a, b, std::abs(b - a) > result_.threshold * run};
    }

    // Cycles of one core and one execution.
    static double each(const RunSummary& run, std::string_view pipe, std::size_t reason) {
        const PipeUse* const use = run.find(pipe);
        return use == nullptr ? 0
                              : static_cast<double>(use->cycles.cycles[reason]) / use->lanes /
                                    static_cast<double>(run.executions);
    }

    // Names of the pipes of both runs, in the order of pipe_names.
    [[nodiscard]] std::vector<std::string> units() const {
        std::vector<std::string> names;
        for (const std::string_view pipe : pipe_names) {
            for (const RunSummary* run : {&result_.a, &result_.b}) {
                for (const PipeUse& use : run->pipes) {
                    if (use.pipe == pipe && std::ranges::find(names, use.name) == names.end()) {
                        names.push_back(use.name);
                    }
                }
            }
        }
        return names;
    }

    void pipes() {
        for (const std::string& pipe : units()) {
            result_.busy.push_back(share_of_run(pipe, each(result_.a, pipe, 0), each(result_.b, pipe, 0)));
            for (std::size_t reason = 1; reason < record::reason_count; ++reason) {
                const Change wait = share_of_run(fmt::format("{} {}", pipe, record::reason_names[reason]),
                                                 each(result_.a, pipe, reason),
                                                 each(result_.b, pipe, reason));
                if (wait.a != 0 || wait.b != 0) {
                    result_.waits.push_back(wait);
                }
            }
        }
        largest_first(result_.waits);
    }

    static void largest_first(std::vector<Change>& changes) {
        std::ranges::stable_sort(
            changes, std::ranges::greater{}, [](const Change& c) { return std::abs(c.difference()); });
    }

    void traffic() {
        std::map<std::string_view, std::pair<double, double>> routes;
        const auto per_run = [](std::uint64_t bytes, const RunSummary& run) {
            return static_cast<double>(bytes) / static_cast<double>(run.executions);
        };
        for (const RouteTraffic& route : result_.a.traffic.routes) {
            routes[route.name].first = per_run(route.bytes, result_.a);
        }
        for (const RouteTraffic& route : result_.b.traffic.routes) {
            routes[route.name].second = per_run(route.bytes, result_.b);
        }
        for (const std::string_view name : route_names) {
            if (const auto found = routes.find(name); found != routes.end()) {
                result_.traffic.push_back(
                    change(std::string{name}, found->second.first, found->second.second));
            }
        }
        const Traffic& a = result_.a.traffic;
        const Traffic& b = result_.b.traffic;
        result_.traffic.push_back(
            change("hbm_read", per_run(a.hbm_read_bytes, result_.a), per_run(b.hbm_read_bytes, result_.b)));
        result_.traffic.push_back(change(
            "hbm_write", per_run(a.hbm_write_bytes, result_.a), per_run(b.hbm_write_bytes, result_.b)));
    }

    void lines() {
        std::map<std::string, LineChange> all;
        add_lines(all, a_, result_.a, &Change::a, place_of);
        const LineMatch match{a_, b_};
        add_lines(all, b_, result_.b, &Change::b, [&match](const record::SourceLine& place) {
            const std::optional<record::SourceLine> before = match.in_a(place);
            return before ? place_of(*before) : place_of(place) + " (B)";
        });
        for (const LineCost& cost : result_.b.lines) {
            const record::SourceLine& place = b_.site(cost.site);
            const std::optional<record::SourceLine> before = match.in_a(place);
            if (before && place_of(*before) != place_of(place)) {
                all.at(place_of(*before)).source_in_b = place_of(place);
            }
        }
        const auto run = static_cast<double>(std::max(result_.a.cycles, result_.b.cycles)) *
                         std::max<double>(1, std::max(result_.a.cores_used, result_.b.cores_used));
        for (auto& [source, line] : all) {
            line.busy.significant = std::abs(line.busy.difference()) > result_.threshold * run;
            line.wait.significant = std::abs(line.wait.difference()) > result_.threshold * run;
            result_.lines.push_back(line);
        }
        std::ranges::stable_sort(result_.lines, std::ranges::greater{}, [](const LineChange& line) {
            return std::max(std::abs(line.busy.difference()), std::abs(line.wait.difference()));
        });
    }

    static std::string place_of(const record::SourceLine& place) {
        return place.line == 0 ? file_name(place.file)
                               : fmt::format("{}:{}", file_name(place.file), place.line);
    }

    static void add_lines(std::map<std::string, LineChange>& all,
                          const Recording& recording,
                          const RunSummary& run,
                          double Change::*side,
                          const std::function<std::string(const record::SourceLine&)>& name_of) {
        for (const LineCost& cost : run.lines) {
            const std::string source = name_of(recording.site(cost.site));
            LineChange& line = all[source];
            line.source = source;
            line.pipe = line.pipe.empty() ? cost.pipe : line.pipe;
            line.instruction = line.instruction.empty()
                                   ? std::string{spoken_instruction(recording.name(cost.op))}
                                   : line.instruction;
            line.busy.*side += static_cast<double>(cost.busy_cycles) / static_cast<double>(run.executions);
            line.wait.*side += static_cast<double>(cost.wait_cycles) / static_cast<double>(run.executions);
        }
    }

    // What is wrong with a run as part of a sentence: its first fault, of several lines the first.
    static std::string fault_of(const RunSummary& run) {
        const std::vector<std::string> faults = faults_of(run);
        if (faults.empty() && !run.complete) {
            return "its recording ends before the run does";
        }
        return faults.empty() ? std::string{} : faults.front().substr(0, faults.front().find('\n'));
    }

    [[nodiscard]] std::string verdict() const {
        const std::string& a = result_.wrong_a;
        const std::string& b = result_.wrong_b;
        if (!a.empty() || !b.empty()) {
            return fmt::format("No comparison of speed, because of what is wrong with {}{}{}",
                               a.empty()   ? "B"
                               : b.empty() ? "A"
                                           : "both",
                               a.empty() ? "" : fmt::format(". A: {}", a),
                               b.empty() ? "" : fmt::format(". B: {}", b));
        }
        if (is_network(a_) != is_network(b_)) {
            return fmt::format("No comparison of speed: {} is a network and {} is not",
                               is_network(a_) ? "A" : "B",
                               is_network(a_) ? "B" : "A");
        }
        const Change& time = result_.time;
        if (time.a == time.b) {
            return result_.divergence ? "Both take the same time, by different schedules"
                                      : "Both are the same, cycle by cycle";
        }
        const bool faster = time.b < time.a;
        std::string text = fmt::format(
            "B is {:.2f} % {} than A", std::abs(time.relative()) * 100, faster ? "faster" : "slower");
        if (!time.significant) {
            return text + fmt::format(", less than the threshold of {:.2f} %", result_.threshold * 100);
        }
        if (is_network(a_)) {
            return text + kind_that_changed(faster);
        }
        if (const Change* const best = main_change(faster)) {
            const bool busy = best->name.find(' ') == std::string::npos;
            const std::uint64_t whole = result_.a.cycles > result_.b.cycles
                                            ? result_.a.cycles - result_.b.cycles
                                            : result_.b.cycles - result_.a.cycles;
            const std::string cycles =
                grouped(static_cast<std::uint64_t>(std::llround(std::abs(best->difference()))));
            text += fmt::format(", by {} cycles: ", grouped(whole));
            text +=
                busy
                    ? fmt::format("{} is busy {} cycles {}", best->name, cycles, faster ? "less" : "longer")
                    : fmt::format("{}, {} cycles {}", in_words(best->name), cycles, faster ? "less" : "more");
        }
        return text;
    }

    // Of two networks: the kind of operators whose time changed most, ": MatMul takes 12.3 us less".
    [[nodiscard]] std::string kind_that_changed(bool faster) const {
        std::map<std::string, double> gains;  // us
        for (const auto& [recording, sign] : {std::pair{&a_, 1.0}, {&b_, -1.0}}) {
            const NetworkFigures figures = network_from_json(recording->metadata()["network"]);
            for (const NetworkKind& kind : figures.kinds) {
                gains[kind.kind] += (faster ? sign : -sign) * kind.time_us;
            }
        }
        const auto most = std::ranges::max_element(gains, {}, [](const auto& gain) { return gain.second; });
        return most == gains.end()
                   ? std::string{}
                   : fmt::format(
                         ": {} takes {:.2f} us {}", most->first, most->second, faster ? "less" : "more");
    }

    // What explains most of the change: how long a main pipe is busy, or one of its waits. Null: nothing
    // does.
    [[nodiscard]] const Change* main_change(bool faster) const {
        const Change* best = nullptr;
        for (const std::string& pipe : {result_.a.main_pipe, result_.b.main_pipe}) {
            for (const Change& change : result_.busy) {
                best = change.name == pipe ? better(best, change, faster) : best;
            }
            for (const Change& change : result_.waits) {
                best = change.name.starts_with(pipe + " ") ? better(best, change, faster) : best;
            }
        }
        return best;
    }

    // The one that explains more of the change.
    static const Change* better(const Change* best, const Change& candidate, bool faster) {
        const double gain = faster ? -candidate.difference() : candidate.difference();
        const double known = best == nullptr ? 0 : std::abs(best->difference());
        return gain > known ? &candidate : best;
    }

    const Recording& a_;
    const Recording& b_;
    Comparison result_;
};

void flatten(const nlohmann::json& values, const std::string& path, std::map<std::string, std::string>& to) {
    if (!values.is_object()) {
        to[path] = values.is_string() ? values.get<std::string>() : values.dump();
        return;
    }
    for (const auto& [key, value] : values.items()) {
        flatten(value, path.empty() ? key : fmt::format("{}.{}", path, key), to);
    }
}

/// "swiglu_silu x48, swiglu_mul x48": what was launched, on how many blocks.
std::string launches_text(const nlohmann::json& metadata) {
    std::string text;
    if (metadata.is_object() && metadata.contains("launches")) {
        for (const nlohmann::json& launch : metadata["launches"]) {
            text += fmt::format("{}{} x{}",
                                text.empty() ? "" : ", ",
                                launch.value("label", launch.value("entry", std::string{})),
                                launch.value("blocks", 0));
        }
    }
    return text;
}

}  // namespace

std::vector<ParameterChange> changed_parameters(const nlohmann::json& a, const nlohmann::json& b) {
    std::map<std::string, std::string> left;
    std::map<std::string, std::string> right;
    for (const char* key : {"chip", "knobs", "kernel", "problem", "mode", "seed", "l2"}) {
        if (a.is_object() && a.contains(key)) {
            flatten(a[key], key, left);
        }
        if (b.is_object() && b.contains(key)) {
            flatten(b[key], key, right);
        }
    }
    left["launches"] = launches_text(a);
    right["launches"] = launches_text(b);
    std::set<std::string> paths;
    for (const auto* side : {&left, &right}) {
        for (const auto& [path, text] : *side) {
            paths.insert(path);
        }
    }
    std::vector<ParameterChange> changes;
    for (const std::string& path : paths) {
        const std::string& before = left[path];
        const std::string& after = right[path];
        if (before != after) {
            changes.push_back({path, before, after});
        }
    }
    return changes;
}

Comparison compare(const Recording& a, const Recording& b, double threshold) {
    return compare(a, b, summarise(a), summarise(b), threshold);
}

Comparison compare(
    const Recording& a, const Recording& b, RunSummary summary_a, RunSummary summary_b, double threshold) {
    return Comparer{a, b, std::move(summary_a), std::move(summary_b), threshold}.compare();
}

std::string in_words(std::string_view name) {
    const std::size_t space = name.find(' ');
    if (space == std::string_view::npos) {
        return fmt::format("{} busy", name);
    }
    const auto reason = std::ranges::find(record::reason_names, name.substr(space + 1));
    if (reason == record::reason_names.end()) {
        return std::string{name};
    }
    const auto index = static_cast<std::size_t>(reason - record::reason_names.begin());
    return fmt::format("{} {}", name.substr(0, space), record::reason_words[index].label);
}

}  // namespace ascendsim::analysis
