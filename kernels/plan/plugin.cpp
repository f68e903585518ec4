// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/plugin.hpp"

#include <algorithm>
#include <string>

#include <dlfcn.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"

namespace ascendsim::host {
namespace {

void* load(const std::filesystem::path& file, const char* symbol) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw UserError{"{}: cannot be loaded: {}", file.string(), dlerror()};
    }
    void* address = dlsym(library, symbol);
    if (address == nullptr) {
        throw UserError{"{}: is no kernel plug-in: it has no '{}'", file.string(), symbol};
    }
    return address;
}

}  // namespace

DevicePlugin::DevicePlugin(const std::filesystem::path& file) : file_{file} {
    const auto* table = static_cast<const isa::EntryTable*>(load(file, isa::entry_table_symbol));
    if (table->version != isa::entry_table_version) {
        throw UserError{"{}: was built for another version of the simulator", file.string()};
    }
    entries_.assign(table->entries, table->entries + table->count);
}

const isa::Entry& DevicePlugin::entry(std::string_view name) const {
    const auto found = std::ranges::find(
        entries_, name, [](const isa::Entry& entry) { return std::string_view{entry.name}; });
    if (found == entries_.end()) {
        std::vector<std::string> names;
        for (const isa::Entry& entry : entries_) {
            names.emplace_back(entry.name);
        }
        throw UserError{"'{}' is no kernel function of {}{} (it has: {})",
                        name,
                        file_.stem().string(),
                        nearest_hint(name, names),
                        fmt::join(names, ", ")};
    }
    return *found;
}

const KernelHost& load_kernel_host(const std::filesystem::path& file) {
    using Function = const KernelHost* (*)();
    return *reinterpret_cast<Function>(load(file, isa::kernel_host_symbol))();
}

void check_arguments(const Launch& launch, const isa::Entry& entry) {
    if (launch.arguments.size() != entry.argument_count) {
        throw UserError{"kernel function '{}' takes {} arguments, {} are given",
                        launch.entry,
                        entry.argument_count,
                        launch.arguments.size()};
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const Argument& argument = launch.arguments[i];
        const bool address = !argument.buffer.empty();
        const bool null = !address && argument.value == std::vector<std::byte>(sizeof(void*));
        const bool wanted = entry.argument_is_address[i] != 0;
        if (address != wanted && !(null && wanted)) {
            throw UserError{"argument {} of kernel function '{}' is {}, {} is given",
                            i + 1,
                            launch.entry,
                            address ? "a value" : "an address",
                            address ? fmt::format("buffer '{}'", argument.buffer) : std::string{"a value"}};
        }
        if (!address && argument.value.size() != entry.argument_sizes[i]) {
            throw UserError{"argument {} of kernel function '{}' has {} bytes, {} are given{}",
                            i + 1,
                            launch.entry,
                            entry.argument_sizes[i],
                            argument.value.size(),
                            entry.argument_sizes[i] > sizeof(std::uint64_t)
                                ? ": list every member of its struct, in its order and with its type"
                                : ""};
        }
    }
}

}  // namespace ascendsim::host
