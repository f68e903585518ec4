// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/finding.hpp"

#include <algorithm>

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
    {"uninitialised_read", "Bytes are read that were never written."},
    {"unallocated_use", "An instruction touches memory that belongs to no buffer of the core."},
    {"use_after_free", "A tensor is used while its queue holds it: before AllocTensor or after FreeTensor."},
    {"buffer_overrun", "An instruction runs from one buffer into the next."},
    {"out_of_range", "An access leaves its memory, or every argument in global memory."},
    {"misaligned", "An address is not aligned as the instruction needs."},
    {"illegal", "An instruction has operands it cannot take."},
    {"double_set", "A flag is raised again before it was waited for; the chip may lose it or hang."},
    {"set_never_waited", "A flag stays up at the end of the program and leaks into the next kernel."},
    {"wait_never_set", "A pipe waits for a flag that nobody raises."},
    {"cache_line_shared", "Two cores store into one 64-byte line of their data caches; one store is lost."},
    {"cache_not_cleaned",
     "Data stored by a scalar unit is read by others before its data cache was cleaned."},
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
    if (!party.access.empty()) {
        json["access"] = party.access;
        json["buffer"] = party.buffer;
        json["offset"] = party.offset;
        json["bytes"] = party.bytes;
    }
    return json;
}

std::string describe(const Party& party) {
    std::string text = fmt::format("{}:{}: {} on {} of {} (block {}), instruction {}",
                                   party.file,
                                   party.line,
                                   party.op,
                                   name(party.pipe),
                                   party.core,
                                   party.block,
                                   party.issue);
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

std::string_view meaning(Kind kind) {
    return words[static_cast<std::size_t>(kind)].meaning;
}

nlohmann::json to_json(const Finding& finding) {
    nlohmann::json json{{"kind", name(finding.kind)},
                        {"severity", is_error(finding.kind) ? "error" : "waste"},
                        {"message", finding.message},
                        {"hint", finding.hint},
                        {"count", finding.count},
                        {"later", to_json(finding.later)}};
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
            text +=
                fmt::format("{}: {}\n    {}\n", name(finding.kind), finding.message, describe(finding.later));
            if (finding.earlier) {
                text += fmt::format("    {}\n", describe(*finding.earlier));
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
