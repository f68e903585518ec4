// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/nn/operator_match.hpp"

#include <algorithm>
#include <cctype>
#include <variant>

#include <fmt/format.h>

#include "app/scenario/host_process.hpp"
#include "app/scenario/operator_answer.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::scenario {
namespace {

using program::CallArgument;
using program::CallKind;
using program::CallTensor;
using tiling::AttributeValue;
using tiling::DescribedParameter;

bool is_tensor(const CallArgument& one) {
    return one.kind == CallKind::tensor || one.kind == CallKind::tensors;
}

std::string without_end(std::string letters, std::string_view end) {
    if (letters.size() > end.size() && letters.ends_with(end)) {
        letters.resize(letters.size() - end.size());
    }
    return letters;
}

/// A parameter's name in the spellings in which the operator may have it.
std::vector<std::string> spellings(const std::string& name) {
    const std::string plain = toolchain::letters_of(name);
    std::vector<std::string> all{plain};
    for (const std::string_view end : {"optional", "out", "ref"}) {
        const std::vector<std::string> before = all;
        for (const std::string& one : before) {
            all.push_back(without_end(one, end));
        }
    }
    return all;
}

bool named(const CallArgument& one, const std::string& name) {
    const std::vector<std::string> all = spellings(one.name);
    return std::ranges::find(all, toolchain::letters_of(name)) != all.end();
}

bool is_result(const CallArgument& one) {
    return is_tensor(one) && (one.written || one.name.ends_with("Out") || one.name == "out");
}

/// A value that the operator would have without being told: nothing is lost with it.
bool says_nothing(const CallArgument& one) {
    if (!one.given) {
        return true;
    }
    // How products of float32 may be computed, and hints: not what is computed.
    static const std::vector<std::string> harmless{"cubemathtype", "cubemathtypeoptional"};
    if (std::ranges::find(harmless, toolchain::letters_of(one.name)) != harmless.end()) {
        return true;
    }
    return std::visit(
        [&](const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, bool>) {
                return !value;
            } else if constexpr (std::is_arithmetic_v<Value>) {
                // Factors of sums, of which 1 changes nothing.
                return !is_tensor(one) && (value == 0 || (one.name == "alpha" && value == 1));
            } else {
                return !is_tensor(one) && value.empty();
            }
        },
        one.value);
}

bool fits_kind(const CallArgument& one, const std::string& kind) {
    const bool list = one.kind == CallKind::wholes || one.kind == CallKind::reals ||
                      one.kind == CallKind::truths || one.kind == CallKind::scalars;
    return kind == "a String" ? one.kind == CallKind::text
                              : one.kind != CallKind::text && list == kind.starts_with("a List");
}

class Match {
public:
    Match(const program::OperatorAsk& ask, const tiling::DescribedOperator& one)
        : ask_{ask}, one_{one}, used_(ask.arguments.size()), filled_(one.parameters.size()) {
        for (const auto& attribute : one.attributes) {
            open_attributes_.push_back(attribute);
        }
        result_.request.name = one.type;
        result_.request.place = ask.function;
    }

    MatchedCall matched() {
        by_name();
        results_in_order();
        in_order();
        in_place();
        for (std::size_t i = 0; i < ask_.arguments.size(); ++i) {
            if (!used_[i] && !says_nothing(ask_.arguments[i])) {
                throw runtime::OperatorRefusal{
                    fmt::format("its parameter '{}' has no place in the operator {}: code of the library's "
                                "own (op_api) makes something else of such a call, and none could be run",
                                ask_.arguments[i].name,
                                one_.type)};
            }
        }
        return std::move(result_);
    }

private:
    void by_name() {
        for (std::size_t i = 0; i < ask_.arguments.size(); ++i) {
            const CallArgument& one = ask_.arguments[i];
            for (const bool outputs : {is_result(one), !is_result(one)}) {
                for (std::size_t p = 0; p < one_.parameters.size() && !used_[i]; ++p) {
                    const DescribedParameter& parameter = one_.parameters[p];
                    if (parameter.output == outputs && !filled_[p] && named(one, parameter.name) &&
                        (is_tensor(one) || !outputs)) {
                        fill(p, i);
                    }
                }
            }
            for (auto at = open_attributes_.begin(); at != open_attributes_.end() && !used_[i]; ++at) {
                if (!is_tensor(one) && named(one, at->first)) {
                    set(at, i);
                    break;
                }
            }
        }
    }

    void results_in_order() {
        for (std::size_t i = 0; i < ask_.arguments.size(); ++i) {
            for (std::size_t p = 0; p < one_.parameters.size() && !used_[i]; ++p) {
                if (is_result(ask_.arguments[i]) && one_.parameters[p].output && !filled_[p] &&
                    !is_of_an_input(one_.parameters[p])) {
                    fill(p, i);
                }
            }
        }
    }

    void in_order() {
        for (std::size_t i = 0; i < ask_.arguments.size(); ++i) {
            const CallArgument& one = ask_.arguments[i];
            for (std::size_t p = 0; p < one_.parameters.size() && !used_[i] && one.given; ++p) {
                const DescribedParameter& parameter = one_.parameters[p];
                const bool list = parameter.kind == "list";
                if (is_tensor(one) && !filled_[p] && !parameter.output &&
                    list == (one.kind == CallKind::tensors)) {
                    fill(p, i);
                }
            }
            for (auto at = open_attributes_.begin(); at != open_attributes_.end() && !used_[i]; ++at) {
                if (!is_tensor(one) && one.given && fits_kind(one, at->second)) {
                    set(at, i);
                    break;
                }
            }
            // What the host knows may be an input of the operator's.
            for (std::size_t p = 0; p < one_.parameters.size() && !used_[i]; ++p) {
                if (!is_tensor(one) && one.given && !filled_[p] && !one_.parameters[p].output &&
                    one_.parameters[p].kind == "required" && one.kind != CallKind::text) {
                    fill(p, i);
                }
            }
        }
    }

    /// Results that the call names as an operand: aclnnInplace…, and "Ref".
    void in_place() {
        for (std::size_t p = 0; p < one_.parameters.size(); ++p) {
            if (!one_.parameters[p].output || filled_[p] || is_of_an_input(one_.parameters[p])) {
                continue;
            }
            for (std::size_t i = 0; i < ask_.arguments.size(); ++i) {
                const CallArgument& one = ask_.arguments[i];
                if (is_tensor(one) && one.given && (one.written || one.name.ends_with("Ref")) && !twice_[i]) {
                    twice_[i] = true;
                    fill(p, i);
                    break;
                }
            }
        }
    }

    [[nodiscard]] bool is_of_an_input(const DescribedParameter& output) const {
        return std::ranges::any_of(one_.parameters, [&](const DescribedParameter& other) {
            return !other.output && other.name == output.name;
        });
    }

    void set(std::vector<std::pair<std::string, std::string>>::iterator at, std::size_t i) {
        const CallArgument& one = ask_.arguments[i];
        if (one.given) {
            result_.request.attributes.emplace_back(at->first, as_kind(one.value, at->second));
        }
        used_[i] = true;
        open_attributes_.erase(at);
    }

    void fill(std::size_t p, std::size_t i) {
        const DescribedParameter& parameter = one_.parameters[p];
        const CallArgument& one = ask_.arguments[i];
        used_[i] = true;
        filled_[p] = true;
        if (!one.given) {
            return;
        }
        if (!is_tensor(one)) {
            result_.request.tensors.push_back(known(parameter, one));
            return;
        }
        for (std::size_t t = 0; t < one.tensors.size(); ++t) {
            result_.request.tensors.push_back(tensor_of_call(parameter, one.tensors[t], ask_.function));
            const std::string buffer =
                parameter.kind == "list" ? fmt::format("{}[{}]", parameter.name, t) : parameter.name;
            result_.places.insert_or_assign(buffer, runtime::OperatorRun::Place{i, t});
        }
    }

    /// Numbers that the host knows, as the tensor that the kernel gets.
    [[nodiscard]] OperatorTensor known(const DescribedParameter& parameter, const CallArgument& one) const {
        OperatorTensor tensor{.name = parameter.name};
        tensor.place = ask_.function;
        tensor.values = numbers_of(one.value);
        tensor.shape = {static_cast<std::int64_t>(tensor.values.size())};
        constexpr std::int32_t int64 = 9;
        constexpr std::int32_t float32 = 0;
        const auto& types = parameter.types;
        const std::int32_t wanted = one.kind == CallKind::wholes                                ? int64
                                    : one.kind == CallKind::reals || one.kind == CallKind::real ? float32
                                                                                                : one.type;
        const bool has = std::ranges::find(types, wanted) != types.end();
        const TypeNames* type = names_of_number(has || types.empty() ? wanted : types.front());
        if (type != nullptr && has) {
            tensor.type = type->type;
        } else if (type != nullptr &&
                   std::ranges::all_of(types, [&](std::int32_t t) { return t == types[0]; })) {
            tensor.type = type->type;
        }
        return tensor;
    }

    const program::OperatorAsk& ask_;
    const tiling::DescribedOperator& one_;
    std::vector<bool> used_;    // of the call's arguments
    std::vector<bool> filled_;  // of the operator's parameters
    std::map<std::size_t, bool> twice_;
    std::vector<std::pair<std::string, std::string>> open_attributes_;
    MatchedCall result_;
};

}  // namespace

std::vector<double> numbers_of(const AttributeValue& value) {
    return std::visit(
        [](const auto& held) -> std::vector<double> {
            using Value = std::decay_t<decltype(held)>;
            if constexpr (std::is_arithmetic_v<Value>) {
                return {static_cast<double>(held)};
            } else if constexpr (std::is_same_v<Value, std::string> ||
                                 std::is_same_v<Value, std::vector<std::vector<std::int64_t>>>) {
                return {};
            } else {
                return {held.begin(), held.end()};
            }
        },
        value);
}

host::Shape shape_of(const program::CallTensor& tensor) {
    return {tensor.shape.begin(), tensor.shape.end()};
}

AttributeValue as_kind(const AttributeValue& value, const std::string& kind) {
    const std::vector<double> numbers = numbers_of(value);
    const double first = numbers.empty() ? 0 : numbers.front();
    if (kind == "a Float") {
        return first;
    }
    if (kind == "an Int") {
        const auto* exact = std::get_if<std::int64_t>(&value);
        return exact != nullptr ? *exact : static_cast<std::int64_t>(first);
    }
    if (kind == "a Bool") {
        return first != 0;
    }
    if (kind == "a ListInt" && !std::holds_alternative<std::vector<std::int64_t>>(value)) {
        return std::vector<std::int64_t>(numbers.begin(), numbers.end());
    }
    if (kind == "a ListFloat") {
        return numbers;
    }
    return value;
}

OperatorTensor tensor_of_call(const DescribedParameter& parameter,
                              const CallTensor& tensor,
                              const std::string& place) {
    OperatorTensor one{.name = parameter.name, .shape = tensor.shape};
    one.place = place;
    const TypeNames* type = names_of_number(tensor.type);
    if (type == nullptr) {
        throw runtime::OperatorRefusal{fmt::format(
            "tensor '{}' has a type that is not simulated (aclDataType {})", parameter.name, tensor.type)};
    }
    one.type = type->type;
    // Layouts of plain rows have several names; the definition's own is meant.
    constexpr std::int32_t nd = 2;
    const bool known = std::ranges::find(parameter.formats, tensor.format) != parameter.formats.end();
    const bool plain = tensor.stored == tensor.shape;
    if (tensor.format != nd && (known || !plain)) {
        one.format = format_name(tensor.format);
    }
    return one;
}

MatchedCall matched(const program::OperatorAsk& ask, const tiling::DescribedOperator& one) {
    return Match{ask, one}.matched();
}

}  // namespace ascendsim::scenario
