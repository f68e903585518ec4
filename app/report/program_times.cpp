// SPDX-License-Identifier: Apache-2.0
#include "app/report/program_times.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "app/report/words.hpp"

namespace ascendsim::report {
namespace {

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
        : out_{out}, timeline_{timeline}, style_{style}, total_{timeline.value("total_us", 0.0)} {}

    void print() {
        fmt::print(out_, "\n{}\n", toned(style_, Tone::strong, "Program"));
        fmt::print(out_,
                   "  {:.2f} us on {}, from the first call to the end of the last\n",
                   total_,
                   timeline_.value("node", ""));
        how();
        devices();
        calls();
        collectives();
        advice();
    }

private:
    /// What was chosen about the host, where it is not as usual.
    void how() {
        const std::string mode = timeline_.value("mode", "launch");
        if (mode != "launch") {
            print_wrapped(out_, style_, "  ", "The host issues kernels by mode " + mode, Tone::plain);
        }
        if (timeline_.contains("jitter")) {
            print_wrapped(out_,
                          style_,
                          "  ",
                          "Jitter of the host's calls: " + timeline_.value("jitter", ""),
                          Tone::plain);
        }
        if (timeline_.contains("device_clock")) {
            constexpr double ppm = 1e-6;
            const json& clock = timeline_.at("device_clock");
            const double begin = clock.value("offset_us", 0.0);
            const double end = begin + total_ * clock.value("drift_ppm", 0.0) * ppm;
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
        const json& devices = timeline_.at("devices");
        for (std::size_t i = 0; i < std::min(most_devices, devices.size()); ++i) {
            std::string text;
            for (const auto& [key, words] : parts) {
                const double us = devices[i].value(key, 0.0);
                if (us > 0) {
                    text += fmt::format("{}{} {:.2f} us ({})",
                                        text.empty() ? "" : ", ",
                                        words,
                                        us,
                                        percent_text(us / total_));
                }
            }
            print_wrapped(
                out_, style_, fmt::format("  device {}: ", devices[i].value("device", 0)), text, Tone::plain);
            idle(devices[i]);
        }
    }

    /// What a device waited for while it did nothing, and the line to blame.
    void idle(const json& device) {
        const json bubbles = device.value("bubbles", json::array());
        for (std::size_t i = 0; i < std::min(most_bubbles, bubbles.size()); ++i) {
            const double us = bubbles[i].value("us", 0.0);
            const std::string place = bubbles[i].value("place", "");
            fmt::print(out_,
                       "    {:>10.2f} us {:>7}  {}{}\n",
                       us,
                       percent_text(us / total_),
                       bubbles[i].value("cause", ""),
                       place.empty() ? "" : ", " + place);
        }
        double rest = 0;
        for (std::size_t i = most_bubbles; i < bubbles.size(); ++i) {
            rest += bubbles[i].value("us", 0.0);
        }
        if (rest > 0) {
            fmt::print(out_,
                       "    {:>10.2f} us {:>7}  {} other cause{}\n",
                       rest,
                       percent_text(rest / total_),
                       bubbles.size() - most_bubbles,
                       bubbles.size() - most_bubbles == 1 ? "" : "s");
        }
    }

    [[nodiscard]] std::vector<json> longest() const {
        std::vector<json> calls = timeline_.at("calls").get<std::vector<json>>();
        std::ranges::stable_sort(
            calls, std::greater{}, [](const json& call) { return call.value("critical_us", 0.0); });
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
                       "  {:<28}{:>7}{:>11.2f}{:>11.2f}{:>13.2f}{:>11.2f}  {}\n",
                       call.value("name", "").substr(0, 27),
                       call.value("count", 0),
                       call.value("device_us", 0.0),
                       call.value("contended_us", 0.0),
                       call.value("with_launch_us", 0.0),
                       call.value("critical_us", 0.0),
                       call.value("place", ""));
        }
        print_wrapped(out_,
                      style_,
                      "  ",
                      "contended: with others on the same cores and links, and in L2 and HBM",
                      Tone::dim);
    }

    /// Which rank the others waited for.
    void collectives() {
        for (const json& one : timeline_.value("collectives", json::array())) {
            std::vector<json> ranks = one.at("ranks").get<std::vector<json>>();
            if (ranks.empty()) {
                continue;
            }
            const auto waited = [](const json& rank) { return rank.value("waited_us", 0.0); };
            const auto last = [](const json& rank) { return rank.value("last", std::uint64_t{0}); };
            const json& latest = *std::ranges::max_element(ranks, {}, last);
            const json& patient = *std::ranges::max_element(ranks, {}, waited);
            const std::uint64_t count = one.value("count", std::uint64_t{0});
            const std::string text =
                last(latest) == 0
                    ? std::string{"all ranks came at the same time"}
                    : fmt::format(
                          "device {} came last {} of {} times; device {} waited longest for others, "
                          "{:.2f} us in all",
                          latest.value("device", 0),
                          last(latest),
                          count,
                          patient.value("device", 0),
                          waited(patient));
            print_wrapped(out_,
                          style_,
                          fmt::format("  {} ({}): ", one.value("name", ""), one.value("place", "")),
                          text,
                          Tone::plain);
        }
    }

    /// What was tried, and what waits on the host can gain at most.
    void advice() {
        const json tried = timeline_.value("advice", json::array());
        for (std::size_t i = 0; i < std::min(most_program_advice, tried.size()); ++i) {
            const std::string place = tried[i].value("place", "");
            print_wrapped(out_,
                          style_,
                          "  ",
                          fmt::format("Tried: {}{}: at most -{} ({})",
                                      tried[i].value("text", ""),
                                      place.empty() ? "" : ", " + place,
                                      percent_text(tried[i].value("gain", 0.0)),
                                      tried[i].value("change", "")),
                          Tone::fair);
        }
        const json& devices = timeline_.at("devices");
        for (std::size_t i = 0; i < std::min(most_devices, devices.size()); ++i) {
            const double host = devices[i].value("host_us", 0.0);
            constexpr double worth_it = 0.05;  // of the program
            if (host > worth_it * total_) {
                print_wrapped(
                    out_,
                    style_,
                    "  ",
                    fmt::format("Device {} waits while the host makes calls, most of all {}: fewer calls, or "
                                "waiting later, gain at most -{}",
                                devices[i].value("device", 0),
                                slowest_call(),
                                percent_text(host / total_)),
                    Tone::fair);
            }
        }
    }

    [[nodiscard]] std::string slowest_call() const {
        const json& calls = timeline_.at("calls");
        const auto most = std::ranges::max_element(
            calls, {}, [](const json& call) { return call.value("device_waited_us", 0.0); });
        return fmt::format("{} ({})", most->value("name", ""), most->value("place", ""));
    }

    std::ostream& out_;
    const json& timeline_;
    const Style& style_;
    double total_;
};

}  // namespace

void print_program_times(std::ostream& out, const json& totals, const Style& style) {
    const json* program = totals.is_object() && totals.contains("program") ? &totals["program"] : nullptr;
    if (program != nullptr && program->contains("timeline") &&
        !program->at("timeline").value("devices", json::array()).empty()) {
        ProgramTimes{out, program->at("timeline"), style}.print();
    }
    if (program != nullptr && program->contains("operators")) {
        const json& operators = program->at("operators");
        out << "Operators of aclnn calls\n";
        for (const json& one : operators) {
            out << fmt::format("  {} (calls: {}): {}, {}\n",
                               one.value("call", ""),
                               one.value("calls", 0),
                               one.value("kernel", ""),
                               one.value("origin", ""));
        }
        out << "\n";
    }
}

}  // namespace ascendsim::report
