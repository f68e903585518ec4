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

using Row = std::vector<std::string>;

/// Lays rows out in columns two blanks apart; the first row is the heading.
std::string laid_out(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], width(row[column]));
        }
    }
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            const bool last = column + 1 == row.size();
            text += row[column];
            text.append(last ? 0 : widths[column] - width(row[column]) + 2, ' ');
        }
        text += '\n';
    }
    return text;
}

}  // namespace

nlohmann::ordered_json to_json(const ChipSpec& spec) {
    ChipSpec copy = spec;
    nlohmann::ordered_json result{{"name", spec.name}, {"title", spec.title}, {"arch", spec.arch}};
    result.update(to_json(fields_of(copy)));
    return result;
}

std::string describe_chip(const ChipFile& chip) {
    ChipSpec spec = chip.spec;
    std::vector<Row> rows{{"parameter", "value", "unit", "tag", "meaning", "source"}};
    for (const FieldRef& field : fields_of(spec)) {
        const Provenance& from = chip.provenance.at(field.path);
        rows.push_back({field.path,
                        field.text(),
                        std::string{field.unit},
                        from.tag,
                        std::string{field.meaning},
                        from.source});
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
        laid_out(rows));
}

nlohmann::ordered_json describe_chip_json(const ChipFile& chip) {
    ChipSpec spec = chip.spec;
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const FieldRef& field : fields_of(spec)) {
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
