// SPDX-License-Identifier: Apache-2.0
// Which axis of a matrix a reduction removes.
#pragma once

namespace AscendC {

enum class ReducePattern { AR = 0, RA, R, A, ARA, RAR, ARAR, RARA };

namespace Pattern::Reduce {

/// Reduces the last axis of two.
struct AR {
    static constexpr bool reduces_first = false;
};

/// Reduces the first axis of two.
struct RA {
    static constexpr bool reduces_first = true;
};

}  // namespace Pattern::Reduce

namespace adv {

template <class P>
concept IsReducePattern = requires {
    P::reduces_first;
};

}  // namespace adv

}  // namespace AscendC
