// SPDX-License-Identifier: Apache-2.0
// The frame of element-wise kernels: shares of cores, tiles, copies, broadcasting, conversion to the type of
// the arithmetic and back. The operands of a tile travel in one queue buffer, the results in another.
#pragma once

#include "kernels/ops/elementwise/elementwise/eltwise_apply.h"
#include "kernels/ops/elementwise/elementwise/eltwise_convert.h"
#include "kernels/ops/elementwise/elementwise/eltwise_spread.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/library_cost.h"

template <typename C>
class Eltwise {
public:
    using Bytes = AscendC::LocalTensor<uint8_t>;

    KERNEL_FOLDED __aicore__ inline Eltwise(const GM_ADDR* in, const GM_ADDR* out, const EltTiling& tiling)
        : t(tiling) {
        flat = t.rows == 1;
        const uint64_t units = flat ? t.width : t.rows;
        first = t.share * AscendC::GetBlockIdx();
        length = first >= units ? 0 : units - first < t.share ? units - first : t.share;
        tile_elements = flat ? t.tile : t.tile * t.pitch;
        for (uint32_t i = 0; i < t.inputs; ++i) {
            source[i].SetGlobalBuffer((__gm__ uint8_t*)in[i]);
            if (t.bypass_l2 != 0) {
                source[i].SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
            }
        }
        for (uint32_t i = 0; i < t.outputs; ++i) {
            target[i].SetGlobalBuffer((__gm__ uint8_t*)out[i]);
        }
        Allocate();
    }

    __aicore__ inline void Process() {
        if (length == 0) {
            return;
        }
        if (flat) {
            FetchConstants(0, t.tile);
            for (uint64_t at = 0; at < length; at += t.tile) {
                const uint32_t n = length - at < t.tile ? length - at : t.tile;
                Step({first + at, 1, n, n, 0});
            }
            return;
        }
        for (uint64_t column = 0; column < t.width; column += t.chunk) {
            const uint32_t width = t.width - column < t.chunk ? t.width - column : t.chunk;
            FetchConstants(column, width);
            for (uint64_t row = first; row < first + length;) {
                const uint64_t left = first + length - row;
                const uint64_t wrap = t.period - row % t.period;
                uint64_t rows = left < t.tile ? left : t.tile;
                rows = rows < wrap ? rows : wrap;
                Step({row * t.width + column,
                      static_cast<uint32_t>(rows),
                      width,
                      static_cast<uint32_t>(rows) * t.pitch,
                      row % t.period});
                row += rows;
            }
        }
    }

private:
    /// A tile: where it starts, its rows and columns, elements in the buffer, its first column-operand
    /// element.
    struct Tile {
        uint64_t at;
        uint32_t rows;
        uint32_t width;
        uint32_t count;
        uint64_t value;
    };

    KERNEL_FOLDED __aicore__ inline uint32_t SlotBytes(EltType type) const {
        return (EltBytes(type, tile_elements) + 31) / 32 * 32 + elt_bank_offset;
    }

    /// Bytes of a tile that another type becomes in the compute type.
    KERNEL_FOLDED __aicore__ inline uint32_t WideBytes() const {
        return tile_elements * sizeof(C) + elt_bank_offset;
    }

    KERNEL_FOLDED __aicore__ inline bool Travels(uint32_t i) const { return t.form[i] == EltForm::dense; }

    KERNEL_FOLDED __aicore__ inline bool NeedsWide(uint32_t i) const {
        return !Travels(i) || !EltIsNative(t.in_type[i], t.compute);
    }

    KERNEL_FOLDED __aicore__ inline bool OutNeedsWide(uint32_t i) const {
        return EltIsPredicate(t.op) || !EltIsNative(t.out_type[i], t.compute);
    }

    KERNEL_FOLDED __aicore__ inline void Allocate() {
        uint32_t in_bytes = 0, out_bytes = 0, wide_bytes = 0;
        for (uint32_t i = 0; i < t.inputs; ++i) {
            slot[i] = in_bytes;
            in_bytes += Travels(i)                     ? SlotBytes(t.in_type[i])
                        : t.form[i] == EltForm::column ? t.tile * 8 + 64
                                                       : 0;
            wide_slot[i] = wide_bytes;
            wide_bytes += NeedsWide(i) ? WideBytes() : 0;
            fetches = fetches || Travels(i) || t.form[i] == EltForm::column;
        }
        for (uint32_t i = 0; i < t.outputs; ++i) {
            out_slot[i] = out_bytes;
            out_bytes += SlotBytes(t.out_type[i]);
            out_wide_slot[i] = wide_bytes;
            wide_bytes += OutNeedsWide(i) ? WideBytes() : 0;
        }
        scratch_slot = wide_bytes;
        wide_bytes += t.scratch * WideBytes();
        via_slot = wide_bytes;
        wide_bytes += t.via != 0 ? tile_elements * 4 : 0;
        if (in_bytes > 0) {
            pipe.InitBuffer(inputs, t.buffers, in_bytes);
        }
        pipe.InitBuffer(outputs, t.buffers, out_bytes);
        if (wide_bytes > 0) {
            pipe.InitBuffer(work, wide_bytes);
        }
        Broadcasting();
    }

    /// Room for what broadcasting takes: a constant as it comes, one block for each row's value.
    KERNEL_FOLDED __aicore__ inline void Broadcasting() {
        uint32_t constant = 0;
        bool columns = false;
        for (uint32_t i = 0; i < t.inputs; ++i) {
            const uint32_t elements = t.form[i] == EltForm::row      ? t.pitch
                                      : t.form[i] == EltForm::scalar ? 1
                                                                     : 0;
            const uint32_t bytes = (EltBytes(t.in_type[i], elements) + 31) / 32 * 32;
            constant = constant > bytes ? constant : bytes;
            columns = columns || t.form[i] == EltForm::column;
        }
        if (constant > 0) {
            pipe.InitBuffer(constants, 1, constant);
        }
        if (columns) {
            pipe.InitBuffer(spread, (t.tile + 7) / 8 * 8 * 32);
        }
    }

    __aicore__ inline Bytes Wide(uint32_t at) { return work.template Get<uint8_t>()[at]; }

    /// Operands that are the same for all tiles of these columns, once, filling their tiles.
    KERNEL_FOLDED __aicore__ inline void FetchConstants(uint64_t column, uint32_t width) {
        for (uint32_t i = 0; i < t.inputs; ++i) {
            if (t.form[i] == EltForm::scalar || t.form[i] == EltForm::row) {
                FetchConstant(i, column, t.form[i] == EltForm::scalar ? 1 : width);
            }
        }
    }

    __aicore__ inline void FetchConstant(uint32_t i, uint64_t column, uint32_t width) {
        Bytes raw = constants.template AllocTensor<uint8_t>();
        const uint64_t from = t.form[i] == EltForm::scalar ? 0 : column;
        CopyElementsIn(raw, source[i][EltBytes(t.in_type[i], from)], EltBytes(t.in_type[i], width));
        constants.EnQue(raw);
        raw = constants.template DeQue<uint8_t>();
        const Bytes to = Wide(wide_slot[i]);
        if (EltIsNative(t.in_type[i], t.compute)) {
            AscendC::DataCopy(to, raw, (width * sizeof(C) + 31) / 32 * 32);
        } else {
            EltWiden<C>(t.in_type[i], to, raw, Wide(via_slot), width);
        }
        constants.FreeTensor(raw);
        Then();
        const AscendC::LocalTensor<C> tile = to.template ReinterpretCast<C>();
        if (t.form[i] == EltForm::scalar) {
            const AscendC::TEventID ready = pipe.template FetchEventID<AscendC::HardEvent::V_S>();
            AscendC::SetFlag<AscendC::HardEvent::V_S>(ready);
            AscendC::WaitFlag<AscendC::HardEvent::V_S>(ready);
            const C value = tile.GetValue(0);
            AscendC::Duplicate(tile, value, tile_elements);
        } else {
            for (uint32_t r = 1; r < t.tile; ++r) {
                AscendC::DataCopy(tile[r * t.pitch], tile, t.pitch);
            }
        }
        Then();
    }

    __aicore__ inline void Step(const Tile& tile) {
        if (fetches) {
            CopyIn(tile);
        }
        Compute(tile);
        CopyOut(tile);
    }

    KERNEL_FOLDED __aicore__ inline bool Dense(const Tile& tile) const {
        return flat || (tile.width == t.pitch && t.width == t.pitch);
    }

    KERNEL_FOLDED __aicore__ inline void CopyIn(const Tile& tile) {
        Bytes raw = inputs.template AllocTensor<uint8_t>();
        for (uint32_t i = 0; i < t.inputs; ++i) {
            const EltType type = t.in_type[i];
            if (t.form[i] == EltForm::column) {
                FetchValues(raw[slot[i]], source[i][EltBytes(type, tile.value)], EltBytes(type, tile.rows));
            } else if (Travels(i) && Dense(tile)) {
                Fetch(raw[slot[i]],
                      source[i][EltBytes(type, tile.at)],
                      EltBytes(type, tile.count),
                      EltBytes(type, t.copy));
            } else if (Travels(i)) {
                FetchRows(raw[slot[i]], i, tile);
            }
        }
        inputs.EnQue(raw);
    }

    __aicore__ inline void Fetch(const Bytes& to,
                                 const AscendC::GlobalTensor<uint8_t>& from,
                                 uint32_t bytes,
                                 uint32_t step) {
        if (step == 0) {
            CopyElementsIn(to, from, bytes);
            return;
        }
        for (uint32_t at = 0; at < bytes; at += step) {
            CopyElementsIn(to[at], from[at], bytes - at < step ? bytes - at : step);
        }
    }

    // (rows) GM -> UB, filled to whole blocks: Brcb takes eight values at a time.
    __aicore__ inline void FetchValues(const Bytes& to,
                                       const AscendC::GlobalTensor<uint8_t>& from,
                                       uint32_t bytes) {
        const uint32_t rest = (bytes + 31) / 32 * 32 - bytes;
        if (rest == 0) {
            CopyElementsIn(to, from, bytes);
            return;
        }
#if KERNEL_HAS_COPY_PAD
        AscendC::DataCopyPad(to,
                             from,
                             AscendC::DataCopyExtParams(1, bytes, 0, 0, 0),
                             AscendC::DataCopyPadExtParams<uint8_t>(true, 0, rest, 0));
#endif
    }

    // (rows, width) GM -> (rows, pitch) UB, the gap filled.
    __aicore__ inline void FetchRows(const Bytes& to, uint32_t i, const Tile& tile) {
#if KERNEL_HAS_COPY_PAD
        const EltType type = t.in_type[i];
        const uint32_t row = EltBytes(type, tile.width);
        const uint32_t pitch = EltBytes(type, t.pitch);
        const uint32_t padded = (row + 31) / 32 * 32;
        AscendC::DataCopyPad(to,
                             source[i][EltBytes(type, tile.at)],
                             AscendC::DataCopyExtParams(
                                 tile.rows, row, EltBytes(type, t.width) - row, (pitch - padded) / 32, 0),
                             AscendC::DataCopyPadExtParams<uint8_t>(true, 0, padded - row, 0));
#endif
    }

    KERNEL_FOLDED __aicore__ inline void Compute(const Tile& tile) {
        EltOperands<C> o{};
        o.pitch = WideBytes() / sizeof(C);
        o.p = t.parameter;
        o.count = static_cast<int32_t>(tile.count);
        Bytes raw;
        if (fetches) {
            raw = inputs.template DeQue<uint8_t>();
        }
        Then();
        for (uint32_t i = 0; i < t.inputs; ++i) {
            o.x[i] = Operand(i, raw, tile).template ReinterpretCast<C>();
        }
        Then();
        Bytes result = outputs.template AllocTensor<uint8_t>();
        for (uint32_t i = 0; i < t.outputs; ++i) {
            o.y[i] = (OutNeedsWide(i) ? Wide(out_wide_slot[i]) : result[out_slot[i]])
                         .template ReinterpretCast<C>();
        }
        o.flags = o.y[0].template ReinterpretCast<half>();
        o.scratch = Wide(scratch_slot).template ReinterpretCast<C>();
        EltApply<C>(t.op, o);
        if (fetches) {
            inputs.FreeTensor(raw);
        }
        for (uint32_t i = 0; i < t.outputs; ++i) {
            if (OutNeedsWide(i)) {
                Then();
                const Bytes wide = Wide(out_wide_slot[i]);
                if (EltIsPredicate(t.op)) {
                    EltNarrow<half>(t.out_type[i], result[out_slot[i]], wide, Wide(via_slot), tile.count);
                } else {
                    EltNarrow<C>(t.out_type[i], result[out_slot[i]], wide, Wide(via_slot), tile.count);
                }
            }
        }
        outputs.template EnQue<uint8_t>(result);
    }

    /// Operand i of a tile in the compute type.
    KERNEL_FOLDED __aicore__ inline Bytes Operand(uint32_t i, const Bytes& raw, const Tile& tile) {
        if (t.form[i] == EltForm::scalar || t.form[i] == EltForm::row) {
            return Wide(wide_slot[i]);
        }
        if (t.form[i] == EltForm::column) {
            return Column(i, raw[slot[i]], tile);
        }
        if (EltIsNative(t.in_type[i], t.compute)) {
            return raw[slot[i]];
        }
        EltWiden<C>(t.in_type[i], Wide(wide_slot[i]), raw[slot[i]], Wide(via_slot), tile.count);
        return Wide(wide_slot[i]);
    }

    /// One value a row, spread over its columns.
    __aicore__ inline Bytes Column(uint32_t i, const Bytes& raw, const Tile& tile) {
        const Bytes to = Wide(wide_slot[i]);
        const AscendC::LocalTensor<C> full = to.template ReinterpretCast<C>();
        const AscendC::LocalTensor<C> blocks = spread.template Get<C>();
        Bytes values = raw;
        if (!EltIsNative(t.in_type[i], t.compute)) {
            values = t.by_rows != 0 ? spread.template Get<uint8_t>()
                                    : to;  // row by row they are read while `to` fills
            EltWiden<C>(t.in_type[i], values, raw, Wide(via_slot), (tile.rows + 7) / 8 * 8);
            Then();
        }
        if (t.by_rows != 0) {
            const AscendC::TEventID ready = pipe.template FetchEventID<AscendC::HardEvent::V_S>();
            EltSpreadValues(
                full, values.template ReinterpretCast<C>(), tile.rows, tile.width, t.pitch, ready);
            return to;
        }
        AscendC::Brcb(blocks,
                      values.template ReinterpretCast<C>(),
                      static_cast<uint8_t>((tile.rows + 7) / 8),
                      AscendC::BrcbRepeatParams(1, 8));
        Then();
        EltSpreadBlocks(full, blocks, tile.rows, t.pitch);
        return to;
    }

    KERNEL_FOLDED __aicore__ inline void CopyOut(const Tile& tile) {
        Bytes result = outputs.template DeQue<uint8_t>();
        for (uint32_t i = 0; i < t.outputs; ++i) {
            const EltType type = t.out_type[i];
            const auto to = target[i][EltBytes(type, tile.at)];
            if (Dense(tile)) {
                CopyElementsOut(to, result[out_slot[i]], EltBytes(type, tile.count));
                continue;
            }
#if KERNEL_HAS_COPY_PAD
            const uint32_t row = EltBytes(type, tile.width);
            AscendC::DataCopyPad(
                to,
                result[out_slot[i]],
                AscendC::DataCopyExtParams(tile.rows,
                                           row,
                                           (EltBytes(type, t.pitch) - (row + 31) / 32 * 32) / 32,
                                           EltBytes(type, t.width) - row,
                                           0));
#endif
        }
        outputs.FreeTensor(result);
    }

    EltTiling t;
    bool flat;
    bool fetches = false;  // tiles have something to copy in
    uint64_t first, length;
    uint32_t tile_elements;
    uint32_t slot[elt_most_inputs], wide_slot[elt_most_inputs];
    uint32_t out_slot[elt_most_outputs], out_wide_slot[elt_most_outputs];
    uint32_t scratch_slot, via_slot;
    AscendC::GlobalTensor<uint8_t> source[elt_most_inputs], target[elt_most_outputs];
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inputs, constants;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outputs;
    AscendC::TBuf<AscendC::TPosition::VECCALC> work, spread;
};
