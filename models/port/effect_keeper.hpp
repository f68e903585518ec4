// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "models/port/access.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::isa {

class CorePort;

/// Holds the effects of a core's instructions back until their pipes come to them, where others happen at
/// once in program order.
class EffectKeeper {
public:
    virtual ~EffectKeeper() = default;

    /// The next of what `pipe` does, with these accesses.
    virtual void keep(Pipe pipe, const Accesses& accesses, std::function<void(CorePort&)> effect) = 0;

    /// The same for an effect that must be computed now: what it writes lands when its pipe comes to it.
    virtual void keep_writes(Pipe pipe, const Accesses& accesses, const std::function<void()>& effect) = 0;
};

}  // namespace ascendsim::isa
