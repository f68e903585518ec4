// SPDX-License-Identifier: Apache-2.0
// Fixpipe, and DataCopy of results, which is the same with its parameters in registers.
#pragma once

#include "kernels/ascendc/ascendc/cube/cube_load.h"
#include "models/isa/cube/fixpipe.hpp"
#include "models/isa/sync/unit_flag.hpp"

namespace AscendC {

constexpr ascendsim::isa::Quantise QuantiseOf(QuantMode_t mode) {
    using Q = ascendsim::isa::Quantise;
    switch (mode) {
        case QuantMode_t::REQ8:
        case QuantMode_t::DEQF16:
        case QuantMode_t::QF322B8_PRE:
        case QuantMode_t::SHIFTS322S16:
            return Q::scalar;
        case QuantMode_t::VREQ8:
        case QuantMode_t::VDEQF16:
        case QuantMode_t::VQF322B8_PRE:
        case QuantMode_t::VSHIFTS322S16:
            return Q::vector;
        default:
            return Q::none;
    }
}

/// True if `mode` turns SrcT into DstT.
template <typename DstT, typename SrcT>
constexpr bool ModeFits(QuantMode_t mode) {
    constexpr bool bytes = std::is_same_v<DstT, int8_t> || std::is_same_v<DstT, uint8_t>;
    switch (mode) {
        case QuantMode_t::NoQuant:
            return sizeof(DstT) == 4;
        case QuantMode_t::F322F16:
            return std::is_same_v<DstT, half> && std::is_same_v<SrcT, float>;
        case QuantMode_t::F322BF16:
            return std::is_same_v<DstT, bfloat16_t> && std::is_same_v<SrcT, float>;
        case QuantMode_t::DEQF16:
        case QuantMode_t::VDEQF16:
            return std::is_same_v<DstT, half> && std::is_same_v<SrcT, int32_t>;
        case QuantMode_t::QF322B8_PRE:
        case QuantMode_t::VQF322B8_PRE:
            return bytes && std::is_same_v<SrcT, float>;
        case QuantMode_t::REQ8:
        case QuantMode_t::VREQ8:
            return bytes && std::is_same_v<SrcT, int32_t>;
        case QuantMode_t::SHIFTS322S16:
        case QuantMode_t::VSHIFTS322S16:
            return std::is_same_v<DstT, int16_t> && std::is_same_v<SrcT, int32_t>;
        default:
            return false;
    }
}

template <typename DstT, typename SrcT>
inline ascendsim::isa::FixpipeOperands FixpipeOperandsOf(const LocalTensor<SrcT>& src,
                                                         const FixpipeParamsV220& params,
                                                         CO2Layout format,
                                                         Site site) {
    if (!ModeFits<DstT, SrcT>(params.quantPre)) {
        ascendsim::isa::kernel_fault("Fixpipe",
                                     "quantPre does not turn the type in L0C into the destination's; set the "
                                     "mode of this pair, such as F322F16 for float to half",
                                     site);
    }
    return {.source = src.Start(),
            .source_type = DataTypeOf<SrcT>(),
            .destination_type = DataTypeOf<DstT>(),
            .n = params.nSize,
            .m = params.mSize,
            .source_pitch = params.srcStride,
            .destination_pitch = params.dstStride,
            .to_nd = format == CO2Layout::ROW_MAJOR,
            .channel_split = params.isChannelSplit,
            .relu = params.reluEn,
            .unit_flag = params.unitFlag,
            .quantise = QuantiseOf(params.quantPre),
            .scale = params.deqScalar,
            .scales = {ascendsim::Memory::fixpipe_buffer, 0},
            .count = format == CO2Layout::ROW_MAJOR ? params.ndNum : 1U,
            .source_matrix_pitch = params.srcNdStride,
            .destination_matrix_pitch = params.dstNdStride};
}

/// Brings the scales of a call from L1 to the fixpipe buffer, and names them there; more than fit are read in
/// L1.
inline void LoadScales(ascendsim::isa::FixpipeOperands& operands,
                       const LocalTensor<uint64_t>& scales,
                       Site site) {
    const uint32_t bytes = (operands.n + 15U) / 16U * 128U;
    operands.scales = scales.Where();
    if (scales.Memory() == ascendsim::Memory::l1 &&
        bytes <= ascendsim::isa::buffer_capacity(ascendsim::Memory::fixpipe_buffer)) {
        operands.scales = {ascendsim::Memory::fixpipe_buffer, 0};
        ascendsim::isa::issue(
            ascendsim::isa::LoadTable{
                .destination = operands.scales, .source = scales.Start(), .row_bytes = operands.n * 8U},
            site);
        ascendsim::isa::pipe_barrier(ascendsim::Pipe::fixpipe, site);
    }
}

template <class Instruction>
inline void IssueWithUnitFlag(const Instruction& fixpipe, Site site) {
    const auto& operands = fixpipe.operands;
    if (operands.unit_flag == 0) {
        ascendsim::isa::issue(fixpipe, site);
        return;
    }
    ascendsim::isa::before_unit_fixpipe(operands.source, operands.unit_flag, site);
    ascendsim::isa::issue(fixpipe, site);
    ascendsim::isa::after_unit_fixpipe(operands.source, operands.unit_flag, site);
}

template <typename T>
inline void IssueFixpipe(const GlobalTensor<T>& dst,
                         const ascendsim::isa::FixpipeOperands& operands,
                         Site site) {
    IssueWithUnitFlag(ascendsim::isa::FixpipeToGm{.operands = operands,
                                                  .destination = GlobalOffset(dst),
                                                  .atomic = ascendsim::isa::AtomicWrite::of(
                                                      ascendsim::isa::CorePort::current().registers())},
                      site);
}

template <typename T>
inline void IssueFixpipe(const LocalTensor<T>& dst,
                         const ascendsim::isa::FixpipeOperands& operands,
                         Site site) {
    if (dst.Memory() != ascendsim::Memory::l1) {
        ascendsim::isa::not_implemented("Fixpipe to a buffer other than L1", site);
    }
    IssueWithUnitFlag(ascendsim::isa::FixpipeToL1{.operands = operands, .destination = dst.Start()}, site);
}

template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const FixpipeParamsV220& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        IssueFixpipe(dst, FixpipeOperandsOf<DstT>(src, params, config.format, site), site);
    }
}

template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const LocalTensor<uint64_t>& scales,
                    const FixpipeParamsV220& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        auto operands = FixpipeOperandsOf<DstT>(src, params, config.format, site);
        LoadScales(operands, scales, site);
        IssueFixpipe(dst, operands, site);
    }
}

template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const FixpipeParamsV220& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        // L1 takes NZ only, whatever the call's default says.
        IssueFixpipe(dst, FixpipeOperandsOf<DstT>(src, params, CO2Layout::NZ, site), site);
    }
}

template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const LocalTensor<uint64_t>& scales,
                    const FixpipeParamsV220& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        auto operands = FixpipeOperandsOf<DstT>(src, params, CO2Layout::NZ, site);
        LoadScales(operands, scales, site);
        IssueFixpipe(dst, operands, site);
    }
}

/// The older parameters as the newer ones.
template <typename DstT, typename SrcT>
inline FixpipeParamsV220 ModernParams(const FixpipeParams<SrcT>& params) {
    const bool nd = params.nz2ndParams.nz2ndEn;
    FixpipeParamsV220 modern;
    modern.nSize = nd ? params.nz2ndParams.originalNSize : static_cast<uint16_t>(params.cburstNum * 16);
    modern.mSize = static_cast<uint16_t>(params.burstLen * 32 / (16 * sizeof(SrcT)));
    modern.srcStride = static_cast<uint16_t>(modern.mSize + params.srcStride * 32 / (16 * sizeof(SrcT)));
    modern.dstStride = nd ? params.dstStride
                          : params.dstStride + static_cast<uint32_t>(modern.mSize * 16 * sizeof(DstT) / 32);
    modern.quantPre = params.quantParams.quantPre;
    modern.deqScalar = params.quantParams.deqScalar;
    modern.ndNum = params.nz2ndParams.ndNum;
    modern.srcNdStride = params.nz2ndParams.srcNdStride;
    modern.dstNdStride = params.nz2ndParams.dstNdStride;
    modern.reluEn = params.reluEn;
    modern.unitFlag = params.unitFlag;
    return modern;
}

template <typename DstT, typename SrcT>
inline void Fixpipe(const GlobalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const FixpipeParams<SrcT>& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        const CO2Layout format = params.nz2ndParams.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ;
        IssueFixpipe(dst, FixpipeOperandsOf<DstT>(src, ModernParams<DstT>(params), format, site), site);
    }
}

template <typename DstT, typename SrcT>
inline void Fixpipe(const GlobalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const LocalTensor<uint64_t>& scales,
                    const FixpipeParams<SrcT>& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        const CO2Layout format = params.nz2ndParams.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ;
        auto operands = FixpipeOperandsOf<DstT>(src, ModernParams<DstT>(params), format, site);
        LoadScales(operands, scales, site);
        IssueFixpipe(dst, operands, site);
    }
}

template <typename DstT, typename SrcT>
inline void Fixpipe(const LocalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const FixpipeParams<SrcT>& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        IssueFixpipe(
            dst, FixpipeOperandsOf<DstT>(src, ModernParams<DstT>(params), CO2Layout::NZ, site), site);
    }
}

template <typename DstT, typename SrcT>
inline void Fixpipe(const LocalTensor<DstT>& dst,
                    const LocalTensor<SrcT>& src,
                    const LocalTensor<uint64_t>& scales,
                    const FixpipeParams<SrcT>& params,
                    Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        auto operands = FixpipeOperandsOf<DstT>(src, ModernParams<DstT>(params), CO2Layout::NZ, site);
        LoadScales(operands, scales, site);
        IssueFixpipe(dst, operands, site);
    }
}

// ---- parameters in registers ----

inline void SetFixpipeNz2ndFlag(uint16_t ndNum,
                                uint16_t srcNdStride,
                                uint16_t dstNdStride,
                                Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[0] =
        ndNum | uint64_t{srcNdStride} << 16U | uint64_t{dstNdStride} << 32U;
}

/// Count, source and destination pitch, 16 bits each.
inline void SetNdParaImpl(uint64_t config, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[0] = config;
}

inline void SetFixpipeNz2ndFlagImpl(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
    SetFixpipeNz2ndFlag(ndNum, srcNdStride, dstNdStride);
}

inline void SetFixpipePreQuantFlag(uint64_t config, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[1] = config;
}

inline void SetFixPipePreQuantFlag(uint64_t config, Site site = Site::here()) {
    SetFixpipePreQuantFlag(config, site);
}

template <typename T, bool setRelu = false>
inline void SetFixPipeConfig(const LocalTensor<T>& scales, bool = false, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[2] = scales.Start();
}

template <typename T>
inline void SetFixPipeConfigImpl(const LocalTensor<T>& scales, bool = false, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[2] = scales.Start();
}

template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T>&,
                             const LocalTensor<T>& scales,
                             bool = false,
                             Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[2] = scales.Start();
}

inline void SetFixPipeConfigImpl(uint64_t config, Site = Site::here()) {
    ascendsim::isa::CorePort::current().registers().fixpipe[2] = config;
}

inline void SetFixPipeClipRelu(uint64_t, Site site = Site::here()) {
    ascendsim::isa::not_implemented("SetFixPipeClipRelu", site);
}

inline FixpipeParamsV220 ParamsInRegisters(const DataCopyCO12DstParams& params) {
    const auto& registers = ascendsim::isa::CorePort::current().registers().fixpipe;
    FixpipeParamsV220 full(
        params.nSize, params.mSize, params.srcStride, params.dstStride, params.reluPre != 0);
    full.quantPre = params.quantPre;
    full.deqScalar = registers[1];
    full.ndNum = static_cast<uint16_t>(registers[0]) == 0 ? uint16_t{1} : static_cast<uint16_t>(registers[0]);
    full.srcNdStride = static_cast<uint16_t>(registers[0] >> 16U);
    full.dstNdStride = static_cast<uint16_t>(registers[0] >> 32U);
    full.unitFlag = params.unitFlag;
    full.isChannelSplit = params.channelSplit;
    return full;
}

template <typename DstT, typename SrcT>
inline ascendsim::isa::FixpipeOperands OperandsInRegisters(const LocalTensor<SrcT>& src,
                                                           const DataCopyCO12DstParams& params,
                                                           Site site) {
    auto operands = FixpipeOperandsOf<DstT>(
        src, ParamsInRegisters(params), params.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ, site);
    operands.scales = {ascendsim::Memory::fixpipe_buffer,
                       static_cast<uint32_t>(ascendsim::isa::CorePort::current().registers().fixpipe[2])};
    return operands;
}

template <typename DstT, typename SrcT>
inline void DataCopy(const GlobalTensor<DstT>& dst,
                     const LocalTensor<SrcT>& src,
                     const DataCopyCO12DstParams& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        IssueFixpipe(dst, OperandsInRegisters<DstT>(src, params, site), site);
    }
}

template <typename DstT, typename SrcT>
inline void DataCopy(const LocalTensor<DstT>& dst,
                     const LocalTensor<SrcT>& src,
                     const DataCopyCO12DstParams& params,
                     Site site = Site::here()) {
    if constexpr (has_cube_unit) {
        IssueFixpipe(dst, OperandsInRegisters<DstT>(src, params, site), site);
    }
}

}  // namespace AscendC
