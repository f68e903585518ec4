// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#ifdef ASCENDSIM_UNCOUNTED
/// Folders, separated by colons, whose code toolchain/scalar_steps takes for the simulator's and not for a
/// kernel's.
[[gnu::used]] static constexpr char ascendsim_uncounted[] = ASCENDSIM_UNCOUNTED;
#endif

namespace ascendsim::isa {

/// One kernel function of a plug-in: called with pointers to its arguments.
struct Entry {
    const char* name;  // as written: "add_custom<half>"
    void (*invoke)(void** arguments);
    std::uint32_t argument_count;
    const std::uint32_t* argument_sizes;  // B
    const std::uint8_t* argument_is_address;
};

/// What a device plug-in exports as `ascendsim_entries`.
struct EntryTable {
    std::uint32_t version;  // entry_table_version of its compilation
    std::uint32_t count;
    const Entry* entries;
};

inline constexpr std::uint32_t entry_table_version = 1;
inline constexpr const char* entry_table_symbol = "ascendsim_entries";
inline constexpr const char* kernel_host_symbol = "ascendsim_kernel_host";

/// Unpacks an argument list for the kernel function `function`, whose parameter types are deduced.
template <auto function>
struct EntryOf;

template <class... Parameters, void (*function)(Parameters...)>
struct EntryOf<function> {
    static constexpr std::uint32_t count = sizeof...(Parameters);
    static constexpr std::uint32_t sizes[count + 1]{sizeof(std::remove_reference_t<Parameters>)..., 0};
    static constexpr std::uint8_t is_address[count + 1]{std::is_pointer_v<Parameters>..., 0};

    static void invoke(void** arguments) { call(arguments, std::index_sequence_for<Parameters...>{}); }

    static constexpr Entry named(const char* name) { return {name, &invoke, count, sizes, is_address}; }

private:
    template <std::size_t... i>
    static void call([[maybe_unused]] void** arguments, std::index_sequence<i...>) {
        function(*static_cast<std::remove_cv_t<std::remove_reference_t<Parameters>>*>(arguments[i])...);
    }
};

}  // namespace ascendsim::isa
