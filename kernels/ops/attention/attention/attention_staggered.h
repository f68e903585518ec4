// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "kernel_operator.h"

namespace attention {

/// Runs begin(step, number) for every step of a list, and end(step, number) for each `ahead` steps later, up
/// to 3.
template <typename List, typename Begin, typename End>
__aicore__ inline void RunStaggered(List& steps, uint32_t ahead, const Begin& begin, const End& end) {
    constexpr uint32_t most_open = 4;
    std::decay_t<decltype(steps.Get())> open[most_open];
    uint32_t begun = 0;
    uint32_t ended = 0;
    while (steps.Valid() || ended < begun) {
        if (steps.Valid()) {
            open[begun % most_open] = steps.Get();
            begin(open[begun % most_open], begun);
            ++begun;
            steps.Next();
        }
        if (begun - ended > ahead || !steps.Valid()) {
            end(open[ended % most_open], ended);
            ++ended;
        }
    }
}

}  // namespace attention
