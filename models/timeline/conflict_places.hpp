// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/port/timed_op.hpp"

namespace ascendsim {

/// What bank conflicts of one instruction at one source line came to, over all cores.
struct ConflictAt {
    std::string_view instruction;
    std::string file;
    std::uint32_t line = 0;
    std::uint8_t collision = 0;  // isa::Collision
    std::uint64_t count = 0;     // of instructions
    std::uint64_t cycles = 0;
    // Of the first of them, bytes in the unified buffer.
    std::uint32_t dst = 0;
    std::uint32_t source0 = 0;
    std::uint32_t source1 = 0;
};

/// Adds up bank conflicts by instruction, source line, and the operands that meet.
class ConflictPlaces {
public:
    /// Takes a vector instruction that conflicts.
    void add(const isa::TimedOp& op);
    void add(const ConflictPlaces& other);

    /// The most expensive first.
    [[nodiscard]] std::vector<ConflictAt> list() const;

private:
    struct Place {
        const isa::OpInfo* info;
        const char* file;  // literals: compared as they are, and by their content in list()
        std::uint32_t line;
        std::uint8_t collision;

        friend auto operator<=>(const Place&, const Place&) = default;
    };

    struct Sum {
        std::size_t number = 0;  // in the order of the first instructions, which pointers do not have
        std::uint64_t count = 0;
        std::uint64_t cycles = 0;
        std::uint32_t dst = 0;
        std::uint32_t sources = 0;  // blocks, 16 bits each
    };

    [[nodiscard]] std::vector<const std::pair<const Place, Sum>*> in_order() const;

    std::map<Place, Sum> sums_;
};

}  // namespace ascendsim
