// SPDX-License-Identifier: Apache-2.0
#include "app/skeleton/argument_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::skeleton {
namespace {

using Words = std::vector<std::string_view>;

bool is_name(std::string_view word) {
    return !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_');
}

std::optional<std::uint64_t> number(std::string_view word) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end != word.data() ? std::optional{value} : std::nullopt;
}

int step(std::string_view word, std::string_view open, std::string_view close) {
    return word.size() == 1 && open.find(word) != std::string_view::npos    ? 1
           : word.size() == 1 && close.find(word) != std::string_view::npos ? -1
                                                                            : 0;
}

/// The Matmul object's tiling, with values for one product of 128 x 128 x 128 on one core.
StructText cube_tiling() {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 12> values{{{"usedCoreNum", 1},
                                                                                {"baseK", 64},
                                                                                {"depthA1", 1},
                                                                                {"depthB1", 1},
                                                                                {"stepM", 1},
                                                                                {"stepN", 1},
                                                                                {"stepKa", 1},
                                                                                {"stepKb", 1},
                                                                                {"dbL0A", 2},
                                                                                {"dbL0B", 2},
                                                                                {"dbL0C", 1},
                                                                                {"BatchNum", 0}}};
    constexpr std::array<std::string_view, 9> extents{
        "M", "N", "Ka", "Kb", "singleCoreM", "singleCoreN", "singleCoreK", "baseM", "baseN"};
    StructText all{
        .fields = {},
        .unlisted = "the host's MultiCoreMatmulTiling fills it; here for 128 x 128 x 128 on one core"};
    const auto add = [&](std::string_view name) {
        const auto* const given =
            std::ranges::find(values, name, &std::pair<std::string_view, std::int64_t>::first);
        const bool extent = std::ranges::find(extents, name) != extents.end();
        all.fields.push_back({.name = std::string{name},
                              .type = "int32",
                              .value = given != values.end() ? given->second
                                       : extent              ? 128
                                                             : 0});
    };
#define ASCENDSIM_FIELD(field) add(#field);
    ASCENDSIM_CUBE_TILING_FIELDS(ASCENDSIM_FIELD)
#undef ASCENDSIM_FIELD
    return all;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
    Words words;
    for (const toolchain::SourceToken& token : toolchain::tokens_of(text)) {
        words.push_back(token.text);
    }
    return words;
}

std::string joined(const Words& words) {
    std::string text;
    for (const std::string_view word : words) {
        text += word;
    }
    return text;
}

std::string element_type(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 19> types{{{"half", "float16"},
                                                                                   {"float16_t", "float16"},
                                                                                   {"bfloat16_t", "bfloat16"},
                                                                                   {"float", "float32"},
                                                                                   {"float32_t", "float32"},
                                                                                   {"double", "float64"},
                                                                                   {"int8_t", "int8"},
                                                                                   {"uint8_t", "uint8"},
                                                                                   {"int16_t", "int16"},
                                                                                   {"uint16_t", "uint16"},
                                                                                   {"int32_t", "int32"},
                                                                                   {"int", "int32"},
                                                                                   {"uint32_t", "uint32"},
                                                                                   {"unsigned", "uint32"},
                                                                                   {"int64_t", "int64"},
                                                                                   {"long", "int64"},
                                                                                   {"uint64_t", "uint64"},
                                                                                   {"size_t", "uint64"},
                                                                                   {"bool", "bool"}}};
    const auto found = std::ranges::find(types, word, &std::pair<std::string_view, std::string_view>::first);
    return found == types.end() ? std::string{} : std::string{found->second};
}

std::string value_type(const std::vector<std::string_view>& words) {
    const auto count = [&](std::string_view wanted) {
        return words.empty() ? 0 : std::count(words.begin(), words.end() - 1, wanted);
    };
    if (count("<") > 0) {
        return {};  // a template's arguments name no type of the value
    }
    const bool is_signed = count("unsigned") == 0;
    if (count("char") > 0) {
        return is_signed ? "int8" : "uint8";
    }
    if (count("short") > 0) {
        return is_signed ? "int16" : "uint16";
    }
    if (count("long") > 0 && count("double") == 0) {
        return is_signed ? "int64" : "uint64";  // of 64 bits, as the chip's compiler has it
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (std::string type = element_type(words[i]); !type.empty() && words[i] != "int") {
            return type;
        }
    }
    return count("int") + count("signed") > 0 ? "int32" : "";
}

ArgumentText::ArgumentText(std::string_view text)
    : plain_{toolchain::without_comments(text)}, words_{words_of(plain_)} {
    for (std::size_t i = 1; i < words_.size(); ++i) {
        const std::optional<std::size_t> called = words_[i] == "(" ? named_at(i) : std::nullopt;
        if (called) {
            calls_.push_back(call_at(*called, i));
        }
    }
}

/// The name that stands before the bracket at `open`, with or without template arguments between.
std::optional<std::size_t> ArgumentText::named_at(std::size_t open) const {
    constexpr std::size_t longest = 24;  // words of template arguments
    std::size_t i = open - 1;
    for (int depth = 0; i > 0 && open - i < longest; --i) {
        depth -= step(words_[i], "<", ">");
        if (depth == 0 && words_[i] != "<") {
            break;
        }
    }
    return is_name(words_[i]) ? std::optional{i} : std::nullopt;
}

std::size_t ArgumentText::behind(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < words_.size(); ++i) {
        depth += step(words_[i], "([{", ")]}");
        if (depth == 0) {
            return i + 1;
        }
    }
    return words_.size();
}

CallText ArgumentText::call_at(std::size_t i, std::size_t open) const {
    CallText call{.name = words_[i], .object = {}, .arguments = {}, .at = i, .open = open};
    const bool member = i >= 2 && (words_[i - 1] == "." || (words_[i - 1] == ">" && words_[i - 2] == "-"));
    if (member) {
        // Of an element of an array, queue[2].DeQue(), the array's name.
        std::size_t object = words_[i - 1] == "." ? i - 2 : i - 3;
        for (int depth = 0; object > 0; --object) {
            depth -= step(words_[object], "[", "]");
            if (depth == 0 && words_[object] != "[") {
                break;
            }
        }
        call.object = at(object);
    }
    const std::size_t end = behind(open);
    int depth = 0;
    Words argument;
    for (std::size_t k = open + 1; k + 1 < end; ++k) {
        depth += step(words_[k], "([{", ")]}");
        if (words_[k] == "," && depth == 0) {
            call.arguments.push_back(std::move(argument));
            argument.clear();
        } else {
            argument.push_back(words_[k]);
        }
    }
    if (!argument.empty()) {
        call.arguments.push_back(std::move(argument));
    }
    return call;
}

std::vector<CallText> ArgumentText::calls_in(std::string_view name) const {
    for (const CallText& call : calls_) {
        const std::size_t body = behind(call.open);
        if (call.name != name || at(body) != "{") {
            continue;
        }
        const std::size_t end = behind(body);
        std::vector<CallText> inside;
        std::ranges::copy_if(calls_, std::back_inserter(inside), [&](const CallText& one) {
            return one.at > body && one.at < end;
        });
        return inside;
    }
    return {};
}

std::vector<std::string> ArgumentText::parameter_names(std::string_view name,
                                                       std::size_t count,
                                                       std::size_t place) const {
    // `KernelAdd<half> op(x, y)`: the constructor has the type's name.
    std::vector<std::string_view> functions{name};
    for (const CallText& call : calls_) {
        if (call.name == name && call.at > 0) {
            std::size_t type = call.at - 1;
            for (int depth = 0; type > 0; --type) {
                depth -= step(words_[type], "<", ">");
                if (depth == 0 && words_[type] != "<") {
                    break;
                }
            }
            functions.push_back(at(type));
        }
    }
    std::vector<std::string> names;
    for (const CallText& call : calls_) {
        const std::size_t next = behind(call.open);
        const bool defines =
            at(next) == "{" || at(next) == ":" || at(next) == "const" || at(next) == "noexcept";
        const bool called = std::ranges::find(functions, call.name) != functions.end();
        if (defines && called && call.arguments.size() == count && call.arguments[place].size() > 1) {
            names.emplace_back(call.arguments[place].back());
        }
    }
    return names;
}

std::string ArgumentText::tensor_type(std::string_view name) const {
    for (std::size_t i = 0; i + 4 < words_.size(); ++i) {
        if (words_[i] != "GlobalTensor" || words_[i + 1] != "<") {
            continue;
        }
        for (std::size_t k = i + 3; k < words_.size() && words_[k] != ";"; ++k) {
            if (words_[k] == name) {
                return element_type(words_[i + 2]);
            }
        }
    }
    return {};
}

std::vector<std::string_view> ArgumentText::cast_of(std::string_view name) const {
    for (std::size_t i = 3; i < words_.size(); ++i) {
        const bool cast = words_[i] == name && (words_[i - 1] == ")" || words_[i - 1] == "(") &&
                          (words_[i - 2] == "*" || (words_[i - 2] == ">" && words_[i - 3] == "*"));
        if (!cast) {
            continue;
        }
        Words words;
        for (std::size_t k = i - 2; k > 0 && words_[k] != "(" && words_[k] != "<" && words_[k] != ";"; --k) {
            words.push_back(words_[k]);
        }
        return words;
    }
    return {};
}

std::optional<StructText> ArgumentText::structure(std::string_view name) const {
    if (name == "TCubeTiling") {
        return cube_tiling();
    }
    for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
        const bool opens = (words_[i] == "struct" || words_[i] == "class") && words_[i + 1] == name;
        if (opens && words_[i + 2] == "{") {
            return members(i + 2);
        }
        if (words_[i] == "BEGIN_TILING_DATA_DEF" && words_[i + 2] == name) {
            return tiling_members(i);
        }
    }
    return std::nullopt;
}

StructText ArgumentText::members(std::size_t open) const {
    StructText all;
    Words declaration;
    const std::size_t end = behind(open);
    for (std::size_t i = open + 1; i + 1 < end; ++i) {
        if (words_[i] == "{" || words_[i] == "(") {  // an initialiser or a function
            i = behind(i) - 1;
            if (at(i) == "}" && at(i + 1) != ";") {
                declaration.clear();
            } else {
                declaration.push_back(at(i));
            }
        } else if (words_[i] == ";") {
            add_member(all, declaration);
            declaration.clear();
        } else {
            declaration.push_back(words_[i]);
        }
    }
    return all;
}

StructText ArgumentText::tiling_members(std::size_t begin) const {
    StructText all;
    for (const CallText& call : calls_) {
        if (call.at <= begin) {
            continue;
        }
        if (call.name == "BEGIN_TILING_DATA_DEF") {
            break;
        }
        const bool array = call.name == "TILING_DATA_FIELD_DEF_ARR" && call.arguments.size() == 3;
        if (array || (call.name == "TILING_DATA_FIELD_DEF" && call.arguments.size() == 2)) {
            Words declaration = call.arguments[0];
            declaration.push_back(call.arguments.back().front());
            if (array) {
                declaration.push_back("[");
                declaration.push_back(call.arguments[1].front());
                declaration.push_back("]");
            }
            add_member(all, declaration);
        } else if (call.name == "TILING_DATA_FIELD_DEF_STRUCT" && call.arguments.size() == 2) {
            all.unlisted = fmt::format("member {} is a struct: list its members in its place",
                                       joined(call.arguments[1]));
        }
    }
    return all;
}

/// Adds the member named by `word`, with its extents; returns the last word of it.
static Words::const_iterator add_field(StructText& all,
                                       const Words& declaration,
                                       Words::const_iterator word,
                                       std::string type) {
    ScannedField field{.name = std::string{*word}, .type = std::move(type)};
    while (word + 2 < declaration.end() && word[1] == "[") {
        const std::optional<std::uint64_t> extent = number(word[2]);
        field.count *= extent.value_or(1);
        if (!extent) {
            all.unlisted = fmt::format("member {} has {} elements: give as many values", field.name, word[2]);
        }
        word = std::find(word + 1, declaration.end(), "]");
        if (word == declaration.end()) {
            --word;
            break;
        }
    }
    all.fields.push_back(std::move(field));
    return word;
}

/// `uint32_t a, b[4] = {…}`: the type's word, then names with their extents.
void ArgumentText::add_member(StructText& all, const Words& declaration) const {
    const auto typed =
        std::ranges::find_if(declaration, [](std::string_view word) { return !element_type(word).empty(); });
    const bool shared =
        !declaration.empty() && (declaration.front() == "static" || declaration.front() == "using");
    if (shared || declaration.empty() || std::ranges::find(declaration, ")") != declaration.end()) {
        return;  // no member of the data
    }
    if (typed == declaration.end() || std::ranges::find(declaration, "*") != declaration.end()) {
        const std::optional<StructText> inner =
            declaration.size() == 2 ? structure(declaration.front()) : std::nullopt;
        for (const ScannedField& field : inner ? inner->fields : std::vector<ScannedField>{}) {
            all.fields.push_back(field);
            all.fields.back().name = fmt::format("{}_{}", declaration.back(), field.name);
        }
        if (inner) {
            all.unlisted = fmt::format("the members of {} stand in its place", declaration.back());
        } else if (declaration.size() > 1 && is_name(declaration.back())) {
            all.unlisted =
                fmt::format("member {} is no number: list what it holds in its place", declaration.back());
        }
        return;
    }
    for (auto word = typed + 1; word != declaration.end(); ++word) {
        if (*word == "=") {
            word = std::find(word, declaration.end(), ",");
            if (word == declaration.end()) {
                break;
            }
            continue;
        }
        if (!is_name(*word) || !element_type(*word).empty()) {
            continue;
        }
        word = add_field(all, declaration, word, element_type(*typed));
    }
}

}  // namespace ascendsim::skeleton
