// SPDX-License-Identifier: Apache-2.0
// Kernels that are templates (ASCENDC_TPL_…): which arguments there are, which selections of them are built,
// and the tiling keys that stand for them. A key here numbers the values in their declared widths; what
// counts is that it leads back to the arguments.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace ascendsim::tiling {

/// What stands in a declaration or selection.
/// An argument may say the kind of cores, or a selection may for itself.
enum class TemplateItemKind { argument, core_argument, core_kind, structure, other };

/// An argument with the values it may have, or a word about the selection.
struct TemplateItem {
    TemplateItemKind kind = TemplateItemKind::other;
    std::string name;
    unsigned bits = 8;  // of the tiling key
    std::vector<int64_t> values;
    bool by_place = false;  // the chip's keys hold a value's place among these, not the value
};

using TemplateItems = std::vector<TemplateItem>;

/// A number of a declaration, whatever type it has there.
struct TemplateValue {
    template <class Value>

    requires std::is_arithmetic_v<Value> || std::is_enum_v<Value>
    // NOLINTNEXTLINE(google-explicit-constructor): lists of it are written as numbers
    TemplateValue(Value of) : value{static_cast<int64_t>(of)} {}

    int64_t value;
};

/// Numbers come in one of three forms: all listed, pairs of first and last, or both. Lists in braces, as
/// declarations may end with a comma.
TemplateItem number_item(const char* name, unsigned bits, std::initializer_list<TemplateValue> words);
TemplateItem value_item(TemplateItemKind kind,
                        const char* name,
                        unsigned bits,
                        std::initializer_list<TemplateValue> values);

/// The same of a selection's text, as far as its words are numbers or names of element types (C_DT_…).
TemplateItem selected_numbers(const char* name, const std::string& text);
TemplateItem selected_values(const char* name, const std::string& text);

/// Notes the arguments of an operator's kernel, in order.
bool declare_template(const char* type, const TemplateItems& items);

/// Notes selections of the operator declared last.
bool select_templates(const std::vector<TemplateItems>& selections);

/// The key of these arguments, of whichever operator has that many.
uint64_t template_key_of(const std::vector<int64_t>& values);

template <class... Values>
uint64_t template_key(Values... values) {
    return template_key_of({static_cast<int64_t>(values)...});
}

/// What a key stands for.
struct TemplateChoice {
    bool known = false;
    std::vector<int64_t> arguments;
    std::vector<std::string> names;  // of the arguments
    std::string structure;           // of the tiling, if the selection names one
    int64_t core_kind = -1;          // ASCENDC_TPL_AIV_ONLY …, if the selection names one
};

/// `type` decides between operators that have the same number of arguments. A tiling function that sets no
/// key leaves 0, which is a key of the chip as any other: of the first number of each list, and of 0
/// elsewhere.
TemplateChoice template_choice(const std::string& type, uint64_t key);

}  // namespace ascendsim::tiling
