// SPDX-License-Identifier: Apache-2.0
#include "app/report/text_report.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/faults.hpp"
#include "app/report/auto_sync_words.hpp"
#include "app/report/program/program_times.hpp"
#include "app/report/words.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::report {

namespace {

using analysis::Bubble;
using analysis::LineCost;
using analysis::PipeUse;
using analysis::RouteTraffic;
using analysis::RunSummary;

constexpr std::size_t most_lines = 8;
constexpr std::size_t most_bubbles = 6;
constexpr std::size_t most_hazards = 10;

std::string joules_text(double joules) {
    return joules >= 1      ? fmt::format("{:.3g} J", joules)
           : joules >= 1e-3 ? fmt::format("{:.3g} mJ", joules * 1e3)
                            : fmt::format("{:.3g} uJ", joules * 1e6);
}

class Printer {
public:
    Printer(std::ostream& out,
            const RunSummary& summary,
            const record::Recording& recording,
            const Style& style)
        : out_{out}, summary_{summary}, recording_{recording}, style_{style} {}

    void print() {
        title();
        const bool failed = analysis::failed(summary_);
        if (failed) {
            hazards();  // they say why; how fast it was until then comes after
        }
        times();
        print_program_times(out_, recording_.totals(), style_);
        pipes();
        bubbles();
        traffic();
        energy();
        lines();
        inserted();
        numbers();
        if (!failed) {
            hazards();
        }
        warnings();
    }

private:
    void heading(std::string_view text) { fmt::print(out_, "\n{}\n", toned(style_, Tone::strong, text)); }

    [[nodiscard]] std::string fitted(std::string_view text, std::size_t taken) const {
        return columns(text) <= style_.width - taken ? std::string{text} : left(text, style_.width - taken);
    }

    void title() {
        const nlohmann::json& metadata = recording_.metadata();
        std::string text = summary_.title.empty() ? summary_.scenario : summary_.title;
        if (const auto problem = metadata.find("problem");
            problem != metadata.end() && problem->is_string()) {
            text = problem->get<std::string>();
        }
        fmt::print(out_, "{}\n", toned(style_, Tone::strong, text.empty() ? "run" : text));
        std::string where = fmt::format("{} · {} core{} · {} GHz",
                                        summary_.chip,
                                        summary_.cores_used,
                                        summary_.cores_used == 1 ? "" : "s",
                                        summary_.clock_ghz);
        if (!summary_.mode.empty()) {
            where += " · " + summary_.mode;
        }
        fmt::print(out_, "{}\n", toned(style_, Tone::dim, where));
        if (const std::string setting = auto_sync_setting(summary_); !setting.empty()) {
            print_wrapped(out_, style_, "", setting, Tone::dim);
        }
        if (!summary_.error.empty()) {
            fmt::print(out_, "{}\n", toned(style_, Tone::poor, summary_.error));
        }
        if (!summary_.complete) {
            fmt::print(out_, "{}\n", toned(style_, Tone::poor, not_ended));
        }
    }

    void times() {
        fmt::print(out_,
                   "\n  {:16}{}  {}\n",
                   analysis::failed(summary_) ? "Until then" : "Time",
                   toned(style_, Tone::strong, time_text(summary_.time_us)),
                   toned(style_, Tone::dim, fmt::format("{} cycles", count_text(summary_.cycles))));
        const analysis::Bounds& bounds = summary_.bounds;
        for (const analysis::Bound& bound : bounds.all) {
            if (bound.resource == bounds.limiter && !analysis::failed(summary_)) {
                const double share = bounds.efficiency(summary_.time_us);
                const Tone tone = share > 0.7 ? Tone::good : share > 0.4 ? Tone::fair : Tone::poor;
                fmt::print(out_,
                           "  {:16}{}  {} of it reached, limited by {}\n",
                           "Speed of light",
                           time_text(bound.us),
                           toned(style_, tone, percent_text(share)),
                           bound.resource);
                fmt::print(out_, "    {}\n", toned(style_, Tone::dim, fitted(bound.arithmetic, 4)));
            }
        }
        rate();
        launch();
    }

    /// In the unit of what limits: a problem of copies has no use for operations a second.
    void rate() {
        const analysis::Bounds& bounds = summary_.bounds;
        if (analysis::failed(summary_)) {
            return;
        }
        const std::optional<double> peak =
            analysis::ChipNumbers{recording_.metadata()}.number(bounds.limiter + ".gb_per_s");
        const bool memory = bounds.limiter == "hbm" || bounds.limiter == "l2";
        if (memory && peak) {
            const double share = bounds.efficiency(summary_.time_us);
            fmt::print(out_,
                       "  {:16}{:.1f} GB/s  {}\n",
                       "Rate",
                       share * *peak,
                       toned(style_,
                             Tone::dim,
                             fmt::format("{} of the {:.0f} GB/s of {}",
                                         percent_text(share),
                                         *peak,
                                         bounds.limiter == "hbm" ? "HBM" : "L2")));
        } else if (summary_.flops > 0) {
            fmt::print(out_, "  {:16}{:.2f} TFLOPS\n", "Rate", summary_.tflops());
        }
    }

    void launch() {
        if (summary_.launch_cycles == 0 || summary_.cycles == 0) {
            return;
        }
        const auto all = static_cast<double>(summary_.cycles) * static_cast<double>(summary_.executions);
        const std::uint64_t end = summary_.launch_cycles - summary_.launch_head_cycles;
        fmt::print(out_,
                   "  {:16}{}  {}\n",
                   "Launch",
                   time_text(static_cast<double>(summary_.launch_cycles) /
                             static_cast<double>(summary_.executions) / summary_.clock_ghz / 1e3),
                   toned(style_,
                         Tone::dim,
                         fmt::format("{} before the first core begins, {} after the last ends",
                                     percent_text(static_cast<double>(summary_.launch_head_cycles) / all),
                                     percent_text(static_cast<double>(end) / all))));
    }

    void pipes() {
        if (summary_.pipes.empty()) {
            return;
        }
        heading("Pipes");
        constexpr std::size_t beside = 69;  // what else is in a row, with the longest label of a wait
        const std::size_t width = std::clamp<std::size_t>(style_.width - beside, 10, 40);
        std::set<record::Reason> reasons;
        for (const PipeUse& use : summary_.pipes) {
            const auto waits = std::max_element(use.cycles.cycles.begin() + 1, use.cycles.cycles.end());
            const auto reason = static_cast<record::Reason>(waits - use.cycles.cycles.begin());
            const double share = static_cast<double>(*waits) /
                                 static_cast<double>(std::max<std::uint64_t>(1, use.cycles.total()));
            const Tone tone = use.name == summary_.main_pipe ? Tone::good : Tone::plain;
            const std::string wait =
                *waits == 0 ? "" : fmt::format("{} {}", percent_text(share), record::label(reason));
            fmt::print(out_,
                       "  {} {} {}  {} {}\n",
                       left(use.name, 11),
                       toned(style_, tone, bar(use.utilization(), width)),
                       right(percent_text(use.utilization()), 7),
                       toned(style_, Tone::dim, right(fmt::format("x{}", use.lanes), 4)),
                       toned(style_, Tone::dim, wait.empty() ? wait : "waits most: " + wait));
            if (*waits != 0) {
                reasons.insert(reason);
            }
        }
        print_wrapped(out_, style_, "  ", legend(reasons), Tone::dim);
        print_wrapped(out_, style_, "  ", report::arithmetic(summary_), Tone::dim);
        print_wrapped(out_, style_, "  ", profiler_words(summary_), Tone::dim);
    }

    void bubbles() {
        const PipeUse* const main = summary_.find(summary_.main_pipe);
        if (main == nullptr || summary_.bubbles.empty()) {
            return;
        }
        heading(fmt::format(
            "Bubbles of {}: {} of its time", main->name, percent_text(summary_.bubble_fraction())));
        std::size_t shown = 0;
        for (const Bubble& bubble : summary_.bubbles) {
            if (shown++ == most_bubbles) {
                break;
            }
            const double share =
                static_cast<double>(bubble.cycles) / static_cast<double>(main->cycles.total());
            fmt::print(out_, "  {}  {}\n", right(percent_text(share), 7), record::label(bubble.reason));
            if (bubble.top.cycles > 0) {
                const double part =
                    static_cast<double>(bubble.top.cycles) / static_cast<double>(bubble.cycles);
                const std::string cause = fmt::format("{:.0f} % for {} on {}",
                                                      part * 100,
                                                      instruction(recording_, bubble.top.op, bubble.top.site),
                                                      bubble.top.pipe);
                fmt::print(out_, "           {}\n", toned(style_, Tone::dim, fitted(cause, 11)));
            }
        }
    }

    // Bytes of all cores over the whole time.
    [[nodiscard]] std::string overall(const RouteTraffic& route) const {
        const auto cycles = static_cast<double>(std::max<std::uint64_t>(1, summary_.to - summary_.from));
        return fmt::format("{:.0f} GB/s", static_cast<double>(route.bytes) / cycles * summary_.clock_ghz);
    }

    void traffic() {
        if (summary_.traffic.routes.empty()) {
            return;
        }
        heading("Traffic");
        fmt::print(out_,
                   "  {}\n",
                   toned(style_,
                         Tone::dim,
                         fitted(left("route", 16) + right("bytes", 11) + right("rate", 14) +
                                    right("of peak", 9) + right("all cores", 11) + "  limited by",
                                2)));
        for (const RouteTraffic& route : summary_.traffic.routes) {
            const double peak = route.peak_bytes_per_cycle;
            fmt::print(out_,
                       "  {}{}{}{}{}  {}\n",
                       left(route.name, 16),
                       right(bytes_text(static_cast<double>(route.bytes)), 11),
                       right(fmt::format("{:.1f} B/cycle", route.active_rate()), 14),
                       right(peak > 0 ? percent_text(route.active_rate() / peak) : "", 9),
                       right(overall(route), 11),
                       fitted(record::label(route.limiter()), 65));
        }
        const analysis::Traffic& all = summary_.traffic;
        if (all.gm_bytes() > 0) {
            fmt::print(out_,
                       "  global memory {:.1f} GB/s, {} of it from L2; HBM read {}, written {}\n",
                       summary_.achieved_gbps(),
                       percent_text(all.l2_hit_rate()),
                       bytes_text(static_cast<double>(all.hbm_read_bytes)),
                       bytes_text(static_cast<double>(all.hbm_write_bytes)));
        }
        if (summary_.l2 && summary_.l2->state == "cold" && summary_.l2->could_hold) {
            print_wrapped(out_,
                          style_,
                          "  ",
                          "L2 cold at start; run.warm_up = 1 measures as a loop of launches does",
                          Tone::dim);
        }
    }

    void energy() {
        if (!summary_.energy) {
            return;
        }
        const analysis::Energy& energy = *summary_.energy;
        heading("Energy");
        fmt::print(out_,
                   "  {} ± {}, {:.1f} W on average, limit {:.0f} W\n",
                   joules_text(energy.joules),
                   joules_text(energy.spread),
                   energy.average_w,
                   energy.limit_w);
        std::string parts;
        for (const analysis::EnergyPart& part : energy.parts) {
            if (part.joules > 0) {
                parts += fmt::format("{}{} {}",
                                     parts.empty() ? "" : ", ",
                                     part.name,
                                     percent_text(part.joules / energy.joules));
            }
        }
        print_wrapped(out_, style_, "  ", parts, Tone::dim);
        whole_program();
        if (energy.limited_us) {
            print_wrapped(out_,
                          style_,
                          "  ",
                          fmt::format("Above the power limit: a chip that slows down to it takes {}",
                                      time_text(*energy.limited_us)),
                          Tone::fair);
        }
    }

    /// What the program took, its host and links and idle chips included.
    void whole_program() {
        if (!summary_.program_energy) {
            return;
        }
        const analysis::Energy& energy = *summary_.program_energy;
        std::string parts;
        for (const analysis::EnergyPart& part : energy.parts) {
            if (part.joules > 0) {
                parts +=
                    fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.name, joules_text(part.joules));
            }
        }
        print_wrapped(out_,
                      style_,
                      "  ",
                      fmt::format("The program with its host: {} ± {}: {}; {:.1f} W a device on average",
                                  joules_text(energy.joules),
                                  joules_text(energy.spread),
                                  parts,
                                  energy.average_w),
                      Tone::plain);
    }

    void lines() {
        std::size_t shown = 0;
        for (const LineCost& line : summary_.lines) {
            if (shown == 0) {
                heading("Source lines");
                fmt::print(out_,
                           "  {}\n",
                           toned(style_,
                                 Tone::dim,
                                 right("busy", 14) + right("waiting", 14) + right("times", 12) + "  " +
                                     left("pipe", 9) + "instruction"));
            }
            if (shown++ == most_lines) {
                break;
            }
            fmt::print(out_,
                       "  {}{}{}  {}{}\n",
                       right(count_text(line.busy_cycles), 14),
                       right(count_text(line.wait_cycles), 14),
                       right(count_text(line.count), 12),
                       left(line.pipe, 9),
                       fitted(instruction(recording_, line.op, line.site), 54));
        }
    }

    void inserted() {
        const std::vector<std::string> sentences = inserted_sentences(summary_);
        if (sentences.empty()) {
            return;
        }
        heading("Synchronisation inserted by the compiler");
        for (const std::string& sentence : sentences) {
            print_wrapped(out_, style_, "  ", sentence, Tone::plain);
        }
        std::size_t shown = 0;
        for (const analysis::InsertedAt& each : summary_.auto_sync->places) {
            if (shown++ == 0) {
                fmt::print(out_,
                           "  {}\n",
                           toned(style_, Tone::dim, right("cycles", 14) + right("times", 12) + "  before"));
            }
            if (shown > most_lines) {
                break;
            }
            const std::string where =
                fmt::format("{}, {}", place({each.file, each.line}), inserted_words(each));
            fmt::print(out_,
                       "  {}{}  {}\n",
                       right(count_text(each.cycles), 14),
                       right(count_text(each.count), 12),
                       fitted(where, 30));
        }
    }

    void numbers() {
        const nlohmann::json& numerics = summary_.numerics;
        if (!numerics.is_object() || !numerics.value("checked", false)) {
            not_checked();
            return;
        }
        const auto error = [&](const char* key) {
            return !numerics.contains(key)     ? std::string{"not known"}
                   : numerics[key].is_number() ? fmt::format("{:.3g}", numerics[key].get<double>())
                   : numerics[key].is_string() ? numerics[key].get<std::string>()
                                               : std::string{"not known"};
        };
        heading("Numbers");
        const bool passed = numerics.contains("passed") && numerics["passed"] == true;
        fmt::print(out_,
                   "  {}  largest error {} absolute, {} relative\n",
                   passed ? toned(style_, Tone::good, "right") : toned(style_, Tone::poor, "WRONG"),
                   error("max_abs_error"),
                   error("max_rel_error"));
        for (const std::string& output : analysis::wrong_outputs(numerics)) {
            fmt::print(out_, "  {}\n", toned(style_, Tone::poor, output));
        }
    }

    /// A run that nobody compared says so; host programs compare by themselves.
    void not_checked() {
        const nlohmann::json& metadata = recording_.metadata();
        const bool program = metadata.is_object() && metadata.contains("files");
        if (program || analysis::failed(summary_) || !summary_.complete || summary_.mode.empty()) {
            return;
        }
        heading("Numbers");
        fmt::print(out_,
                   "  {}\n",
                   toned(style_,
                         Tone::fair,
                         summary_.mode == "timing"
                             ? "not computed: this run simulates only the time"
                             : "not checked: no output has a reference (expect = \"golden.npy\" in its "
                               "[[args]])"));
    }

    /// What the compiler warned of; each is a place and a sentence, and behind a tab the line of source.
    void warnings() {
        const auto found = recording_.metadata().find("compiler_warnings");
        if (found == recording_.metadata().end() || !found->is_array() || found->empty()) {
            return;
        }
        heading(fmt::format("Warnings of the compiler: {}", found->size()));
        for (std::size_t i = 0; i < std::min(most_hazards, found->size()); ++i) {
            const auto text = (*found)[i].is_string() ? (*found)[i].get<std::string>() : std::string{};
            const std::size_t code = std::min(text.size(), text.find('\t'));
            fmt::print(out_, "  {}\n", toned(style_, Tone::fair, text.substr(0, code)));
            if (code + 1 < text.size()) {
                fmt::print(out_, "      {}\n", text.substr(code + 1));
            }
        }
        if (found->size() > most_hazards) {
            fmt::print(out_, "  … and {} more\n", found->size() - most_hazards);
        }
    }

    void hazards() {
        timings();
        hazards("Hazards", "error", Tone::poor);
        allowances();
        hazards("Notes", "note", Tone::plain);
        hazards("Flags and barriers that order nothing", "waste", Tone::plain);
    }

    /// Other timings that were tried.
    void timings() {
        const nlohmann::json& tried = summary_.perturb;
        if (!tried.is_object()) {
            return;
        }
        const auto count = tried.value("timings", 0U);
        const auto differ = tried.value("differ", 0U);
        print_wrapped(out_,
                      style_,
                      "  ",
                      differ == 0 ? fmt::format("{} other timings of seed {} give the same results.",
                                                count,
                                                tried.value("seed", std::uint64_t{0}))
                                  : fmt::format("{} of {} other timings of seed {} give other results.",
                                                differ,
                                                count,
                                                tried.value("seed", std::uint64_t{0})),
                      differ == 0 ? Tone::plain : Tone::poor);
    }

    /// Findings that are meant: a line each, with the reason.
    void allowances() {
        const std::vector<const nlohmann::json*> found = analysis::hazards_of(summary_, "allowed");
        if (!found.empty()) {
            heading(fmt::format("Hazards that are allowed: {}", found.size()));
        }
        for (const nlohmann::json* hazard : found) {
            const nlohmann::json& later = (*hazard)["later"];
            print_wrapped(out_,
                          style_,
                          "  ",
                          fmt::format("{} at {}:{}: {}",
                                      hazard->value("kind", ""),
                                      later.value("file", ""),
                                      later.value("line", 0U),
                                      hazard->value("why", "")),
                          Tone::plain);
        }
        const auto unused = recording_.totals().find("unused_allowances");
        if (unused != recording_.totals().end() && unused->is_array()) {
            for (const nlohmann::json& one : *unused) {
                print_wrapped(out_,
                              style_,
                              "  ",
                              fmt::format("[[allow]] of {} allowed nothing: its defect is gone, or its place "
                                          "has moved",
                                          one.is_string() ? one.get<std::string>() : ""),
                              Tone::fair);
            }
        }
    }

    void hazards(std::string_view title, std::string_view severity, Tone tone) {
        const std::vector<const nlohmann::json*> found = analysis::hazards_of(summary_, severity);
        if (found.empty()) {
            return;
        }
        heading(fmt::format("{}: {}", title, found.size()));
        for (std::size_t i = 0; i < std::min(most_hazards, found.size()); ++i) {
            for (const std::string& line : hazard_lines(*found[i])) {
                fmt::print(out_, "  {}\n", toned(style_, tone, line));
            }
        }
        if (found.size() > most_hazards) {
            fmt::print(out_, "  … and {} more\n", found.size() - most_hazards);
        }
        if (const std::string hint = auto_sync_hint(summary_); severity == "error" && !hint.empty()) {
            print_wrapped(out_, style_, "  ", hint, Tone::fair);
        }
    }

    std::ostream& out_;
    const RunSummary& summary_;
    const record::Recording& recording_;
    const Style& style_;
};

}  // namespace

void print_report(std::ostream& out,
                  const RunSummary& summary,
                  const record::Recording& recording,
                  const Style& style) {
    Printer{out, summary, recording, style}.print();
}

}  // namespace ascendsim::report
