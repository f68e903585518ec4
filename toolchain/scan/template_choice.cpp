// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/template_choice.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "toolchain/installation/cache_files.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> types{{
    {"C_DT_FLOAT", "float"},
    {"C_DT_FLOAT16", "half"},
    {"C_DT_BF16", "bfloat16_t"},
    {"C_DT_INT8", "int8_t"},
    {"C_DT_UINT8", "uint8_t"},
    {"C_DT_INT16", "int16_t"},
    {"C_DT_UINT16", "uint16_t"},
    {"C_DT_INT32", "int32_t"},
    {"C_DT_UINT32", "uint32_t"},
    {"C_DT_INT64", "int64_t"},
    {"C_DT_UINT64", "uint64_t"},
    {"C_DT_BOOL", "bool"},
    {"C_DT_INT4", "int4b_t"},
}};

/// The first value of ASCENDC_TPL_<kind>_SEL(name, values...); nothing for selections that are no template
/// argument.
std::optional<std::string> first_value(const std::string& selection) {
    const std::size_t bracket = selection.find('(');
    const std::string name = selection.substr(0, bracket);
    const Call call = find_call(selection, name);
    if (bracket == std::string::npos || call.arguments.size() < 2 || name == "ASCENDC_TPL_KERNEL_TYPE_SEL" ||
        name.find("DETERMINISTIC") != std::string::npos || name.find("TILING_STRUCT") != std::string::npos) {
        return std::nullopt;
    }
    // A list of numbers comes behind its kind; ranges behind their kind and their number.
    const std::string& kind = call.arguments[1];
    const std::size_t at = kind.ends_with("UI_LIST")                                ? 2
                           : kind.ends_with("UI_RANGE") || kind.ends_with("UI_MIX") ? 3
                                                                                    : 1;
    if (at >= call.arguments.size()) {
        return std::nullopt;
    }
    const std::string& value = call.arguments[at];
    const auto* const type =
        std::ranges::find(types, value, &std::pair<std::string_view, std::string_view>::first);
    return type == types.end() ? value : std::string{type->second};
}

/// True if the line at `at` belongs to a #define.
bool is_in_macro(std::string_view text, std::size_t at) {
    for (;;) {
        const std::size_t end = text.rfind('\n', at);
        const std::string_view line = text.substr(end == std::string_view::npos ? 0 : end + 1);
        if (line.substr(0, line.find('\n')).find_first_not_of(" \t") != std::string_view::npos &&
            line[line.find_first_not_of(" \t")] == '#') {
            return true;
        }
        const std::size_t last = end == std::string_view::npos || end == 0
                                     ? std::string_view::npos
                                     : text.find_last_not_of(" \t\r", end - 1);
        if (last == std::string_view::npos || text[last] != '\\') {
            return false;
        }
        at = last;
    }
}

}  // namespace

std::string first_template_arguments(const std::filesystem::path& source) {
    const SourceClosure closure{source, {}, cache_folder_of("projects/templates", source)};
    for (const auto& [file, text] : closure.texts()) {
        const std::string code = without_comments(text);
        Call selection = find_call(code, "ASCENDC_TPL_ARGS_SEL");
        while (selection.end != std::string::npos && is_in_macro(code, selection.begin)) {
            selection = find_call(
                code, "ASCENDC_TPL_ARGS_SEL", selection.end);  // its values are the macro's parameters
        }
        std::string result;
        for (const std::string& one : selection.arguments) {
            if (const std::optional<std::string> value = first_value(one)) {
                result += (result.empty() ? "" : ", ") + *value;
            }
        }
        if (!result.empty()) {
            return result;
        }
    }
    return {};
}

}  // namespace ascendsim::toolchain
