// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/nn/recorded_match.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/scenario/host_process.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::scenario {
namespace {

using program::CallArgument;
using program::CallKind;
using program::CallTensor;
using tiling::DescribedParameter;

class RecordedMatch {
public:
    RecordedMatch(const program::OperatorAsk& ask, const tiling::DescribedOperator& one)
        : ask_{ask}, one_{one} {
        result_.request.name = one.type;
        result_.request.place = ask.function;
    }

    MatchedCall matched(bool to_infer) {
        for (const bool outputs : {false, true}) {
            std::size_t next = 0;
            for (std::size_t i = 0; i < ask_.arguments.size(); ++i) {
                const CallArgument& argument = ask_.arguments[i];
                if (!argument.attribute && argument.written == outputs) {
                    const DescribedParameter& parameter = parameter_at(next++, outputs);
                    if (!argument.given || (outputs && to_infer)) {
                        continue;
                    }
                    if (outputs && is_of_an_input(parameter)) {
                        place(parameter, i);  // what it holds before, the input says
                    } else {
                        fill(parameter, i);
                    }
                }
            }
        }
        std::size_t next = 0;
        for (const CallArgument& argument : ask_.arguments) {
            if (argument.attribute) {
                set(argument, next++);
            }
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] const DescribedParameter& parameter_at(std::size_t number, bool outputs) const {
        std::size_t at = 0;
        for (const DescribedParameter& parameter : one_.parameters) {
            if (parameter.output == outputs && at++ == number) {
                return parameter;
            }
        }
        throw runtime::OperatorRefusal{
            fmt::format("the library's own code launches {} with more {} than the {} of its definition",
                        one_.type,
                        outputs ? "outputs" : "inputs",
                        at)};
    }

    [[nodiscard]] bool is_of_an_input(const DescribedParameter& output) const {
        return std::ranges::any_of(one_.parameters, [&](const DescribedParameter& other) {
            return !other.output && other.name == output.name;
        });
    }

    static std::string buffer_of(const DescribedParameter& parameter, std::size_t t) {
        return parameter.kind == "list" ? fmt::format("{}[{}]", parameter.name, t) : parameter.name;
    }

    /// The operator changes an input: the result is where the call says. The input is brought there before.
    void place(const DescribedParameter& parameter, std::size_t i) {
        for (std::size_t t = 0; t < ask_.arguments[i].tensors.size(); ++t) {
            const std::string buffer = buffer_of(parameter, t);
            const runtime::OperatorRun::Place result{i, t};
            const auto input = result_.places.find(buffer);
            if (input == result_.places.end()) {
                continue;
            }
            const CallTensor& from = ask_.arguments[input->second.argument].tensors[input->second.tensor];
            if (from.address != ask_.arguments[i].tensors[t].address) {
                result_.brought.emplace_back(input->second, result);
                input->second = result;
            }
        }
    }

    void fill(const DescribedParameter& parameter, std::size_t i) {
        const CallArgument& argument = ask_.arguments[i];
        if (argument.kind != CallKind::tensor && argument.kind != CallKind::tensors) {
            OperatorTensor tensor{.name = parameter.name};
            tensor.values = numbers_of(argument.value);
            tensor.shape = {static_cast<std::int64_t>(tensor.values.size())};
            tensor.place = ask_.function;
            result_.request.tensors.push_back(std::move(tensor));
            return;
        }
        for (std::size_t t = 0; t < argument.tensors.size(); ++t) {
            const CallTensor& given = argument.tensors[t];
            OperatorTensor tensor = tensor_of_call(parameter, given, ask_.function);
            tensor.values = given.known;
            result_.request.tensors.push_back(std::move(tensor));
            if (given.known.empty()) {
                result_.places.insert_or_assign(buffer_of(parameter, t), runtime::OperatorRun::Place{i, t});
            }
        }
    }

    void set(const CallArgument& argument, std::size_t number) {
        const bool named = argument.name != fmt::format("attribute {}", number);
        const auto at = named ? std::ranges::find_if(one_.attributes,
                                                     [&](const auto& attribute) {
                                                         return toolchain::letters_of(attribute.first) ==
                                                                toolchain::letters_of(argument.name);
                                                     })
                        : number < one_.attributes.size()
                            ? one_.attributes.begin() + static_cast<std::ptrdiff_t>(number)
                            : one_.attributes.end();
        if (at == one_.attributes.end()) {
            if (named) {  // of the AI CPU's alone
                return;
            }
            throw runtime::OperatorRefusal{fmt::format(
                "the library's own code launches {} with more attributes than the {} of its definition",
                one_.type,
                one_.attributes.size())};
        }
        if (argument.given) {
            result_.request.attributes.emplace_back(at->first, as_kind(argument.value, at->second));
        }
    }

    const program::OperatorAsk& ask_;
    const tiling::DescribedOperator& one_;
    MatchedCall result_;
};

}  // namespace

MatchedCall recorded_match(const program::OperatorAsk& ask,
                           const tiling::DescribedOperator& one,
                           bool to_infer) {
    return RecordedMatch{ask, one}.matched(to_infer);
}

}  // namespace ascendsim::scenario
