// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/port/timed_op.hpp"

namespace ascendsim {

/// What the synchronisation that was inserted before one source line came to, over all cores.
struct InsertedSync {
    Pipe source = Pipe::vector;
    Pipe destination = Pipe::vector;  // the same: barriers
    std::string file;
    std::uint32_t line = 0;
    std::uint64_t count = 0;
    std::uint64_t spare = 0;   // of these, where the chip keeps the order by itself
    std::uint64_t cycles = 0;  // in which the destination stood at them
};

/// Adds up inserted barriers and waits, by source line and pair of pipes.
class InsertedCosts {
public:
    /// The barrier or wait `op` takes `cycles` of its pipe.
    void add(const isa::TimedOp& op, std::uint64_t cycles);
    void add(const InsertedCosts& other);

    /// The most expensive first.
    [[nodiscard]] std::vector<InsertedSync> list() const;

    void forget() { sums_.clear(); }

private:
    struct Place {
        const char* file;  // literals: compared as they are, and by their content in list()
        std::uint32_t line;
        Pipe source;
        Pipe destination;

        friend auto operator<=>(const Place&, const Place&) = default;
    };

    struct Sum {
        std::uint64_t count = 0;
        std::uint64_t spare = 0;
        std::uint64_t cycles = 0;
    };

    std::map<Place, Sum> sums_;
};

}  // namespace ascendsim
