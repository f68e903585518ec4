// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "models/port/passing_observer.hpp"

namespace ascendsim {

/// Holds a core's program back before it touches global memory, one for each core:
///
///   kernel --> instruction --> EffectOrder: of global memory? --> the program waits until simulated time
///                                 |                               has reached its scalar unit
///                                 v
///                           the hazard checker; the core's timeline
///
/// A program usually runs far ahead of its timing, and cores take turns by what they issued, not by time.
/// Where cores touch the same bytes with nothing to order them, who comes first is then not what the times
/// say. With this, effects come in the order in which the scalar units issue them.
class EffectOrder final : public isa::PassingObserver {
public:
    /// `next` sees what happens, or is null; `wait` returns when the program may go on.
    EffectOrder(isa::AccessObserver* next, std::function<void()> wait)
        : PassingObserver{next}, wait_{std::move(wait)} {}

    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override {
        const isa::TimedOp held = op;  // what the program issued before leaves the queue meanwhile
        if (std::ranges::any_of(accesses, [](const isa::Access& access) {
                return access.memory == Memory::gm && access.extent() != 0;
            })) {
            wait_();
        }
        isa::CorePort::current().next() = held;
        PassingObserver::on_issue(held, accesses);
    }

private:
    std::function<void()> wait_;
};

}  // namespace ascendsim
