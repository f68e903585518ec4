// SPDX-License-Identifier: Apache-2.0
#include "app/report/words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis/instruction_words.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

std::string_view words(record::Reason reason) {
    constexpr std::array<std::string_view, record::reason_count> texts{
        "busy",
        "launch: before the core's first instruction",
        "issue: the scalar unit was behind",
        "queue full",
        "data not there yet (flag from upstream)",
        "buffer not free yet (flag from downstream)",
        "flag to or from the scalar unit",
        "barrier",
        "scalar read of global memory",
        "code fetched for the first time",
        "flag of another core",
        "SyncAll: other cores not there yet",
        "between two blocks",
        "tail: done, others are not",
        "unused"};
    return texts[static_cast<std::size_t>(reason)];
}

std::string legend(const std::set<record::Reason>& reasons) {
    std::string text;
    for (const record::Reason reason : reasons) {
        const std::string_view name = record::name(reason);
        std::string_view meaning = words(reason);
        if (meaning.starts_with(name)) {  // "tail: done, others are not"
            meaning.remove_prefix(std::min(meaning.size(), name.size() + 2));
        }
        const bool plain = meaning.empty() || meaning == "queue full";
        text += plain ? "" : fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, meaning);
    }
    return text;
}

std::string arithmetic(const analysis::RunSummary& summary) {
    const std::optional<double> share = summary.arithmetic_share();
    return share ? fmt::format(
                       "scalar: {} of its busy cycles are the kernel's own arithmetic between two calls "
                       "(loops, addresses, "
                       "divisions)",
                       percent_text(*share))
                 : std::string{};
}

std::string_view words(record::Limiter limiter) {
    constexpr std::array<std::string_view, record::limiter_names.size()> texts{"",
                                                                               "the core's port",
                                                                               "requests under way",
                                                                               "L2 bandwidth",
                                                                               "HBM bandwidth",
                                                                               "the core's way to HBM",
                                                                               "request rate",
                                                                               "cores on one line",
                                                                               "start-up"};
    return texts[static_cast<std::size_t>(limiter)];
}

std::string_view words(analysis::PathKind kind) {
    using analysis::PathKind;
    switch (kind) {
        case PathKind::compute:
            return "computing";
        case PathKind::transfer:
            return "copying";
        case PathKind::latency:
            return "results on their way";
        case PathKind::scalar:
            return "scalar unit";
        case PathKind::sync:
            return "flags and barriers";
        case PathKind::launch:
            return "launch";
        case PathKind::block:
            return "between blocks";
        case PathKind::tail:
            return "after the last instruction";
        case PathKind::unused:
            return "not used by the launch";
        case PathKind::other:
            break;
    }
    return "not explained";
}

std::string place(const record::SourceLine& line) {
    if (line.file.empty() || line.line == 0) {
        return {};
    }
    const std::size_t slash = line.file.rfind('/');
    return fmt::format(
        "{}:{}", slash == std::string::npos ? line.file : line.file.substr(slash + 1), line.line);
}

std::string instruction(const record::Recording& recording, std::uint32_t op, std::uint32_t site) {
    const std::string where = place(recording.site(site));
    const std::string_view what = analysis::spoken_instruction(recording.name(op));
    return where.empty() ? std::string{what} : fmt::format("{} at {}", what, where);
}

std::vector<std::string> hazard_lines(const nlohmann::json& hazard) {
    for (const char* key : {"text", "message"}) {
        if (hazard.is_object() && hazard.contains(key) && hazard[key].is_string()) {
            std::vector<std::string> lines;
            std::istringstream text{hazard[key].get<std::string>()};
            for (std::string line; std::getline(text, line);) {
                lines.push_back(line);
            }
            return lines;
        }
    }
    return {hazard.dump()};
}

}  // namespace ascendsim::report
