// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Sees which launch each core works for, where several run at a time. In place of
/// AccessObserver::on_launch(), which tells nothing of what is under way.
class LaunchObserver : public AccessObserver {
public:
    /// Launch `number` starts. `cores` are those that take part, numbered in this order; beside others that
    /// are under way they name where each would be on an idle chip.
    virtual void on_start(std::uint64_t number, std::span<const LaunchCore> cores, bool beside) = 0;
    /// Core number `member` of launch `number` is `core`, from its next block on.
    virtual void on_place(std::uint64_t number, std::uint32_t member, const CorePort& core) = 0;
    /// All cores of launch `number` are done.
    virtual void on_done(std::uint64_t number) = 0;
};

}  // namespace ascendsim::isa
