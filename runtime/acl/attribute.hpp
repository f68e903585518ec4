// SPDX-License-Identifier: Apache-2.0
// Attributes of operators: what a definition declares and defaults, what a scenario sets, what a tiling
// function reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/acl/tiling_request.hpp"

namespace gert {

/// A list attribute.
template <class T>
class TypedContinuousVector {
public:
    TypedContinuousVector() = default;

    explicit TypedContinuousVector(const std::vector<T>& values) : values_(values.begin(), values.end()) {}

    std::size_t GetSize() const { return values_.size(); }

    const T* GetData() const { return reinterpret_cast<const T*>(values_.data()); }

private:
    static_assert(sizeof(bool) == 1);
    std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>
        values_;  // a vector of bool has no data()
};

using ContinuousVector = TypedContinuousVector<int64_t>;

/// The kind that a definition gives an attribute, in the order of attribute_kind_names.
enum class AttributeKind { none, whole, real, truth, text, wholes, reals, truths };

inline constexpr const char* attribute_kind_names[]{"an attribute without a type",
                                                    "an Int",
                                                    "a Float",
                                                    "a Bool",
                                                    "a String",
                                                    "a ListInt",
                                                    "a ListFloat",
                                                    "a ListBool"};

/// An attribute in every form that may be asked for. Numbers are kept in all forms of numbers.
struct Attribute {
    std::string name;
    AttributeKind kind = AttributeKind::none;
    int64_t whole = 0;
    float real = 0;
    bool truth = false;
    std::string text;
    TypedContinuousVector<int64_t> whole_list;
    TypedContinuousVector<float> real_list;
    TypedContinuousVector<bool> truth_list;

    void set(int64_t value) {
        whole = value;
        truth = value != 0;
        real = static_cast<float>(value);
    }
};

}  // namespace gert

namespace ascendsim::tiling {

namespace detail {

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
    return std::vector<To>(values.begin(), values.end());
}

// Each takes a value of one type if the attribute's kind can hold it: whole numbers are real ones too.
inline bool take(gert::Attribute& to, std::int64_t value) {
    to.set(value);
    return to.kind == gert::AttributeKind::whole || to.kind == gert::AttributeKind::real;
}

inline bool take(gert::Attribute& to, double value) {
    to.real = static_cast<float>(value);
    return to.kind == gert::AttributeKind::real;
}

inline bool take(gert::Attribute& to, bool value) {
    to.set(value ? 1 : 0);
    return to.kind == gert::AttributeKind::truth;
}

inline bool take(gert::Attribute& to, const std::string& value) {
    to.text = value;
    return to.kind == gert::AttributeKind::text;
}

inline bool take(gert::Attribute& to, const std::vector<std::int64_t>& values) {
    to.whole_list = gert::ContinuousVector{values};
    to.real_list = gert::TypedContinuousVector<float>{converted<float>(values)};
    to.truth_list = {};
    return to.kind == gert::AttributeKind::wholes || to.kind == gert::AttributeKind::reals ||
           (to.kind == gert::AttributeKind::truths && values.empty());
}

inline bool take(gert::Attribute& to, const std::vector<double>& values) {
    to.real_list = gert::TypedContinuousVector<float>{converted<float>(values)};
    return to.kind == gert::AttributeKind::reals;
}

inline bool take(gert::Attribute& to, const std::vector<bool>& values) {
    to.truth_list = gert::TypedContinuousVector<bool>{values};
    return to.kind == gert::AttributeKind::truths;
}

}  // namespace detail

/// Gives an attribute the scenario's value in place of the operator's own. False if it is of another kind.
inline bool set(gert::Attribute& attribute, const AttributeValue& value) {
    return std::visit([&](const auto& one) { return detail::take(attribute, one); }, value);
}

}  // namespace ascendsim::tiling
