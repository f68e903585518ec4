// SPDX-License-Identifier: Apache-2.0
// AscendC::Std, the part of the C++ library that kernels may use under that name.
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC::Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::forward_as_tuple;
using std::get;
using std::ignore;
using std::index_sequence;
using std::index_sequence_for;
using std::integer_sequence;
using std::integral_constant;
using std::is_array;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_same;
using std::is_same_v;
using std::is_void;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::make_tuple;
using std::max;
using std::min;
using std::move;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_cvref;
using std::remove_cvref_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::swap;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;
using std::void_t;

template <typename A, typename B>
using IsSame = std::is_same<A, B>;

template <std::size_t value>
using Int = std::integral_constant<std::size_t, value>;

template <class T>
struct is_tuple : std::false_type {};

template <class... Elements>
struct is_tuple<std::tuple<Elements...>> : std::true_type {};
template <class T>
inline constexpr bool is_tuple_v = is_tuple<T>::value;

template <class T, class... Others>
struct is_one_of : std::bool_constant<(std::is_same_v<T, Others> || ...)> {};
template <class T, class... Others>
inline constexpr bool is_one_of_v = is_one_of<T, Others...>::value;

template <class...>
inline constexpr bool always_false_v = false;

template <class T, class U>
constexpr auto ceil_division(T a, U b) {
    return (a + b - 1) / b;
}

template <class T, class U>
constexpr auto ceil_align(T a, U b) {
    return ceil_division(a, b) * b;
}

}  // namespace AscendC::Std
