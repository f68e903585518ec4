// SPDX-License-Identifier: Apache-2.0
#include "models/port/global_memory.hpp"

#include <algorithm>

#include <sys/mman.h>
#include <sys/resource.h>

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

bool address_space_is_limited() {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t capacity) : capacity_{capacity} {
    constexpr std::uint64_t least = std::uint64_t{1} << 20U;
    const auto reserve = [](std::uint64_t bytes) {
        return mmap(
            nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    };
    void* memory = reserve(capacity_);
    if (memory == MAP_FAILED) {  // a limit of the user's: a part of what is left, as others need some, too
        while (memory == MAP_FAILED && capacity_ / 2 >= least) {
            capacity_ /= 2;
            memory = reserve(capacity_);
        }
        if (memory != MAP_FAILED && capacity_ / 2 >= least) {
            munmap(memory, capacity_);
            capacity_ /= 2;
            memory = reserve(capacity_);
        }
    }
    if (memory == MAP_FAILED) {
        throw UserError{
            "hbm.bytes: the host cannot reserve {} bytes of address space; does 'ulimit -v' limit it?",
            capacity};
    }
    base_ = static_cast<std::byte*>(memory);
}

GlobalMemory::~GlobalMemory() {
    munmap(base_, capacity_);
}

std::byte* GlobalMemory::allocate(std::string name,
                                  std::uint64_t bytes,
                                  bool control,
                                  std::uint64_t alignment) {
    const std::uint64_t offset = round_up(used_, alignment);
    if (offset + bytes > capacity_) {
        throw UserError{"global memory is full: '{}' needs {} B, {} of {} B are in use{}",
                        name,
                        bytes,
                        used_,
                        capacity_,
                        address_space_is_limited() ? "; 'ulimit -v' of the host may be what limits it" : ""};
    }
    // A gap behind each allocation lets an access past its end be told from one into its neighbour.
    used_ = offset + round_up<std::uint64_t>(bytes, 512) + 512;
    any_control_ = any_control_ || control;
    buffers_.push_back({.name = std::move(name), .offset = offset, .bytes = bytes, .control = control});
    return base_ + offset;
}

void GlobalMemory::release(std::byte* pointer) {
    const std::uint64_t offset = offset_of(pointer);
    const auto found = std::ranges::find(buffers_, offset, &GlobalBuffer::offset);
    if (found == buffers_.end()) {
        throw ProgramError{"freed a global-memory address that was never allocated, or freed twice"};
    }
    // Only pages that hold nothing else go back to the host: those at the edges may hold a neighbour's bytes.
    constexpr std::uint64_t page = 4096;
    const std::uint64_t first = round_up(found->offset, page);
    const std::uint64_t last = (found->offset + found->bytes) / page * page;
    if (last > first) {
        madvise(base_ + first, last - first, MADV_DONTNEED);
    }
    buffers_.erase(found);
    last_ = 0;
}

const GlobalBuffer* GlobalMemory::find(std::uint64_t offset) const {
    if (last_ < buffers_.size() && offset - buffers_[last_].offset < buffers_[last_].bytes) {
        return &buffers_[last_];
    }
    const auto after = std::ranges::upper_bound(buffers_, offset, {}, &GlobalBuffer::offset);
    if (after == buffers_.begin()) {
        return nullptr;
    }
    const auto candidate = std::prev(after);
    if (offset - candidate->offset >= candidate->bytes) {
        return nullptr;
    }
    last_ = static_cast<std::size_t>(candidate - buffers_.begin());
    return &*candidate;
}

bool GlobalMemory::contains(const Access& access) const {
    if (access.extent() == 0) {
        return true;
    }
    const GlobalBuffer* buffer = find(access.offset);
    return buffer != nullptr && access.extent() <= buffer->bytes - (access.offset - buffer->offset);
}

bool GlobalMemory::is_control(std::uint64_t offset) const {
    const GlobalBuffer* buffer = find(offset);
    return buffer != nullptr && buffer->control;
}

}  // namespace ascendsim::isa
