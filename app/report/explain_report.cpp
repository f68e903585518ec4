// SPDX-License-Identifier: Apache-2.0
#include "app/report/explain_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "app/analysis/blame/endless_waits.hpp"
#include "app/analysis/faults.hpp"
#include "app/report/network_words.hpp"
#include "app/report/words.hpp"
#include "sim/base/name_ranges.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::report {

namespace {

using analysis::Advice;
using analysis::Blame;
using analysis::Component;
using analysis::Explanation;
using analysis::PathKind;
using analysis::Root;

constexpr std::size_t most_roots = 6;
constexpr std::size_t most_blamed = 3;
constexpr std::size_t most_advice = 6;
constexpr std::size_t most_findings = 6;
constexpr std::size_t bar_width = 20;
constexpr double least_gain = 0.0005;  // less would read 0.0 %

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Printer {
public:
    Printer(std::ostream& out,
            const Explanation& explanation,
            const record::Recording& recording,
            const Style& style)
        : out_{out}, all_{explanation}, recording_{recording}, style_{style} {}

    void print() {
        const analysis::RunSummary& summary = all_.summary;
        for (const std::string& fault : analysis::faults_of(summary)) {
            lines(fault);
        }
        if (analysis::failed(summary)) {
            until_failure();
            return;
        }
        if (!summary.complete) {
            lines(std::string{not_ended});
        } else {
            wrapped("", all_.verdict, Tone::strong);
        }
        time("");
        if (all_.network) {
            network(*all_.network);
            return;
        }
        if (all_.of_program()) {
            heading("The program around the kernels");
            wrapped("  ", analysis::verdict(*all_.step));
            print_step_figures(out_, *all_.step, style_);
        } else if (!all_.of_kernels()) {
            if (all_.step) {
                print_step_figures(out_, *all_.step, style_);
            }
            if (all_.report) {
                print_report_figures(out_, *all_.report, style_);
            }
            return;
        }
        bounds();
        components();
        pipes("Pipes: every cycle by its reason");
        path();
        blame();
        advice();
        notes();
    }

private:
    void heading(std::string_view text) { fmt::print(out_, "\n{}\n", toned(style_, Tone::strong, text)); }

    void time(std::string_view before) {
        const analysis::RunSummary& summary = all_.summary;
        fmt::print(out_,
                   "{}\n",
                   toned(style_,
                         Tone::dim,
                         fmt::format("{} · {}{} · {} cycles",
                                     title(),
                                     before,
                                     time_text(summary.time_us),
                                     count_text(summary.cycles))));
    }

    /// Roofs, the critical path and blame speak of a run that did its work; of one that failed there is only
    /// what it did until then.
    void until_failure() {
        for (const nlohmann::json* finding : analysis::hazards_of(all_.summary, "error")) {
            if (finding->value("stops", false)) {
                wrapped("", finding->value("hint", std::string{}), Tone::good);
            }
        }
        time("failed after ");
        findings("Hazards before", "error", Tone::poor);
        never_set();
        pipes("Until the failure, pipes: every cycle by its reason");
        notes();
    }

    void never_set() {
        const std::vector<analysis::EndlessWait> waits = analysis::endless_waits(all_.summary, recording_);
        if (!waits.empty()) {
            heading("Waits that never ended");
        }
        for (const analysis::EndlessWait& wait : waits) {
            const std::string who = fmt::format("{} {}", name_ranges(wait.cores), wait.pipe);
            const std::string since =
                wait.first == wait.last
                    ? fmt::format("cycle {}", count_text(wait.first))
                    : fmt::format("cycles {} to {}", count_text(wait.first), count_text(wait.last));
            wrapped(fmt::format("  {} ", left(who, std::max<std::size_t>(16, columns(who)))),
                    fmt::format("from {} on: {}", since, wait.text));
        }
    }

    void notes() { findings("Notes", "note", Tone::plain); }

    void findings(std::string_view title, std::string_view severity, Tone tone) {
        std::size_t shown = 0;
        for (const nlohmann::json* finding : analysis::hazards_of(all_.summary, severity)) {
            if (finding->value("stops", false)) {
                continue;
            }
            if (shown == 0) {
                heading(title);
            }
            if (shown++ == most_findings) {
                fmt::print(out_, "  … and more\n");
                break;
            }
            for (const std::string& line : hazard_lines(*finding)) {
                const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
                wrapped(std::string(2 + indent, ' '), std::string_view{line}.substr(indent), tone);
            }
        }
    }

    /// Roofs, the critical path and blame are a kernel's: of a network there is what its operators took.
    void network(const analysis::NetworkFigures& figures) {
        print_network_figures(out_, figures, style_);
        if (const std::string missing = analysis::left_out(figures); !missing.empty()) {
            fmt::print(out_, "\n");
            wrapped("  ", missing, Tone::dim);
        } else {
            pipes("Pipes: every cycle by its reason");
        }
        fmt::print(out_, "\n");
        wrapped("  ",
                "'ascendsim model NET --op NAME --record FILE' records the operators of one name or kind",
                Tone::dim);
    }

    [[nodiscard]] std::string fitted(std::string_view text, std::size_t taken) const {
        return columns(text) <= style_.width - taken ? std::string{text} : left(text, style_.width - taken);
    }

    void bounds() {
        const analysis::Bounds& bounds = all_.summary.bounds;
        if (bounds.all.empty()) {
            return;
        }
        heading(fmt::format("Speed of light: {}, {} of it reached",
                            time_text(bounds.speed_of_light_us()),
                            percent_text(bounds.efficiency(all_.summary.time_us))));
        for (const analysis::Bound& bound : bounds.all) {
            fmt::print(out_,
                       "  {}{}  {}\n",
                       left(bound.resource, 10),
                       right(time_text(bound.us), 11),
                       toned(style_, Tone::dim, fitted(bound.arithmetic, 25)));
        }
    }

    void components() {
        if (all_.components.empty()) {
            return;
        }
        heading("Roofs: time needed at the peak rate, time active, rate while active");
        for (const Component& component : all_.components) {
            const bool timed = component.active_cycles > 0;
            fmt::print(out_,
                       "  {} {} {}  {}{}\n",
                       left(component.name, 16),
                       bar(component.utilization(), bar_width),
                       right(percent_text(component.utilization()), 7),
                       right(timed ? "active " + percent_text(component.active_share()) : "", 15),
                       right(timed ? "at " + percent_text(component.efficiency()) : "", 12));
        }
        wrapped("  ",
                "hbm and l2 are bandwidth alone: the critical path holds the cost of latency and "
                "of a cold L2, and 'ascendsim whatif' runs without them",
                Tone::dim);
    }

    // Each line's shares sum to 100 %: every cycle of a pipe has one reason.
    void pipes(std::string_view title) {
        heading(title);
        std::set<record::Reason> reasons;
        for (const analysis::PipeUse& use : all_.summary.pipes) {
            const auto share = [&](std::size_t reason) {
                return share_of(use.cycles.cycles[reason], use.cycles.total());
            };
            std::vector<std::size_t> order;
            for (std::size_t reason = 1; reason < record::reason_count; ++reason) {
                if (use.cycles.cycles[reason] > 0) {
                    order.push_back(reason);
                }
            }
            std::ranges::stable_sort(order, std::ranges::greater{}, share);
            constexpr double shown = 0.0005;  // less would read 0.0 %
            std::string text = fmt::format("busy {}", percent_text(share(0)));
            std::string rest;
            for (const std::size_t reason : order) {
                const std::string_view word = name(static_cast<record::Reason>(reason));
                reasons.insert(static_cast<record::Reason>(reason));
                if (share(reason) >= shown) {
                    text += fmt::format(", {} {}", word, percent_text(share(reason)));
                } else {
                    rest += fmt::format("{}{}", rest.empty() ? "; under 0.05 %: " : ", ", word);
                }
            }
            text += rest;
            wrapped(fmt::format("  {} ", left(fmt::format("{} x{}", use.name, use.lanes), 16)), text);
        }
        wrapped("  ", legend(reasons), Tone::dim);
        wrapped("  ", report::arithmetic(all_.summary), Tone::dim);
    }

    [[nodiscard]] std::string text_of(const Root& root) const {
        if (root.pipe.empty()) {
            return std::string{label(root.kind)};
        }
        std::string text = fmt::format("{} on {}", instruction(recording_, root.op, root.site), root.pipe);
        if (root.kind == PathKind::latency) {
            text +=
                root.pipe == "scalar" ? ", waiting for code or data from memory" : ", its result on the way";
        }
        if (root.limiter != record::Limiter::none) {
            text += fmt::format(", limited by {}", record::label(root.limiter));
        }
        return text;
    }

    void roots(const std::vector<Root>& list, std::uint64_t whole, std::size_t most, std::size_t indent) {
        for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
            fmt::print(out_,
                       "{:{}}{}  {}\n",
                       "",
                       indent,
                       right(percent_text(share_of(list[i].cycles, whole)), 7),
                       fitted(text_of(list[i]), indent + 9));
        }
    }

    void path() {
        const analysis::CriticalPath& path = all_.path;
        heading(fmt::format("Critical path: {} segments, {} cycles",
                            count_text(path.segments.size()),
                            count_text(path.cycles())));
        for (std::size_t kind = 0; kind < path.by_kind.size(); ++kind) {
            if (path.by_kind[kind] > 0) {
                const double share = share_of(path.by_kind[kind], path.cycles());
                fmt::print(out_,
                           "  {} {} {}  {}\n",
                           left(label(static_cast<PathKind>(kind)), 26),
                           bar(share, bar_width),
                           right(percent_text(share), 7),
                           toned(style_, Tone::dim, right(count_text(path.by_kind[kind]), 14)));
            }
        }
        fmt::print(out_, "  {}\n", toned(style_, Tone::dim, "made of"));
        roots(path.roots, path.cycles(), most_roots, 2);
    }

    void blame() {
        heading("Blame: what causes the bubbles of each pipe");
        for (const Blame& each : all_.blame) {
            const analysis::PipeUse* const use = all_.summary.find(each.pipe);
            const double bubbles = use == nullptr ? 0 : share_of(each.cycles, use->cycles.total());
            fmt::print(out_,
                       "  {} {}\n",
                       left(each.pipe, 12),
                       toned(style_, Tone::dim, fmt::format("waits {} of its time", percent_text(bubbles))));
            roots(each.roots, each.cycles, most_blamed, 4);
        }
    }

    void advice() {
        if (all_.advice.empty() || !all_.summary.complete) {
            return;
        }
        const bool run = std::ranges::any_of(
            all_.advice, [](const Advice& each) { return each.without || !each.trials.empty(); });
        heading(run ? "Worth trying: 'gains' and 'at most' were run, 'up to' bounds, 'about' does not; * "
                      "needs only a setting"
                    : "Worth trying, the largest cause first: 'up to' is a bound, 'about' is not");
        std::size_t number = 0;
        std::string tried;
        for (const Advice& each : all_.advice) {
            const analysis::AdviceTrial* const best = gaining(each);
            for (const analysis::AdviceTrial& trial : each.trials) {
                if (best == nullptr) {
                    add_once(tried, trial_text(trial));
                }
            }
            if (each.without && each.without->gain_of_cause() < analysis::worth_telling) {
                add_once(tried,
                         fmt::format("without {} ({})",
                                     spoken_resource(each.without->resource),
                                     change_text(each.without->gain_of_cause())));
                continue;
            }
            const bool told = each.by_setting && !each.without;  // by the advice to change the parameter
            if (number == most_advice || told || (best == nullptr && !each.trials.empty())) {
                continue;
            }
            advice(each, best, ++number);
        }
        if (!tried.empty()) {
            wrapped("  Run without gain: ", tried, Tone::dim);
        }
    }

    /// The trial that an advice stands for; null if none gained.
    static const analysis::AdviceTrial* gaining(const Advice& each) {
        const analysis::AdviceTrial* const best = each.best_trial();
        return best != nullptr && best->gain >= analysis::worth_telling ? best : nullptr;
    }

    static void add_once(std::string& list, const std::string& text) {
        list += list.find(text) != std::string::npos ? "" : (list.empty() ? "" : ", ") + text;
    }

    static std::string change_text(double gain) {
        return std::abs(gain) < least_gain ? std::string{"0.0 %"} : fmt::format("{:+.1f} %", -gain * 100);
    }

    /// "what the launch costs", "memory latency".
    static std::string spoken_resource(const std::string& resource) {
        return resource == "launch" ? "the launch" : resource;
    }

    void advice(const Advice& each, const analysis::AdviceTrial* best, std::size_t number) {
        const std::string_view word = best != nullptr ? "gains"
                                      : !each.bounded ? "about"
                                      : each.without  ? "at most"
                                                      : "up to";
        const double gain = each.stated(all_.path.cycles());
        const std::string head = fmt::format("{} {}. {} {}  ",
                                             best != nullptr ? "*" : " ",
                                             number,
                                             left(word, 7),
                                             right(percent_text(gain), 7));
        const std::string indent(columns(head), ' ');
        wrapped(head, each.sentence);
        wrapped(indent, each.evidence, Tone::dim);
        if (each.without) {
            wrapped(indent,
                    fmt::format("run again without {}: {} ({}){}{}",
                                spoken_resource(each.without->resource),
                                time_text(each.without->time_us),
                                change_text(each.without->gain),
                                each.without->gain_of_cause() < each.without->gain
                                    ? "; other causes go with it, this one has less of the path"
                                    : "",
                                each.fixed ? "; it comes with every launch" : ""),
                    Tone::dim);
        }
        for (const std::string& cause : each.serves) {
            wrapped(indent, fmt::format("against: {}", cause), Tone::dim);
        }
        if (best != nullptr) {
            wrapped(indent, fmt::format("--set {}", trial_text(*best)), Tone::good);
        } else if (!each.knob.empty() && !each.by_setting && knobs_told_.insert(knob_text(each)).second) {
            wrapped(indent, knob_text(each), Tone::good);  // once, whichever causes name it
        }
        for (const analysis::AdviceTrial& trial : each.trials) {
            if (!trial.problem.empty()) {
                wrapped(indent, fmt::format("{} alone: {}", trial.setting, trial.problem), Tone::fair);
            }
        }
    }

    static std::string trial_text(const analysis::AdviceTrial& trial) {
        return !trial.problem.empty()
                   ? fmt::format("{} ({})", trial.setting, trial.problem)
                   : fmt::format(
                         "{} ({}, {:+.1f} %)", trial.setting, time_text(trial.time_us), -trial.gain * 100);
    }

    [[nodiscard]] std::string title() const {
        const std::string& given = all_.summary.title.empty() ? all_.summary.scenario : all_.summary.title;
        const nlohmann::json& metadata = recording_.metadata();
        return metadata.is_object() ? metadata.value("problem", given) : given;
    }

    /// "try kernel.tile 64 -> 128 or 32: elements of a tile (16 to 4096)".
    [[nodiscard]] static std::string knob_text(const Advice& advice) {
        const std::size_t sign = std::min(advice.knob.find(" = "), advice.knob.size());
        const std::string now = sign == advice.knob.size() ? std::string{} : advice.knob.substr(sign + 3);
        std::vector<std::string> values;
        for (const std::string& setting : advice.tries) {
            values.push_back(setting.substr(setting.find('=') + 1));
        }
        const std::string parameter = advice.knob.substr(0, sign);
        std::string text = values.empty() || now.empty()
                               ? fmt::format("try another {}", parameter) +
                                     (now.empty() ? std::string{} : fmt::format(", now {}", now))
                               : fmt::format("try {} {} -> {}", parameter, now, fmt::join(values, " or "));
        return advice.knob_meaning.empty() ? text : fmt::format("{}: {}", text, advice.knob_meaning);
    }

    // A fault keeps the lines it was told in: the wait graph of a deadlock has one for each core.
    void lines(const std::string& fault) {
        std::istringstream text{fault};
        for (std::string line; std::getline(text, line);) {
            const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
            wrapped(std::string(indent, ' '), std::string_view{line}.substr(indent), Tone::poor);
        }
    }

    // Breaks a text between words; the lines after the first begin where the first text began.
    void wrapped(const std::string& head, std::string_view text, Tone tone = Tone::plain) {
        print_wrapped(out_, style_, head, text, tone);
    }

    std::ostream& out_;
    const Explanation& all_;
    const record::Recording& recording_;
    const Style& style_;
    std::set<std::string> knobs_told_;
};

}  // namespace

void print_explanation(std::ostream& out,
                       const Explanation& explanation,
                       const record::Recording& recording,
                       const Style& style) {
    Printer{out, explanation, recording, style}.print();
}

}  // namespace ascendsim::report
