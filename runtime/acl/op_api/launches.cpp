// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/launches.hpp"

#include <fmt/format.h>

#include "runtime/acl/op_api/recording.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::op_api {
namespace {

using program::CallArgument;
using program::CallKind;
using program::CallTensor;

/// An entry as the operator gets it. An output whose shape is to be inferred has no place yet.
CallArgument argument_of(const Entry& entry, bool written, bool to_infer) {
    const auto tensor_of = [&](const aclTensor* one) {
        return one == nullptr ? CallTensor{} : written && to_infer ? one->value : as_operand(*one);
    };
    if (const auto* value = std::get_if<CallArgument>(&entry)) {
        return *value;
    }
    CallArgument result{.kind = CallKind::tensor, .written = written};
    if (const auto* const* one = std::get_if<const aclTensor*>(&entry)) {
        result.given = *one != nullptr;
        if (result.given) {
            result.tensors = {tensor_of(*one)};
        }
        return result;
    }
    const auto* const list = std::get<const aclTensorList*>(entry);
    result.kind = CallKind::tensors;
    result.given = list != nullptr;
    for (std::size_t i = 0; list != nullptr && i < list->tensors.size(); ++i) {
        result.tensors.push_back(tensor_of(list->tensors[i]));
    }
    return result;
}

/// Inputs, outputs and attributes, in this order.
std::vector<CallArgument> arguments_of(const std::vector<Pack>& packs, bool to_infer) {
    std::vector<CallArgument> all;
    for (const Role role : {Role::inputs, Role::outputs, Role::attributes}) {
        for (const Pack& pack : packs) {
            if (pack.role != role) {
                continue;
            }
            for (std::size_t i = 0; i < pack.entries.size(); ++i) {
                CallArgument one = argument_of(pack.entries[i], role == Role::outputs, to_infer);
                one.attribute = role == Role::attributes;
                one.written = role == Role::outputs;
                one.name = fmt::format("{} {}",
                                       one.attribute ? "attribute"
                                       : one.written ? "output"
                                                     : "input",
                                       i);
                all.push_back(std::move(one));
            }
        }
    }
    // The AI CPU's launches name their attributes.
    for (const Pack& pack : packs) {
        auto at = all.begin();
        for (const std::string& name : pack.names) {
            while (at != all.end() && !at->attribute) {
                ++at;
            }
            if (at != all.end()) {
                at->name = name;
                ++at;
            }
        }
    }
    return all;
}

void check(const aclOpExecutor* executor, const char* type) {
    if (executor == nullptr || executor->recording == nullptr) {
        throw UserError{"{}: launches {} without an executor of CREATE_EXECUTOR()", current_function(), type};
    }
}

}  // namespace

CallArgument attribute(const aclScalar* one) {
    CallArgument result{.kind = CallKind::scalar, .given = one != nullptr};
    if (one != nullptr) {
        result.type = one->type;
        result.value = one->is_whole ? tiling::AttributeValue{one->whole} : tiling::AttributeValue{one->real};
    }
    return result;
}

CallArgument attribute(const aclIntArray* one) {
    CallArgument result{.kind = CallKind::wholes, .given = one != nullptr};
    if (one != nullptr) {
        result.value = one->values;
    }
    return result;
}

CallArgument attribute(const aclFloatArray* one) {
    CallArgument result{.kind = CallKind::reals, .given = one != nullptr};
    if (one != nullptr) {
        result.value = std::vector<double>(one->values.begin(), one->values.end());
    }
    return result;
}

CallArgument attribute(const aclBoolArray* one) {
    CallArgument result{.kind = CallKind::truths, .given = one != nullptr};
    if (one != nullptr) {
        result.value = one->values;
    }
    return result;
}

CallArgument attribute(const aclTensor* one) {
    CallArgument result{.kind = CallKind::reals, .given = one != nullptr};
    if (one != nullptr) {
        result.value = as_operand(*one).known;
    }
    return result;
}

CallArgument attribute(const char* one) {
    CallArgument result{.kind = CallKind::text, .given = one != nullptr};
    if (one != nullptr) {
        result.value = std::string{one};
    }
    return result;
}

aclnnStatus launch(aclOpExecutor* executor, const char* type, const std::vector<Pack>& packs) {
    check(executor, type);
    return record(executor, type, arguments_of(packs, false));
}

aclnnStatus infer_shapes(aclOpExecutor* executor, const char* type, const std::vector<Pack>& packs) {
    check(executor, type);
    std::vector<aclTensor*> results;
    for (const Pack& pack : packs) {
        for (const Entry& entry : pack.entries) {
            const auto* const* one = std::get_if<const aclTensor*>(&entry);
            if (pack.role == Role::outputs) {
                // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the macro takes outputs as const
                results.push_back(one == nullptr ? nullptr : const_cast<aclTensor*>(*one));
            }
        }
    }
    return infer(executor, type, arguments_of(packs, true), results);
}

}  // namespace ascendsim::op_api
