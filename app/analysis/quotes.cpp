// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/quotes.hpp"

#include <cstdint>
#include <sstream>
#include <string>

namespace ascendsim::analysis {
namespace {

using nlohmann::json;

std::string last_of_path(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

/// Line `number`, from 1, without the blanks around it; empty if there is none.
std::string quoted_line(const std::string& text, std::uint64_t number) {
    std::istringstream stream{text};
    std::string line;
    for (std::uint64_t i = 0; i < number; ++i) {
        if (!std::getline(stream, line)) {
            return {};
        }
    }
    const std::size_t from = line.find_first_not_of(" \t\r");
    const std::size_t to = line.find_last_not_of(" \t\r");
    return from == std::string::npos ? std::string{} : line.substr(from, to - from + 1);
}

void quote_party(json& party, const json& metadata) {
    const auto file = party.find("file");
    const auto line = party.find("line");
    if (file == party.end() || line == party.end() || !file->is_string() || !line->is_number_unsigned()) {
        return;
    }
    if (std::string code = source_line(metadata, file->get<std::string>(), line->get<std::uint64_t>());
        !code.empty()) {
        party["code"] = std::move(code);
    }
}

}  // namespace

const json* source_named(const json& metadata, const std::string& file) {
    const auto sources = metadata.is_object() ? metadata.find("sources") : metadata.end();
    if (!metadata.is_object() || sources == metadata.end() || !sources->is_object()) {
        return nullptr;
    }
    const json* found = nullptr;
    if (const auto same = sources->find(file); same != sources->end()) {
        found = &*same;
    } else {
        for (const auto& [path, text] : sources->items()) {
            if (last_of_path(path) == last_of_path(file)) {
                if (found != nullptr) {
                    return nullptr;
                }
                found = &text;
            }
        }
    }
    return found != nullptr && found->is_string() ? found : nullptr;
}

std::string source_line(const json& metadata, const std::string& file, std::uint64_t line) {
    const json* const text = source_named(metadata, file);
    return text == nullptr ? std::string{} : quoted_line(text->get<std::string>(), line);
}

void quote_sources(json& hazards, const json& metadata) {
    for (json& hazard : hazards) {
        for (const char* side : {"later", "earlier"}) {
            if (hazard.is_object() && hazard.contains(side) && hazard[side].is_object()) {
                quote_party(hazard[side], metadata);
            }
        }
    }
}

}  // namespace ascendsim::analysis
