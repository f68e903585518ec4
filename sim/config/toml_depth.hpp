// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace ascendsim {

/// The first line of a TOML text whose dotted key has more than `limit` dots, or 0. The parser bounds the
/// nesting of brackets but not of dotted keys, and a hostile `a.a.a…` would overflow the stack when the tree
/// is released.
[[nodiscard]] std::uint32_t line_of_too_deep_key(std::string_view text, std::uint32_t limit);

}  // namespace ascendsim
