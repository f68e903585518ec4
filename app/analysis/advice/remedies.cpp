// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/remedies.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/analysis/instruction_words.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

using nlohmann::json;
using record::Limiter;
using enum Turn;

constexpr double low_efficiency = 0.8;
constexpr double many_conflicts = 0.05;  // of a pipe's busy cycles

// Larger tiles: each byte fetched is used more often, and copies and instructions are longer.
std::vector<Handle> larger_tiles() {
    return {{"base_n"}, {"base_m"}, {"tile"}, {"tile_m"}, {"tile_n"}, {"step_k", up}, {"chunk"}, {"copy"}};
}

std::vector<Handle> longer_copies() {
    return {{"copy"}, {"step_k", up}, {"base_k"}, {"tile"}, {"tile_m"}, {"tile_n"}, {"base_m"}, {"chunk"}};
}

std::vector<Handle> another_order() {
    return {{"swizzle"}, {"band"}, {"stagger", up}, {"order"}, {"direction"}};
}

std::vector<Handle> buffers() {
    return {{"buffers", up}, {"l1_buffers", up}, {"l0_buffers", up}, {"stages", up}, {"slots", up}};
}

Remedy for_store(Limiter limiter) {
    if (limiter == Limiter::hbm_bandwidth || limiter == Limiter::l2_bandwidth) {
        return {fmt::format(
            "Writing results takes all of the {} bandwidth: write each result once, in a smaller type, or "
            "fuse the operator that reads it next",
            limiter == Limiter::hbm_bandwidth ? "HBM" : "L2")};
    }
    return {
        "Results are written while others wait: let the next tile begin before they have left "
        "(another buffer for results), in rows of at least 512 B",
        Reach::overlap,
        {{"l0c_buffers", up}, {"slots", up}, {"buffers", up}}};
}

Remedy for_path_to_hbm(bool more_cores) {
    if (more_cores) {
        return {"Each core's way to HBM is the limit: use more cores",
                Reach::cores,
                {{"blocks", up}, {"cores", up}}};
    }
    return {
        "Each core's way to HBM is the limit: let cores share tiles, so that all but the first find them in "
        "L2",
        Reach::order,
        {{"swizzle"}, {"band"}, {"order"}, {"direction"}}};
}

Remedy for_load(Limiter limiter, bool more_cores) {
    switch (limiter) {
        case Limiter::hbm_bandwidth:
            return {
                "HBM bandwidth is the limit: move fewer bytes between L2 and HBM (order blocks so that they "
                "share tiles, or fuse the next operator)",
                Reach::order,
                {{"swizzle"}, {"band"}, {"order"}, {"direction"}}};
        case Limiter::l2_bandwidth:
            return {
                "L2 bandwidth is the limit: keep more data in the cores (larger tiles, tiles cached in L1)",
                Reach::size,
                larger_tiles()};
        case Limiter::hbm_path:
            return for_path_to_hbm(more_cores);
        case Limiter::outstanding:
            return {
                "Requests under way limit the copies: make copies longer and align them to 512 B, "
                "so that each request carries more",
                Reach::size,
                longer_copies()};
        case Limiter::request_rate:
            return {
                "Too many small requests: copy longer rows, or rearrange the data so that rows are "
                "contiguous",
                Reach::size,
                {{"layout"}, {"b_format"}, {"copy"}, {"step_k", up}, {"tile"}, {"tile_m"}, {"base_m"}}};
        case Limiter::same_line:
            return {"Cores read the same L2 lines at once: let each core start at a different place",
                    Reach::order,
                    another_order()};
        case Limiter::start_up:
            return {"Copies are so short that starting them dominates: copy more at once",
                    Reach::size,
                    longer_copies()};
        case Limiter::port:
        case Limiter::none:
            break;
    }
    return {
        "The cores' ports to global memory are the limit: move fewer bytes for each result (larger tiles, "
        "tiles kept in L1)",
        Reach::size,
        larger_tiles()};
}

Remedy for_transfer(const Root& root, bool more_cores) {
    if (root.pipe == name(Pipe::mte1)) {
        return {
            "Loads from L1 are on the critical path: let each loaded tile feed more Mmads (a "
            "larger base tile in the other dimension), or double-buffer L0",
            Reach::size,
            {{"l0_buffers", up}, {"base_n"}, {"base_m"}, {"tile_n"}, {"tile_m"}}};
    }
    const bool store = root.pipe == name(Pipe::mte3) || root.pipe == name(Pipe::fixpipe);
    return store ? for_store(root.limiter) : for_load(root.limiter, more_cores);
}

Remedy for_compute(const Root& root, const Situation& situation) {
    const PipeUse* const use = situation.summary.find(root.pipe);
    const double conflicts =
        use == nullptr || use->cycles.busy() == 0
            ? 0
            : static_cast<double>(use->conflict_cycles) / static_cast<double>(use->cycles.busy());
    if (conflicts > many_conflicts) {
        // A repeat reads 8 of the 16 groups of 32 B (models/isa/vector/bank_conflict.hpp), so half a round
        // keeps two operands apart.
        return {fmt::format("Bank conflicts take {:.0f} % of {}'s time: shift one operand of each "
                            "instruction by 256 B, since bank groups repeat every 512 B",
                            conflicts * 100,
                            root.pipe),
                Reach::size,
                {{"spread", up}},
                true};
    }
    const bool slow = works_slowly(situation.efficiency);
    if (root.pipe == name(Pipe::cube)) {
        return slow ? Remedy{"The cube works below its rate: make m, n and k of each Mmad multiples of 16, and k longer",
                             Reach::size,
                             {{"base_k"}, {"base_n"}, {"base_m"}, {"tile_n"}, {"tile_m"}}}
                    : Remedy{"The cube computes at its rate: only less work or a smaller type makes this shorter",
                             Reach::problem};
    }
    return slow ? Remedy{"The vector unit works below its rate: use longer instructions (count forms, whole repeats) and "
                         "fewer reductions and casts",
                         Reach::size,
                         {{"tile", up}, {"tile_m", up}, {"vector_rows", up}, {"chunk", up}}}
                : Remedy{"The vector unit computes at its rate: only fewer passes over the data or a smaller type make "
                         "this shorter",
                         Reach::problem};
}

bool at_end(const json& now, const json& range, Turn turn) {
    if (turn == other || now.is_string()) {
        return turn == up && now == "on";
    }
    if (now.is_boolean()) {
        return now.get<bool>() == (turn == up);
    }
    const char* const end = turn == up ? "max" : "min";
    return now.is_number() && range.contains(end) && now.get<double>() == range[end].get<double>();
}

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The values of a knob one way, the nearest first: one more or less of few, twice or half of many.
std::vector<std::int64_t> steps_from(std::int64_t value, bool upwards, double min, double max) {
    constexpr std::int64_t few = 8;
    constexpr std::size_t most = 6;
    constexpr std::int64_t largest = std::int64_t{1} << 61;  // twice of it fits
    std::vector<std::int64_t> values;
    while (value > 0 && value <= largest && values.size() < most) {
        value = upwards ? (value < few ? value + 1 : value * 2) : (value < few ? value - 1 : value / 2);
        // 0 stands for what the host side chooses.
        if (value == 0 || static_cast<double>(value) < min || static_cast<double>(value) > max) {
            break;
        }
        values.push_back(value);
    }
    return values;
}

/// The next values of a knob, and those behind them: of numbers the steps each way, else the others that are
/// allowed.
void add_next_settings(FoundKnob& found, const Handle& handle, const json& now, const json& range) {
    constexpr std::size_t most = 3;
    const auto setting = [&](const auto& value) { return fmt::format("kernel.{}={}", handle.knob, value); };
    if (now.is_boolean()) {
        found.tries.push_back(setting(!now.get<bool>()));
    } else if (range.contains("allowed")) {
        for (const json& value : range["allowed"]) {
            if (value != now && found.tries.size() < most) {
                found.tries.push_back(setting(text_of(value)));
            }
        }
    } else if (now.is_number_integer() && range.contains("max")) {
        for (const bool upwards : {true, false}) {
            if (handle.turn == (upwards ? down : up)) {
                continue;
            }
            // Of 0, which stands for what the host side chooses, the next is known where that is.
            const std::vector<std::int64_t> values = steps_from(
                now.get<std::int64_t>(), upwards, range["min"].get<double>(), range["max"].get<double>());
            for (const std::int64_t value : values) {
                if (value == values.front()) {
                    found.tries.push_back(setting(value));
                } else {
                    found.further[setting(values.front())].push_back(setting(value));
                }
            }
        }
    }
}

Remedy for_latency(const Root& root, const Situation& situation) {
    if (is_start_of_kernel(situation.instruction)) {
        return {
            situation.fewer_cores
                ? "Each core reads arguments and stack from memory when it starts: do more in one launch, "
                  "with fewer cores"
                : "Each core reads arguments and stack from memory when it starts: do more in one launch"};
    }
    if (root.pipe == name(Pipe::scalar)) {
        return {
            "The scalar unit waits for memory, or for code that runs for the first time: read global memory "
            "less often (GetValue, tiling data) and keep the code short",
            Reach::cause};
    }
    if (is_unit(root.pipe)) {
        return {
            "Instructions wait for each other's results: put others that need none of them between, or make "
            "each longer",
            Reach::size,
            {{"tile", up}, {"tile_m", up}, {"vector_rows", up}, {"base_k", up}, {"chunk", up}}};
    }
    return {situation.double_buffers
                ? "Results are waited for: start the next copy before this one is used, or copy more at once"
                : "Results are waited for: keep more under way (another buffer, the next copy before the use "
                  "of this one)",
            Reach::overlap,
            buffers()};
}

std::string meaning_of(const json& range) {
    std::string text = range.value("meaning", std::string{});
    if (range.contains("allowed")) {
        text += fmt::format(" ({})", fmt::join(range["allowed"].get<std::vector<std::string>>(), ", "));
    } else if (range.contains("max")) {
        text += fmt::format(" ({:.12g} to {:.12g})", range["min"].get<double>(), range["max"].get<double>());
    }
    return text;
}

/// What a recording says of a knob's values, as far as it is what it should be: the file may come from
/// anyone.
json range_of(const json& ranges, std::string_view knob) {
    const auto found = ranges.find(knob);
    json range = json::object();
    if (found == ranges.end() || !found->is_object()) {
        return range;
    }
    const auto is = [&](const char* key, bool (json::*shape)() const noexcept) {
        return found->contains(key) && (found->at(key).*shape)();
    };
    if (is("meaning", &json::is_string)) {
        range["meaning"] = found->at("meaning");
    }
    if (is("min", &json::is_number) && is("max", &json::is_number)) {
        range["min"] = found->at("min");
        range["max"] = found->at("max");
    }
    if (is("chosen", &json::is_number_integer)) {
        range["chosen"] = found->at("chosen");
    }
    if (is("allowed", &json::is_array) && std::ranges::all_of(found->at("allowed"), &json::is_string)) {
        range["allowed"] = found->at("allowed");
    }
    return range;
}

/// A knob's value in the run: of 0, which leaves it to the host side, what that chose where it says so.
json in_the_run(const json& now, const json& range) {
    return now == 0 && range.contains("chosen") ? range["chosen"] : now;
}

/// A knob's value; of 0 what that became in the run ("0 (here 2048)"), or where nobody says what the knob's
/// meaning says of it: "0 (chosen)" of "rows of a tile; 0: chosen".
std::string value_text(const json& now, const json& range) {
    const std::string value = text_of(now);
    if (const json here = in_the_run(now, range); here != now) {
        return fmt::format("{} (here {})", value, text_of(here));
    }
    const std::string meaning = range.value("meaning", std::string{});
    constexpr std::string_view mark = "0: ";
    const std::size_t at = meaning.find("; 0: ");
    const std::size_t from = at == std::string::npos ? std::string::npos : at + 2 + mark.size();
    if (value != "0" || from == std::string::npos) {
        return value;
    }
    return fmt::format("0 ({})", meaning.substr(from, meaning.find(';', from) - from));
}

}  // namespace

bool is_unit(std::string_view pipe) {
    constexpr std::array units{Pipe::cube, Pipe::vector, Pipe::mte1, Pipe::fixpipe};
    return std::ranges::any_of(units, [&](Pipe unit) { return pipe == name(unit); });
}

bool works_slowly(double efficiency) {
    return efficiency > 0 && efficiency < low_efficiency;
}

Remedy remedy_for(const Root& root, const Situation& situation) {
    switch (root.kind) {
        case PathKind::transfer:
            return for_transfer(root, situation.more_cores);
        case PathKind::compute:
            return for_compute(root, situation);
        case PathKind::latency:
            return for_latency(root, situation);
        case PathKind::scalar:
            if (situation.by_elements) {
                return {
                    "The scalar unit reads or writes a buffer element by element: use a vector instruction "
                    "in place of GetValue and SetValue (for many elements at once Gather, Select, Duplicate "
                    "or "
                    "arithmetic)",
                    Reach::cause};
            }
            return {
                "The scalar unit is on the critical path: issue fewer and larger instructions, and "
                "keep address arithmetic out of the loop",
                Reach::size,
                {{"tile", up}, {"copy", up}, {"base_k", up}, {"chunk", up}}};
        case PathKind::sync:
            return {"Synchronisation itself costs time: use fewer flags and barriers, each for more work",
                    Reach::size,
                    {{"tile", up}, {"base_k", up}, {"step_k", up}}};
        case PathKind::launch:
            return {situation.fewer_cores
                        ? "Launching is a large part: do more in one launch, or start fewer cores"
                        : "Launching is a large part: do more in one launch, or fuse it with the kernel "
                          "before or behind"};
        case PathKind::block:
            return {
                "Starting more blocks on a core costs time: launch as many blocks as cores and loop inside",
                Reach::size,
                {{"blocks"}}};
        case PathKind::tail:
            return {"The end of the task costs time: fuse the kernel with the one that follows"};
        case PathKind::unused:
        case PathKind::other:
            break;
    }
    return {"Time that nothing recorded explains"};
}

Remedy more_buffers(const std::string& pipe, bool double_buffers, const std::string& emptied_by) {
    return {double_buffers
                ? fmt::format("{} waits for buffers though every queue has two: {} is what frees "
                              "them late; give it less to do for a tile",
                              pipe,
                              emptied_by.empty() ? "what reads them" : emptied_by)
                : fmt::format("{} waits for buffers to become free: give it another one (double buffering)",
                              pipe),
            Reach::overlap,
            buffers()};
}

Remedy even_shares() {
    return {
        "Cores finish at different times: divide the work more evenly (smaller shares, or as many "
        "as fill the last round)",
        Reach::size,
        {{"base_m"}, {"base_n"}, {"tile"}, {"tile_m"}, {"tile_n"}, {"split_k"}, {"splits"}}};
}

Remedy idle_cores() {
    return {
        "Some cores have nothing to do: more shares help if the work these cores take over outweighs a "
        "longer launch",
        Reach::cause,
        {{"blocks", up}, {"cores", up}}};
}

Remedy other_core_count(std::uint32_t best, std::uint32_t now, std::uint32_t available) {
    return {
        best > now
            ? fmt::format(
                  "Only {} of {} cores work: divide the work into about {} shares", now, available, best)
            : fmt::format(
                  "{} cores have so little to do that starting them costs more: divide the work into about "
                  "{} shares",
                  now,
                  best),
        Reach::cores,
        {{"blocks"}, {"cores"}}};
}

FoundKnob knob_for(const Remedy& remedy, const json& metadata) {
    if (!metadata.is_object()) {
        return {};
    }
    const json knobs = metadata.value("knobs", json::object());
    const json ranges = metadata.value("knob_ranges", json::object());
    for (const Handle& handle : remedy.handles) {
        const auto now = knobs.find(handle.knob);
        if (now == knobs.end()) {
            continue;
        }
        const json known = range_of(ranges, handle.knob);
        const json here = in_the_run(*now, known);
        if (!at_end(here, known, handle.turn)) {
            FoundKnob found{.setting = fmt::format("kernel.{} = {}", handle.knob, value_text(*now, known)),
                            .meaning = meaning_of(known)};
            add_next_settings(found, handle, here, known);
            std::erase(found.tries, fmt::format("kernel.{}={}", handle.knob, text_of(*now)));
            return found;
        }
    }
    return {};
}

}  // namespace ascendsim::analysis
