// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/allowances.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>

namespace ascendsim::runtime {
namespace {

using sanitize::Finding;
using sanitize::Kind;
using sanitize::Party;

constexpr std::string_view mark = "ascendsim: allow ";

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t\r");
    const std::size_t to = text.find_last_not_of(" \t\r");
    return from == std::string_view::npos ? std::string_view{} : text.substr(from, to - from + 1);
}

std::string line_of(const std::string& file, std::uint32_t number) {
    std::ifstream stream{file};
    std::string line;
    for (std::uint32_t i = 0; i < number; ++i) {
        if (!std::getline(stream, line)) {
            return {};
        }
    }
    return line;
}

bool is_at(const Allowance& allowance, const Party& party) {
    return party.file.ends_with(allowance.file) && (allowance.line == 0 || allowance.line == party.line);
}

}  // namespace

std::vector<Allowance> allowances_of_line(std::string_view line) {
    std::vector<Allowance> allowances;
    const std::size_t comment = line.find("//");
    const std::size_t begin = comment == std::string_view::npos ? comment : line.find(mark, comment);
    if (begin == std::string_view::npos) {
        return allowances;
    }
    std::string_view words = line.substr(begin + mark.size());
    const std::size_t colon = words.find(':');
    const std::string why{colon == std::string_view::npos ? std::string_view{}
                                                          : trimmed(words.substr(colon + 1))};
    words = words.substr(0, colon);
    while (!words.empty()) {
        const std::size_t comma = words.find(',');
        if (const std::optional<Kind> kind = sanitize::kind_named(trimmed(words.substr(0, comma)))) {
            allowances.push_back({.kind = *kind, .file = {}, .line = 0, .why = why});
        }
        words = comma == std::string_view::npos ? std::string_view{} : words.substr(comma + 1);
    }
    return allowances;
}

std::optional<std::string> Allowances::reason(const Finding& finding) {
    if (finding.stops) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < stated_.size(); ++i) {
        const Allowance& one = stated_[i];
        if (one.kind == finding.kind &&
            (is_at(one, finding.later) || (finding.earlier && is_at(one, *finding.earlier)))) {
            used_[i] = true;
            return one.why;
        }
    }
    for (const Party* party : {&finding.later, finding.earlier ? &*finding.earlier : nullptr}) {
        if (party == nullptr || party->line == 0) {
            continue;
        }
        for (const Allowance& one : allowances_of_line(line_of(party->file, party->line))) {
            if (one.kind == finding.kind) {
                return one.why.empty() ? std::string{"its line says so"} : one.why;
            }
        }
    }
    return std::nullopt;
}

std::vector<std::string> Allowances::unused() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < stated_.size(); ++i) {
        if (!used_[i] && !stated_[i].usual) {
            texts.push_back(
                fmt::format("{}{}{}",
                            sanitize::name(stated_[i].kind),
                            stated_[i].file.empty() ? "" : " in " + stated_[i].file,
                            stated_[i].line == 0 ? "" : fmt::format(" at line {}", stated_[i].line)));
        }
    }
    return texts;
}

}  // namespace ascendsim::runtime
