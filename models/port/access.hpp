// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/port/pipe.hpp"

namespace ascendsim::isa {

/// A place in one of the core's own memories.
struct Local {
    Memory memory = Memory::ub;
    std::uint32_t offset = 0;  // B
};

/// Bytes an instruction touches: `planes` times `rows` runs of `row_bytes`, `pitch` apart, from `offset` of
/// `memory`. With `lane_bytes` a row consists of elements of so many bytes, and those are touched whose bit
/// in `lanes` is set.
struct Access {
    Memory memory = Memory::ub;
    bool write = false;
    bool atomic = false;
    std::uint64_t offset = 0;  // B; for gm from the start of global memory
    std::uint64_t row_bytes = 0;
    std::uint64_t rows = 1;
    std::uint64_t pitch = 0;
    std::uint64_t planes = 1;
    std::uint64_t plane_pitch = 0;
    bool covering = false;   // some of these bytes are not touched: gathered elements, masked strided blocks
    bool scattered = false;  // covering: of these bytes only the first and the last are known to be touched
    bool addresses = false;  // what is read is used as addresses
    std::uint8_t lane_bytes = 0;  // 0: rows have no holes
    std::array<std::uint64_t, 2> lanes{};

    /// Bytes from the first to behind the last one touched.
    [[nodiscard]] constexpr std::uint64_t extent() const {
        return rows == 0 || row_bytes == 0 || planes == 0
                   ? 0
                   : (planes - 1) * plane_pitch + (rows - 1) * pitch + row_bytes;
    }
};

/// The accesses of one instruction.
class Accesses {
public:
    // NOLINTNEXTLINE(modernize-use-equals-default): a defaulted one would set the places of the list
    Accesses() {}

    void read(const Access& access) { add(access, false); }

    void write(const Access& access) { add(access, true); }

    void read(Local where, std::uint64_t bytes) {
        add({.memory = where.memory, .offset = where.offset, .row_bytes = bytes}, false);
    }

    void write(Local where, std::uint64_t bytes) {
        add({.memory = where.memory, .offset = where.offset, .row_bytes = bytes}, true);
    }

    [[nodiscard]] const Access* begin() const { return list_.data(); }

    [[nodiscard]] const Access* end() const { return list_.data() + count_; }

private:
    void add(const Access& access, bool write) {
        list_[count_] = access;
        list_[count_++].write = write;
    }

    static constexpr unsigned capacity = 6;

    union {
        std::array<Access, capacity> list_;  // unset until used: every instruction makes a list
    };

    unsigned count_ = 0;
};

}  // namespace ascendsim::isa
