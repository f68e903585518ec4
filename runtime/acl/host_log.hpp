// SPDX-License-Identifier: Apache-2.0
// What an operator's host functions say: errors are kept for the report, as the operator's own words.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/acl/host_context.hpp"

namespace ascendsim::tiling {

/// Takes a message in printf's form. Errors are kept; they and warnings are printed while nobody keeps them.
[[gnu::format(printf, 4, 5)]] void say(bool error, const char* file, int line, const char* format, ...);

/// The errors said since the last call, the place in front of each; from then on nothing is printed.
[[nodiscard]] std::vector<std::string> taken_errors();

namespace detail {

template <class T>
std::string words_of(const T& value) {
    std::ostringstream text;
    if constexpr (std::is_pointer_v<T> && std::is_same_v<std::decay_t<std::remove_pointer_t<T>>, char>) {
        text << (value == nullptr ? "" : value);
    } else {
        text << value;
    }
    return text.str();
}

}  // namespace detail

/// Says that `what` of an operator is wrong, with whatever its code tells of it.
template <class... Details>
void complain(const char* file, int line, const char* what, const Details&... details) {
    std::string text = what;
    ((text += (text.ends_with(':') ? " " : ", ") + detail::words_of(details)), ...);
    say(true, file, line, "%s", text.c_str());
}

}  // namespace ascendsim::tiling

namespace Ops {
namespace Base {

std::string ToString(ge::DataType type);
std::string ToString(ge::Format format);
std::string ToString(const gert::Shape& shape);
std::string ToString(const std::vector<const gert::Shape*>& shapes);

inline const char* GetSafeStr(const char* text) {
    return text;
}

inline const char* GetSafeStr(const std::string& text) {
    return text.c_str();
}

inline std::string GetOpInfo(const std::string& name) {
    return name;
}

inline std::string GetOpInfo(const char* name) {
    return name == nullptr ? "nil" : name;
}

template <class Context>

requires(!std::is_convertible_v<Context, std::string>) std::string GetOpInfo(Context context) {
    return context == nullptr ? std::string{"nil"} : std::string{context->GetNodeType()};
}

}  // namespace Base
}  // namespace Ops
