// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/port/access.hpp"

namespace ascendsim::isa {

/// A named allocation in global memory.
struct GlobalBuffer {
    std::string name;
    std::uint64_t offset = 0;  // B
    std::uint64_t bytes = 0;
    bool control = false;  // its data steers the kernel: copied even in a timing-only run
};

/// The chip's global memory: an address range reserved once and backed by the host as it is touched. Offsets,
/// not host addresses, reach timing and results, so runs are repeatable.
class GlobalMemory {
public:
    /// Reserves `capacity` bytes; throws UserError if the host refuses.
    explicit GlobalMemory(std::uint64_t capacity);
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;
    ~GlobalMemory();

    /// Allocates at the next 512 B boundary (`alignment`), zeroed. Throws UserError when the chip's memory is
    /// full.
    std::byte* allocate(std::string name,
                        std::uint64_t bytes,
                        bool control = false,
                        std::uint64_t alignment = 512);
    /// Returns an allocation's bytes; `pointer` must be one that allocate returned.
    void release(std::byte* pointer);

    /// Backs all of it with the file `descriptor` (of at least capacity() bytes), which other processes map
    /// too: what was in it before is gone. Throws UserError if the host refuses.
    void share(int descriptor);
    /// Counts bytes that another process has allocated in shared memory as an allocation. They keep their
    /// content.
    void adopt(std::string name, std::uint64_t offset, std::uint64_t bytes);
    /// The other process has released them; nothing if there are none.
    void forget(std::uint64_t offset);

    [[nodiscard]] std::byte* base() const { return base_; }

    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }

    [[nodiscard]] std::uint64_t offset_of(const void* pointer) const {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) - base_);
    }

    [[nodiscard]] bool owns(const void* pointer) const {
        return pointer >= base_ && pointer < base_ + capacity_;
    }

    /// True if all bytes of the access lie in one allocation.
    [[nodiscard]] bool contains(const Access& access) const;
    /// The allocation that holds `offset`, or null.
    [[nodiscard]] const GlobalBuffer* find(std::uint64_t offset) const;

    /// True if `offset` lies in a control buffer.
    [[nodiscard]] bool steers(std::uint64_t offset) const { return any_control_ && is_control(offset); }

    [[nodiscard]] const std::vector<GlobalBuffer>& buffers() const { return buffers_; }

private:
    std::byte* base_ = nullptr;
    std::uint64_t capacity_ = 0;
    [[nodiscard]] bool is_control(std::uint64_t offset) const;

    std::uint64_t used_ = 0;
    bool any_control_ = false;
    bool shared_ = false;
    std::vector<GlobalBuffer> buffers_;  // by offset
    mutable std::size_t last_ = 0;       // where contains() found its last answer
};

}  // namespace ascendsim::isa
