// SPDX-License-Identifier: Apache-2.0
// Mmad and the modes of the cube unit.
#pragma once

#include "kernels/ascendc/ascendc/cube/cube_params.h"
#include "kernels/ascendc/ascendc/tensor.h"
#include "models/isa/cube/mmad.hpp"
#include "models/isa/cube/sparse.hpp"
#include "models/isa/sync/unit_flag.hpp"
#include "models/port/issue.hpp"

namespace AscendC {

/// fp32 operands of Mmad are rounded to HF32 while on: bit 46 of CTRL.
inline void SetHF32Mode(bool on, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().set_control(ascendsim::isa::control_hf32, on);
}

/// How they are rounded, of which only ties can tell: bit 47 of CTRL. Ties go to the even number here.
inline void SetHF32TransMode(bool on, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().set_control(ascendsim::isa::control_hf32_trans, on);
}

/// The order in which Mmad walks m and n; neither results nor total time depend on it here.
inline void SetMMLayoutTransform(bool on, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().mm_layout_transform = on;
}

inline void SetMMColumnMajor(Site = Site::here()) {
    SetMMLayoutTransform(true);
}

inline void SetMMRowMajor(Site = Site::here()) {
    SetMMLayoutTransform(false);
}

template <typename DstT, typename AT, typename BT>
inline ascendsim::isa::Mmad MmadOf(const LocalTensor<DstT>& dst,
                                   const LocalTensor<AT>& fm,
                                   const LocalTensor<BT>& filter,
                                   const MmadParams& params) {
    using Start = ascendsim::isa::Mmad::Start;
    return {.c = dst.Start(),
            .a = fm.Start(),
            .b = filter.Start(),
            .m = params.m,
            .n = params.n,
            .k = params.k,
            .a_type = DataTypeOf<AT>(),
            .b_type = DataTypeOf<BT>(),
            .c_type = DataTypeOf<DstT>(),
            .start = params.cmatrixInitVal && !params.isBias ? Start::zero
                     : params.cmatrixSource                  ? Start::bias_table
                                                             : Start::l0c,
            .hf32 = std::is_same_v<AT, float> &&
                    ascendsim::isa::CorePort::current().registers().control_bit(ascendsim::isa::control_hf32),
            .k_align16 = params.kDirectionAlign,
            .unit_flag = static_cast<uint8_t>(params.unitFlag)};
}

inline void IssueMmad(const ascendsim::isa::Mmad& mmad, Site site) {
    if (mmad.unit_flag == 0) {
        ascendsim::isa::issue(mmad, site);
        return;
    }
    ascendsim::isa::before_unit_mmad(mmad.c, mmad.unit_flag, site);
    ascendsim::isa::issue(mmad, site);
    ascendsim::isa::after_unit_mmad(mmad.c, mmad.unit_flag, site);
}

template <typename DstT, typename AT, typename BT>
inline void Mmad(const LocalTensor<DstT>& dst,
                 const LocalTensor<AT>& fm,
                 const LocalTensor<BT>& filter,
                 const MmadParams& params,
                 Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        IssueMmad(MmadOf(dst, fm, filter, params), site);
    }
}

/// The sum starts from `bias`: a row in the bias table, or dst itself.
template <typename DstT, typename AT, typename BT, typename BiasT>
inline void Mmad(const LocalTensor<DstT>& dst,
                 const LocalTensor<AT>& fm,
                 const LocalTensor<BT>& filter,
                 const LocalTensor<BiasT>& bias,
                 const MmadParams& params,
                 Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        ascendsim::isa::Mmad mmad = MmadOf(dst, fm, filter, params);
        if (mmad.start != ascendsim::isa::Mmad::Start::zero) {
            const bool table = bias.Memory() == ascendsim::Memory::bias_table;
            mmad.start = table ? ascendsim::isa::Mmad::Start::bias_table : ascendsim::isa::Mmad::Start::l0c;
            mmad.bias = bias.Start();
        }
        IssueMmad(mmad, site);
    }
}

/// Products with weights that LoadDataWithSparse brought; k is that of the whole left matrix.
template <typename T = int32_t, typename U = int8_t>
inline void MmadWithSparse(const LocalTensor<T>& dst,
                           const LocalTensor<U>& fm,
                           const LocalTensor<U>& filter,
                           const MmadParams& params,
                           Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        ascendsim::isa::issue(ascendsim::isa::MmadSparse{MmadOf(dst, fm, filter, params)}, site);
    }
}

/// The name behind Mmad in the vendor's headers, which convolutions of the libraries call.
template <typename DstT, typename AT, typename BT>
inline void MmadImpl(const LocalTensor<DstT>& dst,
                     const LocalTensor<AT>& fm,
                     const LocalTensor<BT>& filter,
                     const MmadParams& params,
                     Site site = Site::here()) {
    Mmad(dst, fm, filter, params, site);
}

}  // namespace AscendC
