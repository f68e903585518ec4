// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace ascendsim {

/// Brackets within brackets that any file of ours needs, with room to spare. What a parser makes of more is
/// copied and written by functions that call themselves, and 100,000 would overflow the stack.
inline constexpr std::size_t most_nesting = 64;

/// True if brackets, [] and {}, stand deeper than `most` within each other in a JSON text. Those in strings
/// do not count.
[[nodiscard]] bool nested_deeper(std::string_view json, std::size_t most = most_nesting);

}  // namespace ascendsim
