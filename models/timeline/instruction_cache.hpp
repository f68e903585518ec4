// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/port/timed_op.hpp"
#include "models/spec/core_spec.hpp"

namespace ascendsim {

/// Where the code of each place of a program lies, as a device compiler would have laid it out: one place
/// after the other in the order in which the first core met them, one layout for all cores of a kind. A place
/// is an instruction at a source line; its size is the chip file's, for nothing here compiles for the chip.
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

    /// The number of the unit in which the code of `op` ends.
    [[nodiscard]] std::uint32_t unit_of(const isa::TimedOp& op) { return layout_.unit_of(op); }

    /// True if a unit of code is here; otherwise missing() tells what to fetch.
    bool holds(std::uint32_t unit) { return unit == latest_ || find(unit); }

    [[nodiscard]] std::uint32_t missing() const { return missing_; }

    /// The missing unit has arrived.
    void fill();

private:
    bool find(std::uint32_t unit);

    CodeLayout& layout_;
    std::size_t capacity_;             // units
    std::size_t held_ = 0;             // units here
    std::vector<std::uint64_t> used_;  // by unit: when it was last used, in uses of units; 0: it is not here
    std::uint64_t uses_ = 0;
    std::uint32_t latest_ = ~0U;
    std::uint32_t missing_ = 0;
};

}  // namespace ascendsim
