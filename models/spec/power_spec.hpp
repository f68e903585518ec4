// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "sim/config/field.hpp"

namespace ascendsim {

/// What one unit of work costs, and how far that may be off.
struct EnergyCost {
    double cost = 0;    // unit: see PowerSpec
    double spread = 0;  // as a fraction of the cost, either way

    static constexpr auto fields() {
        return std::tuple{
            field("cost", &EnergyCost::cost, 0, 1e6, "", "energy: nJ a busy cycle, pJ a byte, or W"),
            field(
                "spread", &EnergyCost::spread, 0, 1, "", "how far the cost may be off, as a fraction of it"),
        };
    }
};

/// What a chip draws: idle, and by what its units do. Energy does not change a run's times.
struct PowerSpec {
    EnergyCost idle;     // W
    EnergyCost cube;     // nJ a busy cycle of a cube unit
    EnergyCost vector;   // nJ a busy cycle of a vector unit
    EnergyCost scalar;   // nJ a busy cycle of a scalar unit
    EnergyCost local;    // pJ a byte moved between memories of a core
    EnergyCost l2;       // pJ a byte between a core and L2
    EnergyCost hbm;      // pJ a byte between L2 and global memory
    EnergyCost link;     // pJ a byte to or from another chip or the host
    double limit_w = 0;  // the chip slows down to stay below

    static constexpr auto fields() {
        return std::tuple{
            group("idle", &PowerSpec::idle, "W of an idle chip"),
            group("cube", &PowerSpec::cube, "nJ a busy cycle of a cube unit, with its operands in L0"),
            group("vector", &PowerSpec::vector, "nJ a busy cycle of a vector unit, with its operands in UB"),
            group("scalar", &PowerSpec::scalar, "nJ a busy cycle of a scalar unit"),
            group("local", &PowerSpec::local, "pJ a byte moved between memories of a core"),
            group("l2", &PowerSpec::l2, "pJ a byte between a core and L2"),
            group("hbm", &PowerSpec::hbm, "pJ a byte between L2 and global memory"),
            group("link", &PowerSpec::link, "pJ a byte to or from another chip or the host"),
            field("limit_w",
                  &PowerSpec::limit_w,
                  1,
                  2000,
                  "W",
                  "power limit; the chip slows down to stay below"),
        };
    }
};

}  // namespace ascendsim
