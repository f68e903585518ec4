// SPDX-License-Identifier: Apache-2.0
// DataCopy of slices: parts of a tensor of several dimensions, the first of them the innermost.
//
//   SliceInfo{start, end, stride, burst, extent}: from `start` to `end`, both included, pieces of `burst`
//   blocks of 32 bytes (of one row, beyond the first dimension) with `stride` elements between them; a row
//   has `extent` elements.
#pragma once

#include "kernels/ascendc/ascendc/data_copy.h"

namespace AscendC {

/// One side's slices, counted in elements.
template <typename T>
class Slices {
public:
    Slices(const SliceInfo* info, uint32_t dimensions) : info_(info), dimensions_(dimensions) {}

    [[nodiscard]] uint32_t Piece() const { return info_[0].burstLen * 32U / sizeof(T); }

    [[nodiscard]] uint32_t Pitch() const { return Piece() + info_[0].stride; }

    /// Pieces in a row of the first dimension.
    [[nodiscard]] uint32_t Pieces() const { return Count(info_[0], Piece()); }

    /// Rows in all.
    [[nodiscard]] uint32_t Rows() const {
        uint32_t rows = 1;
        for (uint32_t i = 1; i < dimensions_; ++i) {
            rows *= Count(info_[i], 1);
        }
        return rows;
    }

    /// Where the n-th row's first piece starts.
    [[nodiscard]] uint64_t RowStart(uint32_t row) const {
        uint64_t at = info_[0].startIndex;
        uint64_t extent = info_[0].shapeValue;
        for (uint32_t i = 1; i < dimensions_; ++i) {
            const uint32_t count = Count(info_[i], 1);
            at += (info_[i].startIndex + uint64_t{row % count} * (1U + info_[i].stride)) * extent;
            extent *= info_[i].shapeValue;
            row /= count;
        }
        return at;
    }

private:
    static uint32_t Count(const SliceInfo& info, uint32_t piece) {
        const bool none = piece == 0 || info.endIndex + 1U < info.startIndex + piece;
        return none ? 0 : (info.endIndex + 1U - info.startIndex - piece) / (piece + info.stride) + 1U;
    }

    const SliceInfo* info_;
    uint32_t dimensions_;
};

/// Calls copy(to, from) with the two places of each row, after checking that both sides have as many of
/// everything.
template <typename T, class Copy>
inline void ForEachSlice(const Slices<T>& to, const Slices<T>& from, Site site, Copy copy) {
    if (to.Piece() != from.Piece() || to.Pieces() != from.Pieces() || to.Rows() != from.Rows()) {
        ascendsim::isa::kernel_fault(
            "DataCopy", "the slices of source and destination have different lengths or numbers", site);
    }
    for (uint32_t row = 0; row < to.Rows(); ++row) {
        copy(to.RowStart(row), from.RowStart(row));
    }
}

/// The pieces of a row as one copy; strides become bytes.
template <typename T>
inline ascendsim::isa::CopyShape SliceShape(const Slices<T>& gm, const Slices<T>& local, bool bypass) {
    constexpr uint32_t size = sizeof(T);
    return {gm.Pieces(), gm.Piece() * size, uint64_t{gm.Pitch()} * size, local.Pitch() * size, bypass};
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst,
                     const GlobalTensor<T>& src,
                     const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1,
                     Site site = Site::here()) {
    if (Reaches(dst.Memory())) {
        const Slices<T> to(dstSliceInfo, dimValue);
        const Slices<T> from(srcSliceInfo, dimValue);
        ForEachSlice(to, from, site, [&](uint64_t place, uint64_t source) {
            ascendsim::isa::copy_in(dst[static_cast<uint32_t>(place)].Where(),
                                    src[source].GetPhyAddr(),
                                    SliceShape(from, to, src.BypassesL2()),
                                    site);
        });
    }
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1,
                     Site site = Site::here()) {
    if (Reaches(src.Memory())) {
        const Slices<T> to(dstSliceInfo, dimValue);
        const Slices<T> from(srcSliceInfo, dimValue);
        ForEachSlice(to, from, site, [&](uint64_t place, uint64_t source) {
            ascendsim::isa::copy_out(dst[place].GetPhyAddr(),
                                     src[static_cast<uint32_t>(source)].Where(),
                                     SliceShape(to, from, dst.BypassesL2()),
                                     site);
        });
    }
}

}  // namespace AscendC
