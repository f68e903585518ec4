// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/finding.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ascendsim::sanitize {
namespace {

struct Words {
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array<Words, kind_count> words{{
    {"race", "Two pipes of a core touch the same bytes, one writes, and no flag or barrier orders them."},
    {"missing_barrier",
     "Two instructions of one pipe depend on each other without the barrier the chip needs."},
    {"core_race", "Two cores touch the same bytes of global memory, one writes, and nothing orders them."},
    {"stream_race",
     "Work of two streams, or of a stream and the host, touches the same bytes of global memory, one writes, "
     "and no event orders them."},
    {"uninitialised_read", "Bytes are read that were never written."},
    {"unallocated_use", "An instruction touches memory that belongs to no buffer of the core."},
    {"use_after_free", "A tensor is used while its queue holds it: before AllocTensor or after FreeTensor."},
    {"buffer_overrun", "An instruction runs from one buffer into the next."},
    {"out_of_range", "An access leaves its memory, or every argument in global memory."},
    {"input_written", "A kernel writes to an argument that is declared as input."},
    {"misaligned", "An address is not aligned as the instruction needs."},
    {"illegal", "An instruction has operands it cannot take."},
    {"operands_overlap",
     "Operands of one instruction overlap in part; it may read what it has just written."},
    {"stack_overflow", "The kernel's local variables take more than the stack of the scalar unit."},
    {"double_set", "A flag is raised again before it was waited for; the chip may lose it or hang."},
    {"set_never_waited", "A flag stays up at the end of the program and leaks into the next kernel."},
    {"wait_never_set", "A pipe waits for a flag that nobody raises."},
    {"cache_line_shared", "Two cores store into one 64-byte line of their data caches; one store is lost."},
    {"cache_not_cleaned",
     "Data stored by a scalar unit is read by others before its data cache was cleaned."},
    {"cache_stale",
     "A scalar unit reads a line that its data cache may hold from before another wrote there."},
    {"timings_differ", "The same kernel gives other results when instructions and cores take other times."},
    {"never_written", "The kernel ended and left an output, or a part of one, as it was."},
    {"unproven_flag",
     "A core goes on because of a value that another core stored; that it waits for it did not show."},
    {"copied_unwritten",
     "A host program copies memory of the device back that nobody has written; it may not look at it."},
    {"rounded_count", "DataCopy moves whole blocks of 32 bytes: the rest of its count stays where it is."},
    {"oversized",
     "A buffer is larger than its memory, or a tensor than its buffer; the chip does not check it."},
    {"redundant_flag", "A flag orders what is ordered already, every time it is used."},
    {"redundant_barrier", "A barrier waits for work that is known to be complete, every time."},
}};

nlohmann::json to_json(const Party& party) {
    nlohmann::json json{{"core", party.core},
                        {"block", party.block},
                        {"pipe", name(party.pipe)},
                        {"op", party.op},
                        {"file", party.file},
                        {"line", party.line},
                        {"issue", party.issue}};
    if (party.cycle) {
        json["cycle"] = *party.cycle;
    }
    if (party.end_cycle) {
        json["end_cycle"] = *party.end_cycle;
    }
    if (!party.access.empty()) {
        json["access"] = party.access;
        json["buffer"] = party.buffer;
        json["offset"] = party.offset;
        json["bytes"] = party.bytes;
    }
    return json;
}

std::string when(const Party& party) {
    if (!party.cycle) {
        return fmt::format("instruction {} of its program", party.issue);
    }
    if (!party.end_cycle) {
        return fmt::format("cycle {} on", *party.cycle);
    }
    return *party.end_cycle <= *party.cycle ? fmt::format("cycle {}", *party.cycle)
                                            : fmt::format("cycles {} to {}", *party.cycle, *party.end_cycle);
}

/// How near two operations without order came to each other in this run; empty if their times are not known.
std::string nearness(const Finding& finding) {
    const bool unordered = finding.kind == Kind::race || finding.kind == Kind::missing_barrier ||
                           finding.kind == Kind::core_race;
    if (!unordered || !finding.earlier || !finding.later.cycle || !finding.earlier->cycle ||
        !finding.later.end_cycle || !finding.earlier->end_cycle) {
        return {};
    }
    const bool reversed = *finding.later.cycle < *finding.earlier->cycle;
    const Party& first = reversed ? finding.later : *finding.earlier;
    const Party& second = reversed ? *finding.earlier : finding.later;
    if (*second.cycle < *first.end_cycle) {
        return fmt::format("in this run they overlapped for {} cycles",
                           std::min(*first.end_cycle, *second.end_cycle) - *second.cycle);
    }
    const std::uint64_t between = *second.cycle - *first.end_cycle;
    if (reversed && finding.kind == Kind::core_race) {
        return fmt::format(
            "in this run {} cycles lay between them, but the data were computed in the other order: the "
            "first to "
            "come found what the second left; --set run.time_order=true computes by time",
            between);
    }
    if (reversed) {
        return fmt::format(
            "in this run the one that the program has later was done {} cycles before the other "
            "began",
            between);
    }
    return fmt::format("in this run {} cycles lay between them, by luck", between);
}

std::string describe(const Party& party) {
    std::string text = fmt::format("{}:{}: {}", party.file, party.line, party.op);
    if (!party.core.empty()) {
        text += fmt::format(
            " on {} of {} (block {}), {}", name(party.pipe), party.core, party.block, when(party));
    }
    if (!party.access.empty()) {
        text += fmt::format(", {}s {} [{}, {})",
                            party.access == "atomic" ? "atomically update" : party.access,
                            party.buffer,
                            party.offset,
                            party.offset + party.bytes);
    }
    return text;
}

}  // namespace

std::string_view name(Kind kind) {
    return words[static_cast<std::size_t>(kind)].name;
}

std::optional<Kind> kind_named(std::string_view word) {
    const auto found = std::ranges::find(words, word, &Words::name);
    return found == words.end() ? std::nullopt : std::optional{static_cast<Kind>(found - words.begin())};
}

std::string_view meaning(Kind kind) {
    return words[static_cast<std::size_t>(kind)].meaning;
}

bool is_before(const Party& a, const Party& b) {
    if (!a.cycle || !b.cycle) {
        return false;
    }
    // The shorter name has the lower number: "aiv9" before "aiv10".
    return std::tuple{*a.cycle, a.core.size(), std::string_view{a.core}} <
           std::tuple{*b.cycle, b.core.size(), std::string_view{b.core}};
}

nlohmann::json to_json(const Finding& finding) {
    nlohmann::json json{{"kind", name(finding.kind)},
                        {"severity",
                         is_error(finding.kind)  ? "error"
                         : is_note(finding.kind) ? "note"
                                                 : "waste"},
                        {"message", finding.message},
                        {"hint", finding.hint},
                        {"count", finding.count},
                        {"later", to_json(finding.later)}};
    if (finding.stops) {
        json["stops"] = true;
    }
    if (finding.earlier) {
        json["earlier"] = to_json(*finding.earlier);
    }
    if (finding.overlap_bytes != 0) {
        json["overlap"] = {{"offset", finding.overlap_offset}, {"bytes", finding.overlap_bytes}};
    }
    json["text"] = to_text({finding});
    if (finding.cost_cycles != 0) {
        json["cost_cycles"] = finding.cost_cycles;
    }
    return json;
}

std::string to_text(const std::vector<Finding>& findings) {
    std::string text;
    for (const bool errors : {true, false}) {
        for (const Finding& finding : findings) {
            if (is_error(finding.kind) != errors) {
                continue;
            }
            text += fmt::format("{}: {}\n", name(finding.kind), finding.message);
            if (!finding.later.op.empty()) {
                text += fmt::format("    {}\n", describe(finding.later));
            }
            if (finding.earlier) {
                text += fmt::format("    {}\n", describe(*finding.earlier));
            }
            if (const std::string near = nearness(finding); !near.empty()) {
                text += fmt::format("    {}\n", near);
            }
            if (finding.count > 1) {
                text += fmt::format("    {} times\n", finding.count);
            }
            if (finding.cost_cycles != 0) {
                text += fmt::format("    costs about {} cycles\n", finding.cost_cycles);
            }
            text += fmt::format("    {}\n", finding.hint);
        }
    }
    return text;
}

}  // namespace ascendsim::sanitize
