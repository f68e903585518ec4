// SPDX-License-Identifier: Apache-2.0
// Brings the operands of base blocks to L1 in time: what lies there is used again, the next chunk is fetched
// while the current one is multiplied.
#pragma once

#include "kernels/ascendc/matmul/arguments.h"
#include "kernels/ascendc/matmul/l1_chunks.h"
#include "kernels/ascendc/matmul/tokens.h"

namespace AscendC::matmul_detail {

/// How one operand is cut: its outer dimension (m of A, n of B) and k, in base blocks and chunks.
struct Cut {
    int32_t outer = 0;  // elements of the single shape
    int32_t k = 0;
    int32_t base_outer = 0;
    int32_t base_k = 0;
    int32_t step_outer = 1;  // base blocks of a chunk
    int32_t step_k = 1;

    [[nodiscard]] int32_t ChunkOuter() const { return base_outer * step_outer; }

    [[nodiscard]] int32_t ChunkK() const { return base_k * step_k; }

    [[nodiscard]] int32_t ChunksK() const { return CeilDiv(k, ChunkK()); }

    [[nodiscard]] int32_t OuterOf(int32_t chunk) const {
        return outer - chunk * ChunkOuter() < ChunkOuter() ? outer - chunk * ChunkOuter() : ChunkOuter();
    }

    [[nodiscard]] int32_t DepthOf(int32_t chunk) const {
        return k - chunk * ChunkK() < ChunkK() ? k - chunk * ChunkK() : ChunkK();
    }
};

/// One operand on its way to L1. `left` says which: A, or B, which is stored [K, N] unless transposed.
template <typename TYPE, bool left, auto copy_in>
class Feed {
public:
    using T = typename TYPE::T;
    using Loads = OperandLoads<T>;

    /// Returns the bytes of L1 that Place() is to find room for.
    uint32_t Init(const Cut& cut, int32_t depth) {
        cut_ = cut;
        if constexpr (TYPE::pos == TPosition::GM || TYPE::pos == TPosition::VECOUT) {
            const int32_t chunk = cut.step_outer * cut.step_k;
            return chunks_.Divide(
                cut.ChunkOuter(), cut.ChunkK(), depth / chunk < 1 ? 1 : depth / chunk, TYPE::isTrans);
        }
        return 0;
    }

    void Place(uint32_t start, Site site) { chunks_.Place(start, site); }

    /// Takes L1 over from another object.
    void TakeOver(Site site) {
        chunks_.Forget();
        chunks_.Announce(site);
        current_ = nullptr;
    }

    /// Takes a new operand and shape; what lies in L1 stays if it is the same.
    void Set(const Operand& operand, int32_t outer, int32_t k, int32_t org_outer, int32_t org_k) {
        const bool same = operand == operand_ && outer == cut_.outer && k == cut_.k &&
                          org_outer == org_outer_ && org_k == org_k_;
        if (!same) {
            chunks_.Forget();
        }
        operand_ = operand;
        cut_.outer = outer;
        cut_.k = k;
        org_outer_ = org_outer;
        org_k_ = org_k;
        current_ = nullptr;
    }

    void SetUser(uint64_t tiling, uint64_t data) {
        user_tiling_ = tiling;
        user_data_ = data;
    }

    [[nodiscard]] const Cut& cut() const { return cut_; }

    [[nodiscard]] bool Transposed() const { return operand_.transpose; }

    [[nodiscard]] bool Resident() const { return operand_.place == Place::l1; }

    /// L1 has room for one chunk: the next one waits until that has been read.
    [[nodiscard]] bool Single() const { return !Resident() && chunks_.count() == 1; }

    /// Makes chunk (outer, inner) the current one, fetching it if it is not there.
    template <class Loaded, class Read>
    void Enter(int32_t outer, int32_t inner, Loaded& loaded, Read& read) {
        if (Resident()) {
            return;
        }
        current_ = chunks_.Find(outer, inner);
        if (current_ == nullptr) {
            current_ = chunks_.Replace(outer, inner, nullptr);
            Fetch(*current_, loaded, read);
        }
    }

    /// Starts to fetch chunk (outer, inner) unless it is there or there is no room beside the current one.
    template <class Loaded, class Read>
    void Prefetch(int32_t outer, int32_t inner, Loaded& loaded, Read& read) {
        if (Resident() || chunks_.count() < 2 || chunks_.Find(outer, inner) != nullptr) {
            return;
        }
        if (Slot* slot = chunks_.Replace(outer, inner, current_); slot != nullptr) {
            Fetch(*slot, loaded, read);
        }
    }

    /// Before MTE1 reads the current chunk.
    template <class Loaded>
    void Await(Loaded& loaded) {
        if (current_ != nullptr) {
            loaded.Await(current_->loaded);
        }
    }

    /// MTE1 has read the current chunk for the last time on this visit.
    template <class Read>
    void Leave(Read& read) {
        if (current_ != nullptr) {
            current_->read = read.Raise();
        }
    }

    /// The current chunk as it lies in L1.
    [[nodiscard]] L1Matrix<T> Matrix(int32_t outer_chunk, int32_t inner_chunk) const {
        const bool outer_rows = left != operand_.transpose;
        if (Resident()) {
            const auto at =
                TBuffAddr{static_cast<uint32_t>(ascendsim::isa::buffer_capacity(ascendsim::Memory::l1)) -
                              static_cast<uint32_t>(operand_.value),
                          static_cast<uint32_t>(operand_.value),
                          nullptr,
                          static_cast<uint8_t>(TPosition::TSCM)};
            return {LocalTensor<T>(at),
                    CeilTo(outer_rows ? cut_.outer : cut_.k, Loads::fractal),
                    outer_rows ? cut_.k : cut_.outer};
        }
        const int32_t outer = cut_.OuterOf(outer_chunk);
        const int32_t depth = cut_.DepthOf(inner_chunk);
        return {chunks_.Tensor(*current_),
                CeilTo(outer_rows ? outer : depth, Loads::row_unit),
                outer_rows ? depth : outer};
    }

    /// Elements before the base block within the matrix that Matrix() names.
    [[nodiscard]] int32_t OuterWithin(int32_t block) const {
        return (Resident() ? block : block % cut_.step_outer) * cut_.base_outer;
    }

    [[nodiscard]] int32_t DepthWithin(int32_t step) const {
        return (Resident() ? step : step % cut_.step_k) * cut_.base_k;
    }

private:
    template <class Loaded, class Read>
    void Fetch(Slot& slot, Loaded& loaded, Read& read) {
        constexpr uint32_t scalar_cycles = 105;  // see ObjectCosts: the same measurements, a chunk's share
        ascendsim::isa::scalar_instructions(scalar_cycles, Site::here());
        read.Await(slot.read);
        const LocalTensor<T> to = chunks_.Tensor(slot);
        const int32_t outer = cut_.OuterOf(slot.outer);
        const int32_t depth = cut_.DepthOf(slot.inner);
        const bool outer_rows = left != operand_.transpose;
        const int32_t rows = outer_rows ? outer : depth;
        const int32_t columns = outer_rows ? depth : outer;
        const int64_t first_row =
            int64_t{outer_rows ? slot.outer * cut_.ChunkOuter() : slot.inner * cut_.ChunkK()};
        const int64_t first_column =
            int64_t{outer_rows ? slot.inner * cut_.ChunkK() : slot.outer * cut_.ChunkOuter()};
        if constexpr (copy_in != nullptr) {
            CallBack(to, slot, outer, depth);
        } else if (operand_.place == Place::scalar) {
            Fill(to, columns);
        } else {
            CopyIn(to, rows, columns, first_row, first_column);
        }
        slot.loaded = loaded.Raise();
    }

    void CopyIn(const LocalTensor<T>& to,
                int32_t rows,
                int32_t columns,
                int64_t first_row,
                int64_t first_column) const {
        const bool outer_rows = left != operand_.transpose;
        GlobalTensor<T> from;
        from.SetGlobalBuffer(reinterpret_cast<T*>(operand_.value));
        const int32_t height = CeilTo(rows, Loads::row_unit);
        if constexpr (TYPE::format == CubeFormat::NZ) {
            const int32_t gm_rows = CeilTo(outer_rows ? org_outer_ : org_k_, Loads::fractal);
            Loads::CopyBlocks(to,
                              from[static_cast<uint64_t>(first_column * gm_rows + first_row * Loads::c0)],
                              rows,
                              columns,
                              gm_rows,
                              height);
        } else {
            const int64_t pitch =
                operand_.pitch != 0 ? operand_.pitch : int64_t{outer_rows ? org_k_ : org_outer_};
            Loads::CopyIn(to,
                          from[static_cast<uint64_t>(first_row * pitch + first_column)],
                          rows,
                          columns,
                          pitch,
                          height);
        }
    }

    // One row of a value; the other rows of the fractal are not looked at.
    void Fill(const LocalTensor<T>& to, int32_t columns) const {
        if constexpr (sizeof(T) > 1) {
            T value{};
            __builtin_memcpy(static_cast<void*>(&value), &operand_.value, sizeof(T));
            const int32_t blocks = CeilDiv(columns, Loads::c0) * Loads::row_unit;
            InitConstValue(to, InitConstValueParams<T>(1, static_cast<uint16_t>(blocks), 0, value));
        }
    }

    // The kernel's own copy sees base blocks: their place in blocks, their size in elements.
    void CallBack(const LocalTensor<T>& to, const Slot& slot, int32_t outer, int32_t depth) const {
        if constexpr (copy_in != nullptr) {
            const auto* from = reinterpret_cast<const void*>(operand_.value);
            const LocalTensor<int8_t> bytes = to.template ReinterpretCast<int8_t>();
            copy_in(bytes,
                    from,
                    left ? slot.outer : slot.inner,
                    left ? slot.inner : slot.outer,
                    left ? outer : depth,
                    left ? depth : outer,
                    user_tiling_,
                    user_data_);
        }
    }

    L1Chunks<T> chunks_;
    Cut cut_;
    Operand operand_;
    Slot* current_ = nullptr;
    int32_t org_outer_ = 0;
    int32_t org_k_ = 0;
    uint64_t user_tiling_ = 0;
    uint64_t user_data_ = 0;
};

}  // namespace AscendC::matmul_detail
