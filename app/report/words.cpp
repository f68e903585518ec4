// SPDX-License-Identifier: Apache-2.0
#include "app/report/words.hpp"

#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "app/analysis/instruction_words.hpp"
#include "app/report/style.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::report {

std::string legend(const std::set<record::Reason>& reasons) {
    std::string text;
    for (const record::Reason reason : reasons) {
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : "; ", record::label(reason), record::meaning(reason));
    }
    return text;
}

std::string arithmetic(const analysis::RunSummary& summary) {
    const std::optional<double> share = summary.arithmetic_share();
    return share ? fmt::format(
                       "scalar: {} of its busy cycles are the kernel's own arithmetic between two calls "
                       "(loops, addresses, divisions)",
                       percent_text(*share))
                 : std::string{};
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
