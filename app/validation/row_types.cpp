// SPDX-License-Identifier: Apache-2.0
// The columns of types and cores of a row.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "app/validation/number_text.hpp"
#include "app/validation/row.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {
namespace {

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Words of a column of types that name none and change none: "fp16 in->fp32", "fp16 x int8", "n/s".
bool is_filler(std::string_view word) {
    static constexpr std::array fillers{
        "in", "out", "x", "n", "s", "bytes", "null", "none", "and", "a", "b", "w"};
    return std::ranges::find(fillers, word) != fillers.end();
}

constexpr std::array<std::pair<std::string_view, isa::DataType>, 35> type_names{{
    {"fp16", isa::DataType::half},       {"float16", isa::DataType::half},
    {"half", isa::DataType::half},       {"f16", isa::DataType::half},
    {"bf16", isa::DataType::bfloat16},   {"bfloat16", isa::DataType::bfloat16},
    {"fp32", isa::DataType::float32},    {"float32", isa::DataType::float32},
    {"f32", isa::DataType::float32},     {"float", isa::DataType::float32},
    {"hf32", isa::DataType::float32},    {"fp64", isa::DataType::float64},
    {"float64", isa::DataType::float64}, {"double", isa::DataType::float64},
    {"int4", isa::DataType::int4},       {"i4", isa::DataType::int4},
    {"4bit", isa::DataType::int4},       {"int8", isa::DataType::int8},
    {"i8", isa::DataType::int8},         {"uint8", isa::DataType::uint8},
    {"u8", isa::DataType::uint8},        {"int16", isa::DataType::int16},
    {"i16", isa::DataType::int16},       {"uint16", isa::DataType::uint16},
    {"int32", isa::DataType::int32},     {"i32", isa::DataType::int32},
    {"int", isa::DataType::int32},       {"uint32", isa::DataType::uint32},
    {"int64", isa::DataType::int64},     {"i64", isa::DataType::int64},
    {"long", isa::DataType::int64},      {"uint64", isa::DataType::uint64},
    {"bool", isa::DataType::boolean},    {"boolean", isa::DataType::boolean},
    {"w8", isa::DataType::int8},
}};

std::optional<std::uint32_t> before(const std::string& text, const char* word) {
    const std::optional<PatternMatch> match = Pattern{std::string{"(\\d+)\\s*"} + word}.search(text);
    return match ? std::optional{number_of<std::uint32_t>((*match)[1])} : std::nullopt;
}

}  // namespace

std::optional<isa::DataType> type_named(std::string_view word) {
    const auto found =
        std::ranges::find(type_names, word, &std::pair<std::string_view, isa::DataType>::first);
    return found == type_names.end() ? std::nullopt : std::optional{found->second};
}

TypeText parse_types(std::string_view text) {
    TypeText result;
    const std::string all = lower(text);
    const std::size_t arrow = all.find("->");
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t begin = at;
        while (at < all.size() && is_word(all[at])) {
            ++at;
        }
        const std::string_view word = std::string_view{all}.substr(begin, at - begin);
        if (!word.empty() && !type_named(word) && !is_filler(word) && result.unread.empty()) {
            result.unread = word;
        }
        if (const auto type = type_named(word)) {
            if (begin > arrow && arrow != std::string::npos) {
                result.output = result.output.value_or(*type);
            } else {
                result.inputs.push_back(*type);
            }
        }
        at = std::max(at, begin + 1);
    }
    return result;
}

std::string nonsense_of(const Measurement& given) {
    const std::string shape = lower(given.shape);
    static const Pattern too_long{"\\d{16,}"};
    for (const std::string* column : {&given.shape, &given.dtype, &given.cores, &given.notes}) {
        if (const std::optional<PatternMatch> match = too_long.search(*column)) {
            constexpr std::size_t shown = 20;
            return fmt::format("the number {}... is too long", (*match)[0].substr(0, shown));
        }
    }
    static const Pattern not_positive{
        R"((^|[x\s,;\[])(0+|-\d+)x\d|\dx(0+\b|-\d)|\b(m|n|k|b|h|s|d|sq|skv)[ =]*0+\b)"};
    if (not_positive.is_in(shape)) {
        return fmt::format("the shape '{}' has a dimension that is not positive", given.shape);
    }
    const std::string types = lower(given.dtype);
    static const Pattern word{R"(\b(fp|hf|bf|f|float|bfloat|int|uint|i|u)\d+\b)"};
    for (const PatternMatch& match : word.all(types)) {
        if (!type_named(match[0])) {
            return fmt::format("the type '{}' is not supported", match[0]);
        }
    }
    return {};
}

CoresText parse_cores(std::string_view text) {
    const std::string all = lower(text);
    CoresText result{.count = {}, .aic = before(all, "aic"), .aiv = before(all, "aiv")};
    const bool certain = all.find_first_of('?') == std::string::npos &&
                         all.find(" or ") == std::string::npos && all.find("avail") == std::string::npos &&
                         all.find("rank") == std::string::npos;
    const std::optional<PatternMatch> first = Pattern{"^\\s*(\\d+)"}.search(all);
    if (certain && first) {
        result.count = number_of<std::uint32_t>((*first)[1]);
    }
    if (!certain) {
        result.aic = result.aiv = std::nullopt;
    }
    return result;
}

}  // namespace ascendsim::validation
