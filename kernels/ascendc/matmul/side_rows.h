// SPDX-License-Identifier: Apache-2.0
// Rows that go with the columns of C: the bias and the scales of quantisation.
#pragma once

#include "kernels/ascendc/matmul/arguments.h"
#include "kernels/ascendc/matmul/operand_loads.h"
#include "kernels/ascendc/matmul/tokens.h"

namespace AscendC::matmul_detail {

/// A row of the bias or of scales for one base block: global memory to L1, and for the bias on to its table.
class SideRow {
public:
    /// Takes room for `elements` of `size` bytes, unless there is enough.
    void Init(TPipe& pipe, int32_t elements, std::size_t size, Site site) {
        const auto bytes =
            (static_cast<uint32_t>(elements) * static_cast<uint32_t>(size) + 511U) / 512U * 512U;
        if (bytes > taken_) {
            start_ = pipe.Take(TPosition::C1, bytes, site);
            taken_ = bytes;
            ascendsim::isa::CorePort::current().notice(
                ascendsim::isa::BufferNotice::live, {ascendsim::Memory::l1, start_}, bytes, site);
        }
        Forget();
    }

    void Forget() { first_ = -1; }

    /// The bias of columns `first` on, to the table; Mmad reads it behind MTE1's next announcement.
    template <typename T, typename Sum>
    void Load(const Operand& row, int32_t first, int32_t columns, CubeCore& core) {
        if (row.place == Place::none || (first == first_ && columns == columns_)) {
            return;
        }
        const LocalTensor<T> l1 = CopyIn<T>(row, first, columns, core.bias_read);
        if (row.place == Place::gm) {
            core.bias_loaded.Raise();
            core.bias_loaded.Drain();
        }
        core.mmad_done.Drain();  // the table is one, and the last Mmad may still read it
        const int32_t blocks = CeilDiv(columns * static_cast<int32_t>(sizeof(T)), 64);
        DataCopy(Table<Sum>(), l1, DataCopyParams(1, static_cast<uint16_t>(blocks), 0, 0));
        core.bias_read.Raise();
        first_ = first;
        columns_ = columns;
    }

    /// The scales of columns `first` on, in L1, for Fixpipe.
    LocalTensor<uint64_t> LoadScales(const Operand& row, int32_t first, int32_t columns, CubeCore& core) {
        if (row.place == Place::l1) {
            return At<uint64_t>(static_cast<uint32_t>(row.value) + static_cast<uint32_t>(first) * 8U,
                                columns);
        }
        const LocalTensor<uint64_t> l1 = CopyIn<uint64_t>(row, first, columns, core.scales_read);
        SetFlag<HardEvent::MTE2_FIX>(core.scales_ready);
        WaitFlag<HardEvent::MTE2_FIX>(core.scales_ready);
        return l1;
    }

    template <typename Sum>
    [[nodiscard]] static LocalTensor<Sum> Table() {
        return LocalTensor<Sum>(TBuffAddr{1024, 0, nullptr, static_cast<uint8_t>(TPosition::C2)});
    }

private:
    template <typename T>
    static LocalTensor<T> At(uint32_t byte, int32_t elements) {
        return LocalTensor<T>(TBuffAddr{static_cast<uint32_t>(elements) * static_cast<uint32_t>(sizeof(T)),
                                        byte,
                                        nullptr,
                                        static_cast<uint8_t>(TPosition::C1)});
    }

    // One row as columns of blocks one after the other is the row itself, without a byte beyond its end read.
    template <typename T, class Read>
    LocalTensor<T> CopyIn(const Operand& row, int32_t first, int32_t columns, Read& read) {
        if (row.place == Place::l1) {
            return At<T>(static_cast<uint32_t>(row.value) + static_cast<uint32_t>(first) * sizeof(T),
                         columns);
        }
        read.Drain();
        const LocalTensor<T> l1 = At<T>(start_, columns);
        constexpr int32_t parts = sizeof(T) == 8 ? 2 : 1;
        using Part = std::conditional_t<sizeof(T) == 8, uint32_t, T>;
        GlobalTensor<Part> from;
        from.SetGlobalBuffer(reinterpret_cast<Part*>(row.value));
        const auto count = static_cast<uint16_t>(columns * parts);
        DataCopy(l1.template ReinterpretCast<Part>(),
                 from[static_cast<uint64_t>(first) * parts],
                 Nd2NzParams(1, 1, count, 0, count, 1, 1, 0));
        return l1;
    }

    uint32_t start_ = 0;
    uint32_t taken_ = 0;
    int32_t first_ = -1;
    int32_t columns_ = 0;
};

}  // namespace AscendC::matmul_detail
