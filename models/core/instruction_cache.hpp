// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/isa/timed_op.hpp"
#include "models/spec/core_spec.hpp"

namespace ascendsim {

/// Where the code of each place of a program lies, as a device compiler would have laid it out: one place after the
/// other in the order in which the first core met them, one layout for all cores of a kind. A place is an instruction
/// at a source line; its size is the chip file's, for nothing here compiles for the chip.
class CodeLayout {
public:
    explicit CodeLayout(const InstructionCacheSpec& spec) : spec_{spec} {}

    /// The number of the fill unit in which the code of `op` ends.
    std::uint32_t unit_of(const isa::TimedOp& op);

private:
    struct Place {
        const isa::OpInfo* info;
        const char* file;
        std::uint32_t line;
        bool operator==(const Place&) const = default;
    };

    struct Hash {
        std::size_t operator()(const Place& place) const;
    };

    const InstructionCacheSpec& spec_;
    std::unordered_map<Place, std::uint32_t, Hash> units_;
    std::uint64_t end_ = 0;  // B laid out
};

/// Which units of code one core holds; the least recently used one leaves.
class InstructionCache {
public:
    /// `layout` is shared by the cores of a kind and outlives the cache.
    InstructionCache(const InstructionCacheSpec& spec, CodeLayout& layout);

    /// True if the code of `op` is here; otherwise missing() tells what to fetch.
    bool holds(const isa::TimedOp& op) {
        const std::uint32_t unit = unit_of(op);
        return unit == latest_ || find(unit);
    }

    [[nodiscard]] std::uint32_t missing() const { return missing_; }

    /// The missing unit has arrived.
    void fill();

private:
    /// What a look at the layout gave, by place; spares most of them.
    struct Known {
        const isa::OpInfo* info = nullptr;
        const char* file = nullptr;
        std::uint32_t line = 0;
        std::uint32_t unit = 0;
    };

    [[nodiscard]] std::uint32_t unit_of(const isa::TimedOp& op) {
        const std::size_t key = std::bit_cast<std::uintptr_t>(op.info) / sizeof(isa::OpInfo) + op.site.line;
        Known& known = known_[key % known_.size()];
        if (known.info != op.info || known.line != op.site.line || known.file != op.site.file) [[unlikely]] {
            look_up(known, op);
        }
        return known.unit;
    }

    void look_up(Known& known, const isa::TimedOp& op);
    bool find(std::uint32_t unit);

    CodeLayout& layout_;
    std::size_t capacity_;              // units
    std::size_t held_ = 0;              // units here
    std::vector<std::uint64_t> used_;   // by unit: when it was last used, in uses of units; 0: it is not here
    std::uint64_t uses_ = 0;
    std::array<Known, 256> known_{};
    std::uint32_t latest_ = ~0U;
    std::uint32_t missing_ = 0;
};

}  // namespace ascendsim
