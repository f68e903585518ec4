// SPDX-License-Identifier: Apache-2.0
#include "app/validation/library_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/scenario/library_list.hpp"
#include "app/validation/rows/attention_rows.hpp"
#include "app/validation/rows/operator_rows.hpp"
#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::validation {
namespace {

using tiling::DescribedParameter;

std::string quoted_word(const std::string& text) {
    return nlohmann::json(text).dump();
}

/// What a row's notes say of an attribute, as TOML; empty if nothing, or nothing of that kind.
std::string attribute_text(const Row& row, const std::string& name, const std::string& kind) {
    const std::optional<std::string> told = row.attribute(name);
    if (!told) {
        return {};
    }
    std::string value = *told;
    std::erase(value, '"');
    if (kind == "a String") {
        return quoted_word(value);
    }
    if (kind == "a Bool") {
        return value == "true" || value == "1" ? "true" : value == "false" || value == "0" ? "false" : "";
    }
    const bool list = kind.starts_with("a List");
    if (list != value.starts_with('[') ||
        value.find_first_not_of("[]0123456789+-.eE, ") != std::string::npos) {
        return {};
    }
    const bool whole = value.find_first_of(".eE") == std::string::npos;
    return kind == "a Float" && whole ? value + ".0" : value;
}

std::string tensor_text(const DescribedParameter& parameter,
                        const TensorShape& shape,
                        const std::optional<isa::DataType>& type) {
    return fmt::format("\n[[operator.tensors]]\nname = {}\nshape = [{}]\n{}",
                       quoted_word(parameter.name),
                       fmt::join(shape.extents, ", "),
                       type ? fmt::format("type = \"{}\"\n", isa::name(*type)) : std::string{});
}

/// The row's operands as the operator's inputs, in order; `why_not` if they do not go together.
std::string tensors_text(const Row& row, const tiling::DescribedOperator& one, std::string& why_not) {
    std::string text;
    std::size_t argument = 0;
    for (const DescribedParameter& parameter : one.parameters) {
        if (parameter.output || argument >= row.shape.arguments.size()) {
            continue;
        }
        const std::size_t number = argument++;
        const auto& types = row.types.inputs;
        const std::optional<isa::DataType> type =
            number < types.size() ? std::optional{types[number]} : std::nullopt;
        const bool told = row.types.inputs.size() >= row.shape.arguments.size() || number == 0;
        for (const TensorShape& shape : row.shape.arguments[number]) {
            if (shape.given) {
                text += tensor_text(parameter, shape, told ? type : std::nullopt);
            }
        }
    }
    if (argument < row.shape.arguments.size()) {
        why_not = fmt::format(
            "the row has {} operands, {} takes {}", row.shape.arguments.size(), one.type, argument);
    }
    return text;
}

bool has_attribute(const tiling::DescribedOperator& one, const std::string& name) {
    return std::ranges::any_of(one.attributes,
                               [&](const auto& attribute) { return attribute.first == name; });
}

bool has_input(const tiling::DescribedOperator& one, const std::string& name) {
    return std::ranges::any_of(
        one.parameters, [&](const auto& parameter) { return !parameter.output && parameter.name == name; });
}

/// The operator takes heads, layout and lengths that its tensors do not tell, as the library's attention
/// does.
bool takes_heads(const tiling::DescribedOperator& one) {
    return has_attribute(one, "num_heads") && has_attribute(one, "input_layout") && has_input(one, "query");
}

/// Attributes of an attention of that shape, as far as the operator has them.
std::vector<std::string> attention_attributes(const AttentionShape& shape,
                                              const tiling::DescribedOperator& one) {
    const double scale = 1 / std::sqrt(static_cast<double>(shape.head_dim + shape.rope_dim));
    std::vector<std::string> attributes;
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"num_heads", fmt::format("{}", shape.heads)},
             {"num_key_value_heads", fmt::format("{}", shape.kv_heads)},
             {"input_layout", shape.by_head ? "\"BNSD\"" : "\"BSND\""},
             {"scale", fmt::format("{:.6f}", scale)},
             {"scale_value", fmt::format("{:.6f}", scale)},
             {"sparse_mode", shape.causal && shape.q_len > 1 ? "3" : "0"}}) {
        if (has_attribute(one, name)) {
            attributes.push_back(name + " = " + value);
        }
    }
    return attributes;
}

/// Its tensors: rotated parts by name, the lengths of all sequences, and of a causal run the mask that the
/// library's sparse_mode 3 wants, [2048, 2048] (FusedInferAttentionScore's documentation).
std::string attention_tensors(const AttentionShape& shape,
                              const tiling::DescribedOperator& one,
                              const std::optional<isa::DataType>& type) {
    std::string text;
    const auto add =
        [&](const std::string& name, std::uint64_t length, std::uint64_t heads, std::uint64_t width) {
            const Extents extents = shape.by_head ? Extents{shape.batch, heads, length, width}
                                                  : Extents{shape.batch, length, heads, width};
            text += tensor_text({.name = name}, {.extents = extents}, type);
        };
    add("query", shape.q_len, shape.heads, shape.head_dim);
    add("key", shape.kv_len, shape.kv_heads, shape.head_dim);
    add("value", shape.kv_len, shape.kv_heads, shape.value_dim);
    if (shape.rope_dim != 0) {
        add("query_rope", shape.q_len, shape.heads, shape.rope_dim);
        add("key_rope", shape.kv_len, shape.kv_heads, shape.rope_dim);
    }
    if (shape.causal && shape.q_len > 1) {
        text += "\n[[operator.tensors]]\nname = \"atten_mask\"\nshape = [2048, 2048]\ntype = \"bool\"\n";
    }
    for (const auto& [name, length] :
         {std::pair{"actual_seq_lengths", shape.q_len}, std::pair{"actual_seq_lengths_kv", shape.kv_len}}) {
        if (has_input(one, name)) {
            text += fmt::format("\n[[operator.tensors]]\nname = \"{}\"\nvalues = [{}]\n",
                                name,
                                fmt::join(std::vector<std::uint64_t>(shape.batch, length), ", "));
        }
    }
    return text;
}

}  // namespace

LibraryRows::LibraryRows(std::filesystem::path library, const toolchain::Installation& installation)
    : library_{std::move(library)},
      installation_{installation},
      operators_{toolchain::operators_in(library_)} {}

const toolchain::LibraryOperator* LibraryRows::named(const Row& row) const {
    for (const std::string& name : operator_names(row)) {
        for (const toolchain::LibraryOperator& one : operators_) {
            if (toolchain::letters_of(one.type) == name) {
                return &one;
            }
        }
    }
    return nullptr;
}

const tiling::DescribedOperator& LibraryRows::described(const toolchain::LibraryOperator& one,
                                                        const ChipSpec& chip) {
    const std::string key = one.type + " " + toolchain::library_chip(chip.name);
    const auto known = described_.find(key);
    return known != described_.end()
               ? known->second
               : described_.emplace(key, scenario::described_operator(one, chip, installation_))
                     .first->second;
}

std::optional<LibraryCase> LibraryRows::of(const Row& row, const ChipSpec& chip) {
    const toolchain::LibraryOperator* one = named(row);
    if (one == nullptr) {
        return std::nullopt;
    }
    LibraryCase result{.type = one->type, .scenario = {}, .why_not = {}};
    try {
        const tiling::DescribedOperator& known = described(*one, chip);
        std::string text = fmt::format(
            "[scenario]\ntitle = {0}\nchip = \"910b3\"\nmode = \"timing\"\n\n"
            "[operator]\nname = {0}\nlibrary = {1}\n",
            quoted_word(one->type),
            quoted_word(one->folder.string()));
        std::vector<std::string> attributes;
        for (const auto& [name, kind] : known.attributes) {
            if (const std::string value = attribute_text(row, name, kind); !value.empty()) {
                attributes.push_back(fmt::format("{} = {}", name, value));
            }
        }
        const std::optional<AttentionShape> attention =
            takes_heads(known) ? attention_shape(row) : std::nullopt;
        if (attention) {
            attributes = attention_attributes(*attention, known);
        }
        if (!attributes.empty()) {
            text += fmt::format("attributes = {{ {} }}\n", fmt::join(attributes, ", "));
        }
        if (attention) {
            const auto& types = row.types.inputs;
            text += attention_tensors(
                *attention, known, types.empty() ? std::nullopt : std::optional{types.front()});
        } else {
            text += tensors_text(row, known, result.why_not);
        }
        if (result.why_not.empty()) {
            process::Digest digest;
            digest.add(text);
            result.scenario = toolchain::made_cache_folder("operators") / (digest.hex() + ".toml");
            toolchain::write_whole(result.scenario, text);
        }
    } catch (const UserError& error) {
        const std::string words = error.what();
        result.why_not = words.substr(0, words.find('\n'));
    } catch (const ProgramError& error) {
        result.why_not = error.what();
    }
    return result;
}

}  // namespace ascendsim::validation
