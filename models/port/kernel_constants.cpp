// SPDX-License-Identifier: Apache-2.0
#include "models/port/kernel_constants.hpp"

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <link.h>

namespace ascendsim::isa {
namespace {

using Bytes = std::span<const std::byte>;

struct Search {
    const std::byte* wanted;
    std::optional<Bytes> found{};
};

/// Looks through the parts of one library that the host has mapped.
int look_into(dl_phdr_info* library, std::size_t /*size*/, void* data) {
    auto& search = *static_cast<Search*>(data);
    // The program that simulates has no name; kernels come as libraries.
    if (library->dlpi_name == nullptr || *library->dlpi_name == '\0') {
        return 0;
    }
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& part = library->dlpi_phdr[i];
        const auto* begin = reinterpret_cast<const std::byte*>(library->dlpi_addr + part.p_vaddr);
        const bool holds =
            part.p_type == PT_LOAD && search.wanted >= begin && search.wanted < begin + part.p_memsz;
        if (holds && (part.p_flags & PF_R) != 0) {
            search.found = Bytes{begin, part.p_memsz};
            return 1;
        }
    }
    return 0;
}

constexpr std::string_view copy_name = "constants of the kernel";

/// The copy of `constants` in global memory, made if there is none yet. Several kernels' may be there; they
/// are told apart by what they hold.
const std::byte* copy_of(GlobalMemory& memory, Bytes constants) {
    for (const GlobalBuffer& buffer : memory.buffers()) {
        const std::byte* copy = memory.base() + buffer.offset;
        if (buffer.name == copy_name && buffer.bytes == constants.size() &&
            std::memcmp(copy, constants.data(), constants.size()) == 0) {
            return copy;
        }
    }
    std::byte* copy = memory.allocate(std::string{copy_name}, constants.size(), true);
    std::memcpy(copy, constants.data(), constants.size());
    return copy;
}

}  // namespace

const void* constant_in_global_memory(const void* pointer) {
    constexpr std::uintptr_t lowest = 1U << 16U;  // no library lies below
    if (reinterpret_cast<std::uintptr_t>(pointer) < lowest) {
        return pointer;
    }
    Search search{static_cast<const std::byte*>(pointer)};
    dl_iterate_phdr(look_into, &search);
    if (!search.found) {
        return pointer;
    }
    GlobalMemory& memory = CorePort::current().global();
    return copy_of(memory, *search.found) + (search.wanted - search.found->data());
}

}  // namespace ascendsim::isa
