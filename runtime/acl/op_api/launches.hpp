// SPDX-License-Identifier: Apache-2.0
// The lists that the toolkit's macros of launches take: OP_INPUT, OP_OUTPUT, OP_ATTR and relatives.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/acl/include/aclnn/acl_meta.h"
#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/acl/op_api/call_objects.hpp"

namespace ascendsim::op_api {

/// What a list is of.
enum class Role : std::uint8_t { inputs, outputs, attributes, names, other };

/// An entry: a tensor, a list of them, or a value.
using Entry = std::variant<const aclTensor*, const aclTensorList*, program::CallArgument>;

class Pack {
public:
    Pack() = default;

    Pack(Role what, std::vector<Entry> all) : role{what}, entries{std::move(all)} {}

    explicit Pack(std::vector<std::string> all) : role{Role::names}, names{std::move(all)} {}

    /// Which cores a launch is for, the definition says.
    Pack(op::CoreKind /*kind*/) {}  // NOLINT(google-explicit-constructor): stands among the lists

    Role role = Role::other;
    std::vector<Entry> entries;
    std::vector<std::string> names;
};

inline Entry operand(std::nullptr_t) {
    return static_cast<const aclTensor*>(nullptr);
}

inline Entry operand(const aclTensor* one) {
    return one;
}

inline Entry operand(const aclTensorList* one) {
    return one;
}

program::CallArgument attribute(const aclScalar* one);
program::CallArgument attribute(const aclIntArray* one);
program::CallArgument attribute(const aclFloatArray* one);
program::CallArgument attribute(const aclBoolArray* one);
program::CallArgument attribute(const aclTensor* one);
program::CallArgument attribute(const char* one);

inline program::CallArgument attribute(const std::string& one) {
    return attribute(one.c_str());
}

inline program::CallArgument attribute(std::nullptr_t) {
    return {.given = false};
}

template <class T>

requires std::is_arithmetic_v<T> || std::is_enum_v<T>

    program::CallArgument attribute(T one) {
    program::CallArgument result{.kind = program::CallKind::whole};
    if constexpr (std::is_same_v<T, bool>) {
        result.kind = program::CallKind::truth;
        result.value = one;
    } else if constexpr (std::is_floating_point_v<T>) {
        result.kind = program::CallKind::real;
        result.value = static_cast<double>(one);
    } else {
        result.value = static_cast<std::int64_t>(one);
    }
    return result;
}

/// Numbers of the host where an operand stands: a tensor that the kernel gets.
template <class T>

requires std::is_same_v<T, aclIntArray> || std::is_same_v<T, aclFloatArray> ||
    std::is_same_v<T, aclBoolArray> || std::is_same_v<T, aclScalar>
        Entry operand(const T* one) {
    return attribute(one);
}

template <class... T>
Pack inputs(const T&... all) {
    return {Role::inputs, {operand(all)...}};
}

template <class... T>
Pack outputs(const T&... all) {
    return {Role::outputs, {operand(all)...}};
}

template <class... T>
Pack attributes(const T&... all) {
    return {Role::attributes, {Entry{attribute(all)}...}};
}

inline Pack names(std::vector<std::string> all = {}) {
    return Pack{std::move(all)};
}

/// As the macros of the same meaning. What they cannot do they throw.
aclnnStatus launch(aclOpExecutor* executor, const char* type, const std::vector<Pack>& packs);
aclnnStatus infer_shapes(aclOpExecutor* executor, const char* type, const std::vector<Pack>& packs);

}  // namespace ascendsim::op_api
