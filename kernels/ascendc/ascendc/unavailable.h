// SPDX-License-Identifier: Apache-2.0
// Documented calls that are declared, so that templates naming them compile, and stop a run that reaches
// them with their name and the kernel's line.
#pragma once

#include "kernels/ascendc/ascendc/block_sync.h"
#include "kernels/ascendc/ascendc/params.h"
#include "kernels/ascendc/ascendc/system.h"

namespace AscendC {

/// Takes any first argument of a call, and where the call is.
struct AnyArgument {
    template <class T>
    AnyArgument(const T&, Site where = Site::here()) : site(where) {}

    Site site;
};

}  // namespace AscendC

#define ASCENDSIM_UNAVAILABLE(name)                                                                        \
    template <class = void, class = void, class = void, class = void, auto... options, class... Arguments> \
    inline void name(const AnyArgument& first, Arguments&&...) {                                           \
        ascendsim::isa::not_implemented(#name, first.site);                                                \
    }

namespace AscendC {

ASCENDSIM_UNAVAILABLE(MulAddRelu)
ASCENDSIM_UNAVAILABLE(MulCast)
ASCENDSIM_UNAVAILABLE(BilinearInterpolation)
ASCENDSIM_UNAVAILABLE(ProposalConcat)
ASCENDSIM_UNAVAILABLE(ProposalExtract)
ASCENDSIM_UNAVAILABLE(RpSort16)
ASCENDSIM_UNAVAILABLE(VectorPadding)
ASCENDSIM_UNAVAILABLE(SetFixpipeClipRelu)
ASCENDSIM_UNAVAILABLE(BroadCastVecToMM)
ASCENDSIM_UNAVAILABLE(LoadDataWithStride)
ASCENDSIM_UNAVAILABLE(SetLoadDataRepeatWithStride)
ASCENDSIM_UNAVAILABLE(LoadDataUnzip)
ASCENDSIM_UNAVAILABLE(LoadUnzipIndex)
ASCENDSIM_UNAVAILABLE(LoadImageToLocal)
ASCENDSIM_UNAVAILABLE(SetAippFunctions)
ASCENDSIM_UNAVAILABLE(CubeResGroupHandle)
ASCENDSIM_UNAVAILABLE(CheckLocalMemoryIA)
ASCENDSIM_UNAVAILABLE(SoftmaxFlashV3)
ASCENDSIM_UNAVAILABLE(TransData)
ASCENDSIM_UNAVAILABLE(Subs)  // of the 950 only

/// Scalar atomics on global memory are instructions of the 950 alone (API reference, AtomicAdd to
/// AtomicExch).
#define ASCENDSIM_SCALAR_ATOMIC(name, ...)                                                             \
    template <typename T>                                                                              \
    inline T name(__gm__ T*, __VA_ARGS__, Site site = Site::here()) {                                  \
        ascendsim::isa::kernel_fault(                                                                  \
            #name,                                                                                     \
            "the chips modelled here have no scalar atomics; copy with SetAtomicAdd, SetAtomicMax or " \
            "SetAtomicMin set",                                                                        \
            site);                                                                                     \
    }

ASCENDSIM_SCALAR_ATOMIC(AtomicAdd, T)
ASCENDSIM_SCALAR_ATOMIC(AtomicMax, T)
ASCENDSIM_SCALAR_ATOMIC(AtomicMin, T)
ASCENDSIM_SCALAR_ATOMIC(AtomicExch, T)
ASCENDSIM_SCALAR_ATOMIC(AtomicCas, T, T)
#undef ASCENDSIM_SCALAR_ATOMIC

}  // namespace AscendC

#undef ASCENDSIM_UNAVAILABLE
