// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_layout.hpp"

#include <cctype>
#include <string>

#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool is_number(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The number right behind a word that no letter stands in front of: 8 of "DP2TP8" for "TP".
std::optional<std::uint64_t> behind(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        std::size_t place = at + word.size();
        if ((at > 0 && is_letter(text[at - 1])) || place >= text.size() || !is_number(text[place])) {
            continue;
        }
        std::uint64_t value = 0;
        constexpr std::uint64_t most = 1 << 20;
        for (; place < text.size() && is_number(text[place]) && value < most; ++place) {
            value = 10 * value + static_cast<std::uint64_t>(text[place] - '0');
        }
        if (value > 0) {
            return value;
        }
    }
    return std::nullopt;
}

/// True if the word stands alone: "EP" of "TP8 EP" and of "TP8DP2EP", not of "EPLB" or "DEEP".
bool stands(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_letter(text[at - 1])) && (end >= text.size() || !is_letter(text[end]))) {
            return true;
        }
    }
    return false;
}

/// The word of a text that begins like "w8a8" or "w4a16": up to what is neither letter nor digit.
std::string type_word(const std::string& text) {
    for (std::size_t at = text.find('w'); at != std::string::npos; at = text.find('w', at + 1)) {
        const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
        if (begins && at + 3 < text.size() && is_number(text[at + 1]) && text[at + 2] == 'a' &&
            is_number(text[at + 3])) {
            std::size_t end = at;
            while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) {
                ++end;
            }
            return text.substr(at, end - at);
        }
    }
    return {};
}

}  // namespace

StatedLayout stated_layout(std::string_view text) {
    StatedLayout layout;
    layout.tensor = behind(text, "TP");
    layout.replicas = behind(text, "DP");
    layout.pipeline = behind(text, "PP");
    layout.expert_devices = behind(text, "EP");
    layout.expert_parallel = layout.expert_devices || stands(text, "EP");
    return layout;
}

std::optional<StatedPair> stated_pair(std::string_view text) {
    const std::size_t prompts = text.find("(P ");
    const std::size_t decoding = text.find(", D ");
    if (prompts == std::string_view::npos || decoding == std::string_view::npos || decoding < prompts) {
        return std::nullopt;
    }
    StatedPair pair{.prompts = stated_layout(text.substr(prompts, decoding - prompts)),
                    .decoding = stated_layout(text.substr(decoding))};
    return pair.prompts.tensor && pair.decoding.tensor ? std::optional{pair} : std::nullopt;
}

StatedTypes stated_types(std::string_view text) {
    using Products = StatedTypes::Products;
    const std::string small = lower(std::string{text});
    StatedTypes types;
    const std::string word = type_word(small);
    types.byte_cache = small.find("c8") != std::string::npos && (word.ends_with("c8") || stands(small, "c8"));
    for (const char* other : {"mxfp", "fp8", "w4a4", "awq", "gptq"}) {
        if (small.find(other) != std::string::npos) {
            return {.products = Products::other, .byte_cache = types.byte_cache, .stated = true};
        }
    }
    types.stated = !word.empty() || small.find("bf16") != std::string::npos;
    if (word.empty()) {
        return types;
    }
    types.compressed = word.ends_with("sc");
    const bool of_bytes = word.starts_with("w8a8");
    const bool of_four = word.starts_with("w4a8");
    types.products = of_bytes ? Products::w8a8 : of_four ? Products::w4a8 : Products::other;
    return types;
}

}  // namespace ascendsim::validation
