// SPDX-License-Identifier: Apache-2.0
// Attributes of operators: what a definition declares and defaults, what a scenario sets, what a tiling
// function reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/acl/tiling_request.hpp"

namespace gert {

/// A list attribute, of elements that the reader knows.
class ContinuousVector {
public:
    std::size_t GetSize() const { return size_; }

    std::size_t GetCapacity() const { return size_; }

    const void* GetData() const { return bytes_.data(); }

    void* MutableData() { return bytes_.data(); }

protected:
    template <class T>
    void assign(const std::vector<T>& values) {
        size_ = values.size();
        bytes_.resize(std::max<std::size_t>(values.size() * sizeof(T), 1));  // never null
        for (std::size_t i = 0; i < values.size(); ++i) {
            const T value = values[i];  // a vector of bool has no data()
            std::memcpy(bytes_.data() + i * sizeof(T), &value, sizeof(T));
        }
    }

private:
    std::size_t size_ = 0;
    std::vector<std::byte> bytes_ = std::vector<std::byte>(1);
};

template <class T>
class TypedContinuousVector : public ContinuousVector {
public:
    TypedContinuousVector() = default;

    explicit TypedContinuousVector(const std::vector<T>& values) { assign(values); }

    const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }

    T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
};

/// A list of lists.
class ContinuousVectorVector {
public:
    ContinuousVectorVector() = default;

    explicit ContinuousVectorVector(const std::vector<std::vector<int64_t>>& values) {
        for (const std::vector<int64_t>& one : values) {
            lists_.emplace_back(one);
        }
    }

    std::size_t GetSize() const { return lists_.size(); }

    const ContinuousVector* Get(std::size_t i) const { return i < lists_.size() ? &lists_[i] : nullptr; }

private:
    std::vector<TypedContinuousVector<int64_t>> lists_;
};

/// The kind that a definition gives an attribute, in the order of attribute_kind_names.
enum class AttributeKind { none, whole, real, truth, text, wholes, reals, truths, lists };

inline constexpr const char* attribute_kind_names[]{"an attribute without a type",
                                                    "an Int",
                                                    "a Float",
                                                    "a Bool",
                                                    "a String",
                                                    "a ListInt",
                                                    "a ListFloat",
                                                    "a ListBool",
                                                    "a ListListInt"};

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
    ContinuousVectorVector lists;
    bool required = false;  // by its definition, which then has no default

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
    to.whole_list = gert::TypedContinuousVector<int64_t>{values};
    to.real_list = gert::TypedContinuousVector<float>{converted<float>(values)};
    to.truth_list = {};
    to.lists = {};
    if (to.kind == gert::AttributeKind::lists) {
        return values.empty();
    }
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

inline bool take(gert::Attribute& to, const std::vector<std::vector<std::int64_t>>& values) {
    to.lists = gert::ContinuousVectorVector{values};
    return to.kind == gert::AttributeKind::lists;
}

}  // namespace detail

/// Gives an attribute the scenario's value in place of the operator's own. False if it is of another kind.
inline bool set(gert::Attribute& attribute, const AttributeValue& value) {
    return std::visit([&](const auto& one) { return detail::take(attribute, one); }, value);
}

}  // namespace ascendsim::tiling
