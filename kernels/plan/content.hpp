// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/plan/buffer.hpp"

namespace ascendsim::host {

/// Writes a buffer's content as its `fill` says; `bytes` is as long as the buffer. The same seed, name and
/// fill give the same bytes. Throws UserError for a file of another type or element count.
void write_content(const Buffer& buffer, std::uint64_t seed, std::span<std::byte> bytes);

}  // namespace ascendsim::host
