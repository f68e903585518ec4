// SPDX-License-Identifier: Apache-2.0
// What the bodies of aclnn functions call, which are made for the headers that a host program includes
// (app/scenario/nn/call_headers.cpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "models/port/pipe.hpp"
#include "runtime/acl/include/aclnn/acl_meta.h"

namespace ascendsim::nn {

/// What an argument's type says; the order is that of program::CallKind.
enum class Kind : std::uint8_t {
    tensor,
    tensors,
    scalar,
    scalars,
    wholes,
    reals,
    truths,
    whole,
    real,
    truth,
    text,
    other
};

/// One argument as the function got it.
struct Argument {
    const char* name;
    Kind kind;
    bool written;  // a pointer to what is not const
    const void* object;
    std::int64_t whole;
    double real;
};

template <class T>
constexpr Kind kind_of() {
    using U = std::remove_cv_t<T>;
    return std::is_same_v<U, aclTensor>       ? Kind::tensor
           : std::is_same_v<U, aclTensorList> ? Kind::tensors
           : std::is_same_v<U, aclScalar>     ? Kind::scalar
           : std::is_same_v<U, aclScalarList> ? Kind::scalars
           : std::is_same_v<U, aclIntArray>   ? Kind::wholes
           : std::is_same_v<U, aclFloatArray> ? Kind::reals
           : std::is_same_v<U, aclBoolArray>  ? Kind::truths
           : std::is_same_v<U, char>          ? Kind::text
                                              : Kind::other;
}

template <class T>
Argument argument(const char* name, T* value) {
    return {name, kind_of<T>(), !std::is_const_v<T>, static_cast<const void*>(value), 0, 0};
}

template <class T>

requires std::is_arithmetic_v<T> || std::is_enum_v<T>

    Argument argument(const char* name, T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return {name, Kind::real, false, nullptr, 0, static_cast<double>(value)};
    } else {
        return {name,
                std::is_same_v<T, bool> ? Kind::truth : Kind::whole,
                false,
                nullptr,
                static_cast<std::int64_t>(value),
                0};
    }
}

/// Notes where the program makes the call that follows.
void at(Site site);

/// Where that was.
[[nodiscard]] Site call_place();

/// The library's own code behind a function, once it is known to be of use: the arguments are alive, and it
/// compiles. Null otherwise.
[[nodiscard]] void* own_first_phase(const char* function, const Argument* arguments, std::size_t count);
[[nodiscard]] void* own_second_phase(const char* function, const aclOpExecutor* executor);

/// Runs that code. Throws UserError where it asks for an operator that nobody has: what its arguments would
/// mean to the operator by their names need not be what it makes of them.
[[nodiscard]] aclnnStatus run_own_code(const char* function, aclnnStatus (*run)(void* call), void* call);

/// The first phase by the library's own code; false if there is none.
template <class Call>
bool by_own_code(
    const char* function, const Argument* arguments, std::size_t count, aclnnStatus& status, Call call) {
    void* const own = own_first_phase(function, arguments, count);
    if (own == nullptr) {
        return false;
    }
    auto run = [&] { return call(own); };
    status = run_own_code(
        function, [](void* held) { return (*static_cast<decltype(run)*>(held))(); }, &run);
    return true;
}

/// The first phase: finds and tiles the operator. Refusals of the operator's own come back as a code, with a
/// sentence on the error stream; an operator that is not there ends the program.
aclnnStatus prepare(const char* function,
                    const Argument* arguments,
                    std::size_t count,
                    std::uint64_t* workspace,
                    aclOpExecutor** executor);

/// The second phase: puts it on a stream.
aclnnStatus start(
    const char* function, void* workspace, std::uint64_t bytes, aclOpExecutor* executor, aclrtStream stream);

}  // namespace ascendsim::nn
