// SPDX-License-Identifier: Apache-2.0
// Policies of a Matmul object, and what a kernel's own policy is written with: modules that name others by
// MATMUL_USE_MODULE and reach them by MATMUL_MODULE. The names are those that published kernels use.
#pragma once

#include "kernels/ascendc/ascendc/queue.h"
#include "kernels/ascendc/matmul/config.h"

namespace AscendC {

/// Which operand a module works for.
enum class InputTypeTag { A, B, BIAS, SCALE_A, SCALE_B };

/// The type of an operand as modules see it: TRANS_T is what lies in L1.
template <class TYPE, typename TRANSFERRED, InputTypeTag WHICH>
struct MatmulInputTypeOf : TYPE {
    using TRANS_T = TRANSFERRED;
    static constexpr InputTypeTag TAG = WHICH;
};

template <class TYPE, typename TRANSFERRED = typename TYPE::T>
using MatmulInputAType = MatmulInputTypeOf<TYPE, TRANSFERRED, InputTypeTag::A>;

template <class TYPE, typename TRANSFERRED = typename TYPE::T>
using MatmulInputBType = MatmulInputTypeOf<TYPE, TRANSFERRED, InputTypeTag::B>;

// Policies exchange modules inside the vendor's Matmul; the documented ones change its schedule, and the
// triangular ones which base blocks are multiplied.
namespace Impl::Detail {
using AscendC::InputTypeTag;
using AscendC::MatmulInputAType;
using AscendC::MatmulInputBType;

inline constexpr int32_t L1_SIZE = 512 * 1024;

template <const auto& CONFIG, typename... Arguments>
struct MatmulPolicy {};

template <const auto& CONFIG, typename... Arguments>
struct NBuffer33MatmulPolicy {};

template <const auto& CONFIG, typename... Arguments>
struct MatmulWithScalePolicy {};

template <const auto& CONFIG, typename... Arguments>
struct TrianUpperMatmulPolicy {
    static constexpr int8_t triangle = 1;
};

template <const auto& CONFIG, typename... Arguments>
struct TrianLowerMatmulPolicy {
    static constexpr int8_t triangle = -1;
};

template <const auto& CONFIG, typename... Arguments>
struct SplitMMatmulPolicy {};

template <const auto& CONFIG, typename... Arguments>
struct SplitNMatmulPolicy {};
}  // namespace Impl::Detail

namespace matmul_detail {

/// A policy of the kernel's own that puts a module in the place of one of the object's.
template <class POLICY>
concept ReplacesModules = requires {
    typename POLICY::CopyCubeInA;
}

|| requires {
    typename POLICY::CopyCubeInB;
}
|| requires {
    typename POLICY::CopyCubeOut;
}
|| requires {
    typename POLICY::CubeInBufferA;
}
|| requires {
    typename POLICY::CubeInBufferB;
}
|| requires {
    typename POLICY::CubeOutBuffer;
}
|| requires {
    typename POLICY::Scheduler;
};

}  // namespace matmul_detail

}  // namespace AscendC

#define MATMUL_POLICY_DEFAULT_OF(DEFAULT)        \
    template <const auto& = MM_CFG, typename...> \
    class MATMUL_POLICY = AscendC::Impl::Detail::DEFAULT

// The object, IMPL, is made of modules, and each names those that it uses. Nothing here looks into them:
// their sources compile, and an object with such a policy stops the run.
#define MATMUL_USE_MODULE(NAME) IMPL* NAME##OfObject()
#define MATMUL_USE_MODULE_ON(NAME, TAG) IMPL* NAME##OfObject()
#define MATMUL_MODULE(NAME) NAME##OfObject()
