// SPDX-License-Identifier: Apache-2.0
#include "scenarios/analysis/advice.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "models/isa/pipe.hpp"

namespace ascendsim::analysis {

namespace {

using record::Limiter;

constexpr double least_share = 0.01;  // of the path; less is not worth a sentence
constexpr double low_efficiency = 0.8;

// A remedy: what to do, and parts of knob names that do it.
struct Remedy {
    std::string sentence;
    std::vector<std::string_view> knobs;
};

Remedy for_transfer(std::string_view pipe, Limiter limiter) {
    if (pipe == name(Pipe::mte1)) {
        return {
            "Loads from L1 are on the path: let each loaded tile feed more Mmads (larger base tile in the "
            "other dimension), or "
            "double-buffer L0",
            {"base_n", "base", "tile", "l0"}};
    }
    switch (limiter) {
        case Limiter::hbm_bandwidth:
            return {
                "HBM bandwidth is the limit: move fewer bytes past L2 (order blocks so that they share "
                "tiles, fuse what follows, "
                "use a smaller type)",
                {"swizzle", "order", "fuse"}};
        case Limiter::l2_bandwidth:
            return {"L2 bandwidth is the limit: keep more in the cores (larger tiles, tiles cached in L1)",
                    {"base_n", "base", "tile", "l1"}};
        case Limiter::hbm_path:
            return {"Each core's way to HBM is the limit: use more cores, or let the data come from L2",
                    {"blocks", "cores", "swizzle"}};
        case Limiter::outstanding:
            return {
                "Requests under way limit the copies: make them longer and aligned to 512 B, so that each "
                "request carries more",
                {"tile", "base", "step", "depth"}};
        case Limiter::request_rate:
            return {
                "Too many small requests: copy longer rows, or rearrange the data so that rows are "
                "contiguous",
                {"tile", "base", "format"}};
        case Limiter::same_line:
            return {"Cores read the same L2 lines at once: let them start at different places",
                    {"swizzle", "order", "stagger"}};
        case Limiter::start_up:
            return {"Copies are so short that starting them dominates: copy more at once",
                    {"tile", "step", "rows"}};
        case Limiter::port:
        case Limiter::none:
            break;
    }
    return {
        "The cores' ports to global memory are the limit: move fewer bytes a core (larger tiles, tiles kept "
        "in L1, more cores)",
        {"base_n", "base", "tile", "step", "blocks"}};
}

Remedy for_compute(std::string_view pipe, const RunSummary& summary, double efficiency) {
    const PipeUse* const use = summary.find(pipe);
    const double conflicts =
        use == nullptr || use->cycles.busy() == 0
            ? 0
            : static_cast<double>(use->conflict_cycles) / static_cast<double>(use->cycles.busy());
    if (conflicts > 0.05) {
        return {fmt::format(
                    "Bank conflicts take {:.0f} % of {}'s time: move the operands' buffers apart by a bank",
                    conflicts * 100,
                    pipe),
                {"pad", "offset", "bank"}};
    }
    if (pipe == name(Pipe::cube)) {
        return efficiency > 0 && efficiency < low_efficiency
                   ? Remedy{"The cube works below its rate: make m, n and k of each Mmad multiples of 16 and k longer", {"base_n", "base", "tile", "k"}}
                   : Remedy{"The cube itself is the limit: only less work or a smaller type is faster", {"type"}};
    }
    return efficiency > 0 && efficiency < low_efficiency
               ? Remedy{"The vector unit works below its rate: longer instructions (count forms, whole repeats), fewer reductions and casts",
                        {"tile", "rows"}}
               : Remedy{"The vector unit itself is the limit: fewer passes over the data, or a smaller type", {"fuse", "type"}};
}

Remedy remedy(const Root& root, const RunSummary& summary, double efficiency) {
    switch (root.kind) {
        case PathKind::transfer:
            return for_transfer(root.pipe, root.limiter);
        case PathKind::compute:
            return for_compute(root.pipe, summary, efficiency);
        case PathKind::latency:
            return {
                "Results are waited for: keep more under way (another buffer, the next copy before the use "
                "of this one)",
                {"buffer", "depth", "stages"}};
        case PathKind::scalar:
            return {
                "The scalar unit is on the path: issue fewer and larger instructions, keep address "
                "arithmetic out of the loop",
                {"tile", "unroll", "rows"}};
        case PathKind::sync:
            return {"Synchronisation itself costs: fewer flags and barriers, each for more work",
                    {"tile", "batch"}};
        case PathKind::launch:
            return {"Launching is a large part: do more in one launch, or start fewer cores",
                    {"blocks", "cores", "fuse"}};
        case PathKind::block:
            return {"Starting further blocks on a core costs: use as many blocks as cores and loop inside",
                    {"blocks"}};
        case PathKind::tail:
            return {"The end of the task costs: fuse it with what follows", {"fuse"}};
        case PathKind::other:
            break;
    }
    return {"Time that nothing recorded explains", {}};
}

std::string fitting_knob(const nlohmann::json& metadata, std::span<const std::string_view> parts) {
    const auto knobs = metadata.find("knobs");
    if (knobs == metadata.end() || !knobs->is_object()) {
        return {};
    }
    for (const std::string_view part : parts) {
        for (const auto& [key, value] : knobs->items()) {
            if (key.find(part) != std::string::npos) {
                return fmt::format(
                    "kernel.{} = {}", key, value.is_string() ? value.get<std::string>() : value.dump());
            }
        }
    }
    return {};
}

// Roots that the same remedy helps.
struct Group {
    std::uint64_t cycles = 0;
    std::uint64_t times = 0;
    Root largest;
};

std::string where(const Root& root, const record::Recording& recording) {
    if (root.pipe.empty()) {
        return std::string{name(root.kind)};
    }
    const record::SourceLine& line = recording.site(root.site);
    const std::string text = fmt::format("{} on {}", recording.name(root.op), root.pipe);
    return line.file.empty()
               ? text
               : fmt::format("{} ({}:{})", text, line.file.substr(line.file.rfind('/') + 1), line.line);
}

// Waits of the main pipe for buffers: another buffer is the remedy, whatever the path's kinds say.
void add_buffer_advice(std::vector<Advice>& all,
                       const RunSummary& summary,
                       const record::Recording& recording) {
    const PipeUse* const main = summary.find(summary.main_pipe);
    for (const Bubble& bubble : summary.bubbles) {
        if (main == nullptr || bubble.reason != record::Reason::flag_buffer) {
            continue;
        }
        const std::uint64_t each = bubble.cycles / main->lanes;
        if (static_cast<double>(each) < least_share * 5 * static_cast<double>(summary.to - summary.from)) {
            continue;
        }
        constexpr std::string_view parts[]{"buffer", "depth", "stages"};
        all.push_back(
            {.sentence = fmt::format(
                 "{} waits for buffers to become free: give it another one (double buffering)", main->name),
             .evidence = fmt::format(
                 "{:.1f} % of {}'s time, mostly for {} on {}",
                 100 * static_cast<double>(bubble.cycles) / static_cast<double>(main->cycles.total()),
                 main->name,
                 recording.name(bubble.top.op),
                 bubble.top.pipe),
             .gain_cycles = each,
             .knob = fitting_knob(recording.metadata(), parts),
             .root = {}});
    }
}

// Cores that end early: the run could end when the mean of them does.
void add_balance_advice(std::vector<Advice>& all,
                        const RunSummary& summary,
                        const record::Recording& recording) {
    const PipeUse* const scalar = summary.find(name(Pipe::scalar));
    if (scalar == nullptr || scalar->lanes < 2) {
        return;
    }
    const auto window = static_cast<double>(summary.to - summary.from);
    const std::uint64_t idle = scalar->cycles[record::Reason::tail] + scalar->cycles[record::Reason::unused];
    const double each = static_cast<double>(idle) / scalar->lanes;
    if (each < 5 * least_share * window) {
        return;
    }
    constexpr std::string_view parts[]{"split", "blocks", "tile", "base"};
    all.push_back(
        {.sentence =
             "Cores are done at different times: split the work more evenly (smaller or fewer-tailed shares)",
         .evidence =
             fmt::format("on average a core stands idle for {:.1f} % of the run behind its last instruction",
                         100 * each / window),
         .gain_cycles = static_cast<std::uint64_t>(each),
         .knob = fitting_knob(recording.metadata(), parts),
         .root = {}});
}

}  // namespace

std::vector<Advice> advice_for(const RunSummary& summary,
                               const CriticalPath& path,
                               const record::Recording& recording) {
    const ChipNumbers chip{recording.metadata()};
    const Work work = work_of(recording.metadata(), 0, 0);
    const auto efficiency = [&](std::string_view pipe) {
        const PipeUse* const use = summary.find(pipe);
        const bool cube = pipe == name(Pipe::cube);
        const double rate =
            cube ? chip.cube_work_per_cycle(work.cube_type) : chip.vector_work_per_cycle(work.vector_type);
        return use == nullptr || use->cycles.busy() == 0 || !chip.known()
                   ? 0
                   : static_cast<double>(use->work) / rate / static_cast<double>(use->cycles.busy());
    };
    std::map<std::tuple<PathKind, std::string, Limiter>, Group> groups;
    for (const Root& root : path.roots) {
        Group& group =
            groups[{root.kind, root.kind == PathKind::latency ? std::string{} : root.pipe, root.limiter}];
        group.largest = group.cycles == 0 ? root : group.largest;  // roots come largest first
        group.cycles += root.cycles;
        group.times += root.times;
    }
    std::vector<Advice> all;
    for (const auto& [key, group] : groups) {
        const double share = static_cast<double>(group.cycles) /
                             static_cast<double>(std::max<std::uint64_t>(1, path.cycles()));
        if (share < least_share) {
            continue;
        }
        const Remedy what = remedy(group.largest, summary, efficiency(group.largest.pipe));
        all.push_back({.sentence = what.sentence,
                       .evidence = fmt::format("{:.1f} % of the critical path in {} piece{}, mostly {}",
                                               share * 100,
                                               group.times,
                                               group.times == 1 ? "" : "s",
                                               where(group.largest, recording)),
                       .gain_cycles = group.cycles,
                       .knob = fitting_knob(recording.metadata(), what.knobs),
                       .root = group.largest});
    }
    add_buffer_advice(all, summary, recording);
    add_balance_advice(all, summary, recording);
    std::ranges::stable_sort(all, std::ranges::greater{}, &Advice::gain_cycles);
    return all;
}

}  // namespace ascendsim::analysis
