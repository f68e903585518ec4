// SPDX-License-Identifier: Apache-2.0
// Documented calls that are declared, so that templates naming them compile, and stop a run that reaches
// them.
#pragma once

#include "kernels/ascendc/ascendc/system.h"

#define ASCENDSIM_UNAVAILABLE(name)                           \
    template <class... Arguments>                             \
    inline void name(Arguments&&...) {                        \
        ascendsim::isa::not_implemented(#name, Site::here()); \
    }

namespace AscendC {

ASCENDSIM_UNAVAILABLE(AddDeqRelu)
ASCENDSIM_UNAVAILABLE(BilinearInterpolation)
ASCENDSIM_UNAVAILABLE(CastDeq)
ASCENDSIM_UNAVAILABLE(CastDequant)
ASCENDSIM_UNAVAILABLE(ProposalConcat)
ASCENDSIM_UNAVAILABLE(ProposalExtract)
ASCENDSIM_UNAVAILABLE(RpSort16)
ASCENDSIM_UNAVAILABLE(VectorPadding)
ASCENDSIM_UNAVAILABLE(SetFixpipeClipRelu)
ASCENDSIM_UNAVAILABLE(CubeResGroupHandle)
ASCENDSIM_UNAVAILABLE(IBSet)
ASCENDSIM_UNAVAILABLE(IBWait)

}  // namespace AscendC

#undef ASCENDSIM_UNAVAILABLE
