// SPDX-License-Identifier: Apache-2.0
// GroupBarrier (API reference, Cube group management): vector cores of one group wait until those of another
// have arrived, through lines of 512 B in global memory, one for each that waits, zero at first.
#pragma once

#include "kernels/ascendc/ascendc/block_turns.h"
#include "kernels/ascendc/ascendc/data_copy.h"

namespace AscendC {

/// The unit that sends the messages of a GroupBarrier; documented for MTE3 alone.
enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

template <PipeMode pipeMode>
class GroupBarrier {
    static_assert(pipeMode == PipeMode::MTE3_MODE,
                  "GroupBarrier: messages go out by PipeMode::MTE3_MODE alone");

public:
    /// `groupWorkspace` is aligned to 512 B and zero. The last 1,600 B of the unified buffer belong to it.
    GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn, Site site = Site::here())
        : arrive_size_(arriveSizeIn), wait_size_(waitSizeIn) {
        if (reinterpret_cast<uintptr_t>(groupWorkspace) % line_bytes != 0) {
            ascendsim::isa::kernel_fault("GroupBarrier", "its workspace must be aligned to 512 bytes", site);
        }
        lines_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(groupWorkspace));
    }

    /// Adds one to the line of each core that waits, behind everything that this core has issued.
    void Arrive(uint32_t arriveIndex, Site site = Site::here()) {
        if constexpr (has_vector_unit) {
            Check(
                arriveIndex, arrive_size_, "GroupBarrier::Arrive: the index must be below arriveSize", site);
            ascendsim::isa::barrier_all(site);
            const LocalTensor<int32_t> one(TPosition::VECCALC, TOTAL_UB_SIZE - taken_bytes, words_of_flag);
            for (uint32_t i = 0; i < words_of_flag; ++i) {
                one.SetValue(i, i == 0 ? 1 : 0, site);
            }
            ascendsim::isa::barrier_all(site);
            auto& registers = ascendsim::isa::CorePort::current().registers();
            const auto kept = registers.atomic;
            const auto kept_type = registers.atomic_type;
            SetAtomicAdd<int32_t>();
            for (uint32_t line = 0; line < wait_size_; ++line) {
                DataCopy(lines_[line * words_of_line], one, words_of_flag, site);
            }
            SetAtomicRegister(kept, static_cast<ascendsim::isa::DataType>(kept_type));
        }
    }

    /// Waits until all have arrived as often as this core has called it.
    void Wait(uint32_t waitIndex, Site site = Site::here()) {
        if constexpr (has_vector_unit) {
            Check(waitIndex, wait_size_, "GroupBarrier::Wait: the index must be below waitSize", site);
            ++waits_;
            const int32_t needed = static_cast<int32_t>(waits_ * arrive_size_);
            while (ReadFlag(lines_, waitIndex * (words_of_line / words_of_flag), site) < needed) {
            }
            ascendsim::isa::barrier_all(site);
        }
    }

    /// The global memory it takes in bytes.
    uint64_t GetWorkspaceLen() const { return uint64_t{wait_size_} * line_bytes; }

private:
    static constexpr uint32_t line_bytes = 512;
    static constexpr uint32_t words_of_line = line_bytes / sizeof(int32_t);
    static constexpr uint32_t taken_bytes = 1600;

    static void Check(uint32_t index, uint32_t size, const char* words, Site site) {
        if (index >= size) {
            ascendsim::isa::kernel_fault("GroupBarrier", words, site);
        }
    }

    GlobalTensor<int32_t> lines_;
    uint32_t arrive_size_;
    uint32_t wait_size_;
    uint32_t waits_ = 0;
};

}  // namespace AscendC
