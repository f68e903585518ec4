// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/port/data_type.hpp"
#include "models/port/registers.hpp"

namespace ascendsim::isa {

/// What a write to global memory does to the values there.
struct AtomicWrite {
    AtomicMode mode = AtomicMode::none;
    DataType type = DataType::float32;  // of the elements combined

    /// As the core's registers say now.
    [[nodiscard]] static AtomicWrite of(const Registers& registers) {
        return {registers.atomic, static_cast<DataType>(registers.atomic_type)};
    }

    [[nodiscard]] bool active() const { return mode != AtomicMode::none; }
};

/// Stores `bytes` of `source` at `destination`, combined with what is there as `write` says.
void store(std::byte* destination, const std::byte* source, std::size_t bytes, const AtomicWrite& write);

}  // namespace ascendsim::isa
