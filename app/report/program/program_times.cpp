// SPDX-License-Identifier: Apache-2.0
#include "app/report/program/program_times.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/recorded_values.hpp"
#include "app/report/words.hpp"

namespace ascendsim::report {
namespace {

using analysis::recorded_count;
using analysis::recorded_figure;
using analysis::recorded_list;
using analysis::recorded_number;
using analysis::recorded_text;
using analysis::recorded_value;
using nlohmann::json;

constexpr std::size_t most_devices = 8;
constexpr std::size_t most_calls = 10;
constexpr std::size_t most_bubbles = 6;
constexpr std::size_t most_program_advice = 4;

/// "50.00 us behind".
std::string ahead(double us) {
    return us == 0 ? std::string{"level with"}
                   : fmt::format("{:.2f} us {}", std::abs(us), us < 0 ? "behind" : "ahead of");
}

class ProgramTimes {
public:
    ProgramTimes(std::ostream& out, const json& timeline, const Style& style)
        : out_{out}, timeline_{timeline}, style_{style}, total_{recorded_figure(timeline, "total_us")} {}

    void print() {
        fmt::print(out_, "\n{}\n", toned(style_, Tone::strong, "Program"));
        fmt::print(out_,
                   "  {:.2f} us on {}, from the first call to the end of the last\n",
                   total_,
                   recorded_text(timeline_, "node"));
        how();
        devices();
        calls();
        collectives();
        advice();
    }

private:
    /// What was chosen about the host, where it is not as usual.
    void how() {
        const std::string mode = recorded_text(timeline_, "mode");
        if (!mode.empty() && mode != "launch") {
            print_wrapped(out_, style_, "  ", "The host issues kernels by mode " + mode, Tone::plain);
        }
        if (timeline_.contains("jitter")) {
            print_wrapped(out_,
                          style_,
                          "  ",
                          "Jitter of the host's calls: " + recorded_text(timeline_, "jitter"),
                          Tone::plain);
        }
        if (const json& clock = recorded_value(timeline_, "device_clock"); clock.is_object()) {
            constexpr double ppm = 1e-6;
            const double begin = recorded_number(recorded_value(clock, "offset_us"));
            const double end = begin + total_ * recorded_number(recorded_value(clock, "drift_ppm")) * ppm;
            print_wrapped(
                out_,
                style_,
                "  ",
                fmt::format(
                    "The device's clock is {} the host's at the program's start and {} it at its end: "
                    "in the trace, work of the device lies off by as much. The figures here do not",
                    ahead(begin),
                    ahead(end)),
                Tone::plain);
        }
    }

    void devices() {
        constexpr std::array parts{std::pair{"computing_us", "computing"},
                                   std::pair{"communication_us", "communication not overlapped"},
                                   std::pair{"copies_us", "copies not overlapped"},
                                   std::pair{"launching_us", "launching"},
                                   std::pair{"waiting_us", "waiting for other devices"},
                                   std::pair{"host_us", "waiting on the host"},
                                   std::pair{"free_us", "free"}};
        const json& devices = recorded_list(timeline_, "devices");
        for (std::size_t i = 0; i < std::min(most_devices, devices.size()); ++i) {
            std::string text;
            for (const auto& [key, words] : parts) {
                const double us = recorded_figure(devices[i], key);
                if (us > 0) {
                    text += fmt::format(
                        "{}{} {:.2f} us ({})", text.empty() ? "" : ", ", words, us, share_text(us));
                }
            }
            print_wrapped(out_,
                          style_,
                          fmt::format("  device {}: ", recorded_count(devices[i], "device")),
                          text,
                          Tone::plain);
            idle(devices[i]);
        }
    }

    /// What a device waited for while it did nothing, and the line to blame.
    void idle(const json& device) {
        const json& bubbles = recorded_list(device, "bubbles");
        for (std::size_t i = 0; i < std::min(most_bubbles, bubbles.size()); ++i) {
            const double us = recorded_figure(bubbles[i], "us");
            const std::string place = recorded_text(bubbles[i], "place");
            fmt::print(out_,
                       "    {:>10.2f} us {:>7}  {}{}\n",
                       us,
                       share_text(us),
                       recorded_text(bubbles[i], "cause"),
                       place.empty() ? "" : ", " + place);
        }
        double rest = 0;
        for (std::size_t i = most_bubbles; i < bubbles.size(); ++i) {
            rest += recorded_figure(bubbles[i], "us");
        }
        if (rest > 0) {
            fmt::print(out_,
                       "    {:>10.2f} us {:>7}  {} other cause{}\n",
                       rest,
                       share_text(rest),
                       bubbles.size() - most_bubbles,
                       bubbles.size() - most_bubbles == 1 ? "" : "s");
        }
    }

    [[nodiscard]] std::vector<json> longest() const {
        std::vector<json> calls = recorded_list(timeline_, "calls").get<std::vector<json>>();
        std::ranges::stable_sort(
            calls, std::greater{}, [](const json& call) { return recorded_figure(call, "critical_us"); });
        calls.resize(std::min(calls.size(), most_calls));
        return calls;
    }

    void calls() {
        fmt::print(out_,
                   "  {}\n",
                   toned(style_,
                         Tone::dim,
                         fmt::format("{:<28}{:>7}{:>11}{:>11}{:>13}{:>11}",
                                     "us, all calls",
                                     "calls",
                                     "device",
                                     "contended",
                                     "with launch",
                                     "critical")));
        for (const json& call : longest()) {
            fmt::print(out_,
                       "  {} {:>7}{:>11.2f}{:>11.2f}{:>13.2f}{:>11.2f}  {}\n",
                       left(recorded_text(call, "name"), 27),
                       recorded_count(call, "count"),
                       recorded_figure(call, "device_us"),
                       recorded_figure(call, "contended_us"),
                       recorded_figure(call, "with_launch_us"),
                       recorded_figure(call, "critical_us"),
                       recorded_text(call, "place"));
        }
        print_wrapped(out_,
                      style_,
                      "  ",
                      "contended: with others on the same cores and links, and in L2 and HBM",
                      Tone::dim);
    }

    /// Which rank the others waited for.
    void collectives() {
        for (const json& one : recorded_list(timeline_, "collectives")) {
            std::vector<json> ranks = recorded_list(one, "ranks").get<std::vector<json>>();
            if (ranks.empty()) {
                continue;
            }
            const auto waited = [](const json& rank) { return recorded_figure(rank, "waited_us"); };
            const auto last = [](const json& rank) { return recorded_count(rank, "last"); };
            const json& latest = *std::ranges::max_element(ranks, {}, last);
            const json& patient = *std::ranges::max_element(ranks, {}, waited);
            const std::uint64_t count = recorded_count(one, "count");
            const std::string text =
                last(latest) == 0
                    ? std::string{"all ranks came at the same time"}
                    : fmt::format(
                          "device {} came last {} of {} times; device {} waited longest for others, "
                          "{:.2f} us in all",
                          recorded_count(latest, "device"),
                          last(latest),
                          count,
                          recorded_count(patient, "device"),
                          waited(patient));
            print_wrapped(out_,
                          style_,
                          fmt::format("  {} ({}): ", recorded_text(one, "name"), recorded_text(one, "place")),
                          text,
                          Tone::plain);
        }
    }

    /// What was tried, and what waits on the host can gain at most.
    void advice() {
        const json& tried = recorded_list(timeline_, "advice");
        for (std::size_t i = 0; i < std::min(most_program_advice, tried.size()); ++i) {
            const std::string place = recorded_text(tried[i], "place");
            print_wrapped(out_,
                          style_,
                          "  ",
                          fmt::format("Tried: {}{}: at most -{} ({})",
                                      recorded_text(tried[i], "text"),
                                      place.empty() ? "" : ", " + place,
                                      percent_text(recorded_figure(tried[i], "gain")),
                                      recorded_text(tried[i], "change")),
                          Tone::fair);
        }
        const json& devices = recorded_list(timeline_, "devices");
        for (std::size_t i = 0; i < std::min(most_devices, devices.size()); ++i) {
            const double host = recorded_figure(devices[i], "host_us");
            constexpr double worth_it = 0.05;  // of the program
            if (host > worth_it * total_) {
                print_wrapped(
                    out_,
                    style_,
                    "  ",
                    fmt::format("Device {} waits while the host makes calls, most of all {}: fewer calls, or "
                                "waiting later, gain at most -{}",
                                recorded_count(devices[i], "device"),
                                slowest_call(),
                                share_text(host)),
                    Tone::fair);
            }
        }
    }

    /// A time as a share of the program.
    [[nodiscard]] std::string share_text(double us) const {
        return percent_text(total_ > 0 ? us / total_ : 0);
    }

    [[nodiscard]] std::string slowest_call() const {
        const json& calls = recorded_list(timeline_, "calls");
        if (calls.empty()) {
            return "an unknown one";
        }
        const auto most = std::ranges::max_element(
            calls, {}, [](const json& call) { return recorded_figure(call, "device_waited_us"); });
        return fmt::format("{} ({})", recorded_text(*most, "name"), recorded_text(*most, "place"));
    }

    std::ostream& out_;
    const json& timeline_;
    const Style& style_;
    double total_;
};

}  // namespace

void print_program_times(std::ostream& out, const json& totals, const Style& style) {
    const json& timeline = analysis::recorded_timeline(totals);
    if (!recorded_list(timeline, "devices").empty()) {
        ProgramTimes{out, timeline, style}.print();
    }
    const json& operators = recorded_value(analysis::recorded_program(totals), "operators");
    if (operators.is_array()) {
        out << "Operators of aclnn calls\n";
        for (const json& one : operators) {
            out << fmt::format("  {} (calls: {}): {}, {}\n",
                               recorded_text(one, "call"),
                               recorded_count(one, "calls"),
                               recorded_text(one, "kernel"),
                               recorded_text(one, "origin"));
        }
        out << "\n";
    }
}

}  // namespace ascendsim::report
