// SPDX-License-Identifier: Apache-2.0
// How a block of C leaves L0C: its place and layout, its type, atomics.
#pragma once

#include "kernels/ascendc/matmul/engine.h"

namespace AscendC::matmul_detail {

inline constexpr FixpipeConfig fixpipe_nd{CO2Layout::ROW_MAJOR};
inline constexpr FixpipeConfig fixpipe_nz{CO2Layout::NZ};

template <class A, class B, class C, class BIAS, const auto& CFG, class CB>
QuantMode_t Engine<A, B, C, BIAS, CFG, CB>::Mode() const {
    const bool vector = args_.scales.place != Place::none;
    if constexpr (std::is_same_v<CT, int8_t> || std::is_same_v<CT, uint8_t>) {
        if constexpr (std::is_same_v<Sum, int32_t>) {
            return vector ? QuantMode_t::VREQ8 : QuantMode_t::REQ8;
        } else {
            return vector ? QuantMode_t::VQF322B8_PRE : QuantMode_t::QF322B8_PRE;
        }
    } else if constexpr (std::is_same_v<CT, half>) {
        if constexpr (std::is_same_v<Sum, int32_t>) {
            return vector ? QuantMode_t::VDEQF16 : QuantMode_t::DEQF16;
        } else {
            return QuantMode_t::F322F16;
        }
    } else if constexpr (std::is_same_v<CT, bfloat16_t>) {
        return QuantMode_t::F322BF16;
    } else {
        return QuantMode_t::NoQuant;
    }
}

template <class A, class B, class C, class BIAS, const auto& CFG, class CB>
void Engine<A, B, C, BIAS, CFG, CB>::Atomic(uint8_t kind) {
    if (kind == 1) {
        SetAtomicAdd<CT>();
    } else if (kind == 2) {
        SetAtomicMax<CT>();
    } else if (kind == 3) {
        SetAtomicMin<CT>();
    }
}

template <class A, class B, class C, class BIAS, const auto& CFG, class CB>
void Engine<A, B, C, BIAS, CFG, CB>::Output(int32_t block, const Destination& to, uint8_t unit_flag) {
    constexpr bool nz = C::format == CubeFormat::NZ;
    constexpr int32_t fractal = 16;
    constexpr uint64_t one = 0x3F800000;  // 1.0F
    const MatrixOffset place = Offset(block);
    FixpipeParamsV220 params;
    params.nSize = static_cast<uint16_t>(place.width);
    params.mSize = static_cast<uint16_t>(place.height);
    params.srcStride = static_cast<uint16_t>(CeilTo(place.height, fractal));
    params.unitFlag = unit_flag;
    params.quantPre = Mode();
    params.deqScalar = args_.scaled ? args_.scale : one;
    params.reluEn = config.enableRelu;
    params.isChannelSplit = nz && config.isEnableChannelSplit;
    const int32_t pitch_n = args_.org_kc != 0 ? args_.org_kc : args_.org_n;
    int64_t offset = 0;
    if constexpr (nz) {
        constexpr int32_t columns = ResultColumns<CT>(config);
        const auto rows = to.pitch != 0 ? static_cast<int32_t>(to.pitch)
                                        : CeilTo(to.sequential ? place.height : args_.org_m, fractal);
        params.dstStride = static_cast<uint32_t>(rows * columns * static_cast<int32_t>(sizeof(CT)) / 32);
        offset = to.sequential ? 0 : int64_t{place.col} * rows + int64_t{place.row} * columns;
    } else {
        int64_t pitch = to.pitch != 0 ? to.pitch : to.sequential ? place.width : pitch_n;
        if constexpr (C::format == CubeFormat::ND_ALIGN) {
            pitch = CeilTo(static_cast<int32_t>(pitch), block_elements<CT>);
        }
        params.dstStride = static_cast<uint32_t>(pitch);
        offset = to.sequential ? 0 : place.row * pitch + place.col;
    }
    const bool vector = args_.scales.place != Place::none;
    LocalTensor<uint64_t> scales;
    if (vector) {
        scales = scales_.LoadScales(args_.scales, place.col, place.width, *core_);
    }
    constexpr const FixpipeConfig& layout = nz ? fixpipe_nz : fixpipe_nd;
    if (to.l1 >= 0) {
        const LocalTensor<CT> l1(TBuffAddr{ascendsim::isa::buffer_capacity(ascendsim::Memory::l1),
                                           static_cast<uint32_t>(to.l1),
                                           nullptr,
                                           static_cast<uint8_t>(TPosition::TSCM)});
        if (vector) {
            Fixpipe<CT, Sum, layout>(l1[static_cast<uint32_t>(offset)], result_[sub_], scales, params);
        } else {
            Fixpipe<CT, Sum, layout>(l1[static_cast<uint32_t>(offset)], result_[sub_], params);
        }
    } else {
        GlobalTensor<CT> gm;
        gm.SetGlobalBuffer(reinterpret_cast<CT*>(to.address));
        Atomic(to.atomic);
        if (vector) {
            Fixpipe<CT, Sum, layout>(gm[static_cast<uint64_t>(offset)], result_[sub_], scales, params);
        } else {
            Fixpipe<CT, Sum, layout>(gm[static_cast<uint64_t>(offset)], result_[sub_], params);
        }
        if (to.atomic != 0) {
            SetAtomicNone();
        }
    }
    if (vector && args_.scales.place == Place::gm) {
        core_->scales_read.Raise();
    }
}

}  // namespace AscendC::matmul_detail
