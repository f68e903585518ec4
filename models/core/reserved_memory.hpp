// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/port/pipe.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim {

/// Where in global memory lies what no program allocates: the code of kernels, their arguments and the cores'
/// stacks. In front of the last stretch, of which an L2 left by others holds lines.
///
///   ... | code of vector programs | of cube programs | arguments | stacks, one for each core | lines of
///   others |
class ReservedMemory {
public:
    static constexpr std::uint64_t most_code = std::uint64_t{4} * 1024 * 1024;  // B; of one kind of program
    static constexpr std::uint64_t stack_bytes = ScalarSpec::stack_bytes;

    explicit ReservedMemory(const ChipSpec& chip)
        : base_{(chip.hbm.bytes - std::min(chip.l2.bytes + 3 * most_code, chip.hbm.bytes)) / chip.l2.line *
                chip.l2.line} {}

    [[nodiscard]] std::uint64_t code(CoreKind kind) const {
        return base_ + (kind == CoreKind::aic ? most_code : 0);
    }

    [[nodiscard]] std::uint64_t arguments() const { return base_ + 2 * most_code; }

    /// The stack of core 0; those of the others follow.
    [[nodiscard]] std::uint64_t stacks() const { return arguments() + most_code / 2; }

    [[nodiscard]] std::uint64_t stack(std::uint32_t core) const { return stacks() + core * stack_bytes; }

private:
    std::uint64_t base_;
};

}  // namespace ascendsim
