// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Hands an operation without accesses over; who watches the run sees it first. Inlined, so that it is
/// written field by field where it is to stand, not copied there.
[[gnu::always_inline]] inline void push_observed(const TimedOp& op) {
    CorePort& core = CorePort::current();
    core.next() = op;
    if (AccessObserver* observer = core.observer()) [[unlikely]] {
        observer->on_issue(core.next(), Accesses{});
    }
    core.commit();
}

/// The same for an operation that touches `accesses`.
inline void push_observed(const TimedOp& op, const Accesses& accesses) {
    CorePort& core = CorePort::current();
    if (AccessObserver* observer = core.observer()) {
        observer->on_issue(op, accesses);
    }
    core.push(op);
}

}  // namespace ascendsim::isa
