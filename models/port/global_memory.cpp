// SPDX-License-Identifier: Apache-2.0
#include "models/port/global_memory.hpp"

#include <algorithm>

#include <sys/mman.h>
#include <sys/resource.h>

#include "models/port/pointer_access.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

std::uint64_t ascendsim_global_begin = 0;
std::uint64_t ascendsim_global_bytes = 0;

namespace ascendsim::isa {
namespace {

std::uint32_t memories = 0;  // NOLINT: that there are, see runtime/README.md

/// Lets the code of kernels know where global memory lies.
void note_place(const std::byte* base, std::uint64_t bytes) {
    const auto first = reinterpret_cast<std::uint64_t>(base);
    const bool alone = memories++ == 0;
    const std::uint64_t begin = alone ? first : std::min(first, ascendsim_global_begin);
    const std::uint64_t end =
        alone ? first + bytes : std::max(first + bytes, ascendsim_global_begin + ascendsim_global_bytes);
    ascendsim_global_begin = begin;
    ascendsim_global_bytes = end - begin;
}

/// Where it is placed if that is free: two processes that share it then mean the same by an address.
constexpr std::uintptr_t usual_place = 0x2000'0000'0000;

bool address_space_is_limited() {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

GlobalMemory::GlobalMemory(std::uint64_t capacity) : capacity_{capacity} {
    constexpr std::uint64_t least = std::uint64_t{1} << 20U;
    const auto reserve = [](std::uint64_t bytes) {
        return mmap(reinterpret_cast<void*>(usual_place),
                    bytes,
                    PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1,
                    0);
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
    note_place(base_, capacity_);
}

GlobalMemory::~GlobalMemory() {
    munmap(base_, capacity_);
    if (--memories == 0) {
        ascendsim_global_bytes = 0;
    }
}

std::byte* GlobalMemory::allocate(std::string name,
                                  std::uint64_t bytes,
                                  bool control,
                                  std::uint64_t alignment) {
    const std::uint64_t offset = round_up(used_, alignment);
    if (offset > capacity_ || bytes > capacity_ - offset) {
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
        madvise(base_ + first, last - first, shared_ ? MADV_REMOVE : MADV_DONTNEED);
    }
    if (shared_) {  // used again, and allocate() gives zeros
        std::byte* const begin = base_ + found->offset;
        std::byte* const end = begin + found->bytes;
        std::fill(begin, last > first ? base_ + first : end, std::byte{0});
        std::fill(last > first ? base_ + last : end, end, std::byte{0});
    }
    buffers_.erase(found);
    last_ = 0;
    if (shared_) {  // long-lived: addresses are used again
        used_ = buffers_.empty()
                    ? 0
                    : buffers_.back().offset + round_up<std::uint64_t>(buffers_.back().bytes, 512) + 512;
    }
}

void GlobalMemory::share(int descriptor) {
    void* memory =
        mmap(base_, capacity_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor, 0);
    if (memory == MAP_FAILED) {
        throw UserError{"global memory of {} bytes cannot be shared with another process", capacity_};
    }
    shared_ = true;
}

void GlobalMemory::adopt(std::string name, std::uint64_t offset, std::uint64_t bytes) {
    check(offset + bytes <= capacity_, "adopts memory beyond the end", offset, bytes);
    const auto after = std::ranges::upper_bound(buffers_, offset, {}, &GlobalBuffer::offset);
    buffers_.insert(after, {.name = std::move(name), .offset = offset, .bytes = bytes});
    used_ = std::max(used_, offset + round_up<std::uint64_t>(bytes, 512) + 512);
    last_ = 0;
}

void GlobalMemory::forget(std::uint64_t offset) {
    std::erase_if(buffers_, [&](const GlobalBuffer& buffer) { return buffer.offset == offset; });
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
