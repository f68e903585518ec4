// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nlohmann/json.hpp>

#include "models/spec/chip_file.hpp"

namespace ascendsim {
namespace {

/// Characters of a UTF-8 text.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

nlohmann::ordered_json value_of(const FieldRef& field) {
    return std::visit([](const auto* typed) { return nlohmann::ordered_json(*typed); }, field.value);
}

/// `text` broken between words so that no line is wider than a page, each behind `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
    constexpr std::size_t page = 100;
    std::string result;
    std::size_t column = page;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (column + 1 + width(word) > page) {
            result += (result.empty() ? "" : "\n") + std::string(indent, ' ');
            column = indent;
        } else {
            result += ' ';
            ++column;
        }
        result += word;
        column += width(word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result + "\n";
}

}  // namespace

nlohmann::ordered_json to_json(const ChipSpec& spec) {
    ChipSpec copy = spec;
    nlohmann::ordered_json result{{"name", spec.name}, {"title", spec.title}, {"arch", spec.arch}};
    result.update(to_json(fields_of(copy)));
    return result;
}

std::string describe_chip(const ChipFile& chip) {
    ChipFile copy = chip;
    const ChipSpec& spec = chip.spec;
    std::string parameters;
    for (const FieldRef& field : all_fields(copy)) {
        const Provenance& from = chip.provenance.at(field.path);
        parameters += fmt::format("{} = {}{}{}  [{}]\n",
                                  field.path,
                                  field.text(),
                                  field.unit.empty() ? "" : " ",
                                  field.unit,
                                  from.tag);
        parameters += wrapped(fmt::format("{}. From: {}", field.meaning, from.source), 4);
    }
    return fmt::format(
        "{}: {}\n__NPU_ARCH__ {}, fp16 peak {:.1f} TFLOPS, read from {}\n\n{}\n"
        "Tags: V vendor-stated, VF fitted by the vendor, M measured, CA vendor cycle simulator, 3P third "
        "party,\n"
        "I inferred, calibrated: fitted on published measurements, set: by you. Sources: docs/sources.md\n",
        spec.name,
        spec.title,
        spec.arch,
        peak_fp16_tflops(spec),
        chip.path.string(),
        parameters);
}

nlohmann::ordered_json describe_chip_json(const ChipFile& chip) {
    ChipFile copy = chip;
    const ChipSpec& spec = chip.spec;
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const FieldRef& field : all_fields(copy)) {
        const Provenance& from = chip.provenance.at(field.path);
        parameters.push_back({{"path", field.path},
                              {"value", value_of(field)},
                              {"unit", field.unit},
                              {"min", field.min},
                              {"max", field.max},
                              {"tag", from.tag},
                              {"source", from.source},
                              {"place", from.place},
                              {"meaning", field.meaning}});
    }
    return {{"name", spec.name},
            {"title", spec.title},
            {"arch", spec.arch},
            {"aliases", chip.aliases},
            {"file", chip.path.string()},
            {"peak_fp16_tflops", peak_fp16_tflops(spec)},
            {"parameters", std::move(parameters)}};
}

}  // namespace ascendsim
