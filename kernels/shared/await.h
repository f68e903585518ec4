// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

/// Makes one pipe wait for what another has begun so far, as the event's name says: Await<HardEvent::V_S>()
/// lets the scalar unit wait for the vector unit.
template <AscendC::HardEvent event>
__aicore__ inline void Await() {
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(event));
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
}
