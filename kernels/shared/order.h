// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

/// The second pipe of `event` waits until the first has done what was issued to it so far.
template <AscendC::HardEvent event>
__aicore__ inline void Order(AscendC::TPipe& pipe) {
    const AscendC::TEventID reached = pipe.FetchEventID<event>();
    AscendC::SetFlag<event>(reached);
    AscendC::WaitFlag<event>(reached);
}
