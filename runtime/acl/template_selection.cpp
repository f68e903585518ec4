// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/template_selection.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace ascendsim::tiling {
namespace {

struct Declared {
    std::string type;
    TemplateItems arguments;
    std::vector<TemplateItems> selections;
};

/// Of the one plug-in that a process asks.
struct Known {
    std::vector<Declared> operators;
    std::map<uint64_t, std::vector<int64_t>> keys;
};

Known& known() {
    static Known all;
    return all;
}

bool selects(const TemplateItems& selection, const Declared& declared, const std::vector<int64_t>& values) {
    return std::ranges::all_of(selection, [&](const TemplateItem& item) {
        if (item.kind != TemplateItemKind::argument) {
            return true;
        }
        const auto argument = std::ranges::find(declared.arguments, item.name, &TemplateItem::name);
        if (argument == declared.arguments.end()) {
            return true;
        }
        const int64_t value = values[static_cast<std::size_t>(argument - declared.arguments.begin())];
        return std::ranges::find(item.values, value) != item.values.end();
    });
}

/// Names of element types as selections use them.
constexpr std::pair<std::string_view, int64_t> type_words[]{{"C_DT_FLOAT", 0},
                                                            {"C_DT_FLOAT16", 1},
                                                            {"C_DT_INT8", 2},
                                                            {"C_DT_INT32", 3},
                                                            {"C_DT_UINT8", 4},
                                                            {"C_DT_INT16", 6},
                                                            {"C_DT_UINT16", 7},
                                                            {"C_DT_UINT32", 8},
                                                            {"C_DT_INT64", 9},
                                                            {"C_DT_UINT64", 10},
                                                            {"C_DT_DOUBLE", 11},
                                                            {"C_DT_BOOL", 12},
                                                            {"C_DT_BF16", 27},
                                                            {"C_DT_INT4", 29},
                                                            {"true", 1},
                                                            {"false", 0}};

/// The words of a list that stand for a number; others are left out.
std::vector<int64_t> values_in(const std::string& text) {
    std::vector<int64_t> values;
    std::string word;
    for (const char letter : text + ",") {
        if (letter != ',') {
            word += letter == ' ' || letter == '(' || letter == ')' ? std::string{} : std::string{letter};
            continue;
        }
        int64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        const auto* const type =
            std::ranges::find(type_words, word, &std::pair<std::string_view, int64_t>::first);
        if (error == std::errc{} && end != word.data()) {
            values.push_back(value);
        } else if (type != std::end(type_words)) {
            values.push_back(type->second);
        }
        word.clear();
    }
    return values;
}

std::vector<int64_t> plain(std::initializer_list<TemplateValue> values) {
    std::vector<int64_t> numbers;
    std::ranges::transform(values, std::back_inserter(numbers), &TemplateValue::value);
    return numbers;
}

/// Of words that say their form first.
TemplateItem numbers(const char* name, unsigned bits, std::vector<int64_t> words) {
    TemplateItem item{TemplateItemKind::argument, name, bits, {}, true};
    constexpr int64_t ranges = 0;  // ASCENDC_TPL_UI_RANGE, _LIST, _MIX
    constexpr int64_t list = 1;
    if (words.empty()) {
        return item;
    }
    std::size_t at = 1;
    if (words[0] != list && words.size() > 1) {
        const auto pairs = static_cast<std::size_t>(words[1]);
        at = 2;
        for (std::size_t i = 0; i < pairs && at + 1 < words.size(); ++i, at += 2) {
            for (int64_t value = words[at]; value <= words[at + 1]; ++value) {
                item.values.push_back(value);
            }
        }
    }
    if (words[0] != ranges) {
        item.values.insert(item.values.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    }
    return item;
}

/// The arguments that key 0 stands for on the chip; nothing where no selection takes them.
std::optional<std::vector<int64_t>> arguments_of_zero(const std::string& type) {
    const auto declared = std::ranges::find(known().operators, type, &Declared::type);
    if (declared == known().operators.end()) {
        return std::nullopt;
    }
    std::vector<int64_t> values;
    for (const TemplateItem& argument : declared->arguments) {
        values.push_back(argument.by_place && !argument.values.empty() ? argument.values.front() : 0);
    }
    const bool taken = std::ranges::any_of(declared->selections, [&](const TemplateItems& selection) {
        return selects(selection, *declared, values);
    });
    return taken ? std::optional{std::move(values)} : std::nullopt;
}

}  // namespace

TemplateItem number_item(const char* name, unsigned bits, std::initializer_list<TemplateValue> words) {
    return numbers(name, bits, plain(words));
}

TemplateItem value_item(TemplateItemKind kind,
                        const char* name,
                        unsigned bits,
                        std::initializer_list<TemplateValue> values) {
    return {kind, name, bits, plain(values)};
}

TemplateItem selected_numbers(const char* name, const std::string& text) {
    return numbers(name, 0, values_in(text));
}

TemplateItem selected_values(const char* name, const std::string& text) {
    return {TemplateItemKind::argument, name, 0, values_in(text)};
}

bool declare_template(const char* type, const TemplateItems& items) {
    Declared declared{type, {}, {}};
    std::ranges::copy_if(items, std::back_inserter(declared.arguments), [](const TemplateItem& item) {
        return item.kind == TemplateItemKind::argument || item.kind == TemplateItemKind::core_argument;
    });
    const auto known_already = std::ranges::find_if(known().operators, [&](const Declared& one) {
        return one.type == declared.type && one.arguments.size() == declared.arguments.size();
    });
    if (known_already == known().operators.end()) {
        known().operators.push_back(std::move(declared));
    } else {
        std::rotate(known_already, known_already + 1, known().operators.end());  // the last again
    }
    return true;
}

bool select_templates(const std::vector<TemplateItems>& selections) {
    if (!known().operators.empty()) {
        auto& all = known().operators.back().selections;
        all.insert(all.end(), selections.begin(), selections.end());
    }
    return true;
}

uint64_t template_key_of(const std::vector<int64_t>& values) {
    const auto declared = std::ranges::find_if(
        known().operators, [&](const Declared& one) { return one.arguments.size() == values.size(); });
    uint64_t key = 0;
    unsigned shift = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const unsigned bits = declared == known().operators.end() ? 8 : declared->arguments[i].bits;
        key |= static_cast<uint64_t>(values[i]) << (shift % 64);
        shift += bits;
    }
    // Values wider than declared may share a number with others.
    for (auto taken = known().keys.find(key); taken != known().keys.end() && taken->second != values;
         taken = known().keys.find(key)) {
        ++key;
    }
    known().keys[key] = values;
    return key;
}

TemplateChoice template_choice(const std::string& type, uint64_t key) {
    TemplateChoice choice;
    if (const auto values = known().keys.find(key); values != known().keys.end()) {
        choice.arguments = values->second;
    } else if (auto zero = key == 0 ? arguments_of_zero(type) : std::nullopt) {
        choice.arguments = *std::move(zero);
    } else {
        return choice;
    }
    choice.known = true;
    const Declared* declared = nullptr;
    for (const Declared& one : known().operators) {
        if (one.arguments.size() == choice.arguments.size() && (declared == nullptr || one.type == type)) {
            declared = &one;
        }
    }
    if (declared == nullptr) {
        return choice;
    }
    for (const TemplateItem& argument : declared->arguments) {
        if (argument.kind == TemplateItemKind::core_argument) {
            choice.core_kind = choice.arguments[choice.names.size()];
        }
        choice.names.push_back(argument.name);
    }
    for (const TemplateItems& selection : declared->selections) {
        if (!selects(selection, *declared, choice.arguments)) {
            continue;
        }
        for (const TemplateItem& item : selection) {
            if (item.kind == TemplateItemKind::structure) {
                choice.structure = item.name;
            } else if (item.kind == TemplateItemKind::core_kind && !item.values.empty()) {
                choice.core_kind = item.values.front();
            }
        }
        break;
    }
    return choice;
}

}  // namespace ascendsim::tiling
