// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/argument_types.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/skeleton/argument_scan.hpp"

namespace ascendsim::scenario {
namespace {

using isa::DataType;

bool is_floating(DataType type) {
    return type == DataType::half || type == DataType::bfloat16 || type == DataType::float32 ||
           type == DataType::float64;
}

bool fits(DataType given, DataType wanted) {
    if (given == wanted || isa::bits(given) <= 8) {
        return true;
    }
    if (is_floating(given)) {
        // Whole numbers as wide may stand for a float's bits, and bytes for anything.
        return !is_floating(wanted) && (isa::bits(wanted) <= 8 || isa::bits(wanted) == isa::bits(given));
    }
    return !is_floating(wanted) || isa::bits(wanted) == isa::bits(given);
}

}  // namespace

std::string wrong_type(const toolchain::ScannedEntry& entry,
                       std::string_view text,
                       const host::Launch& launch,
                       const std::vector<host::Buffer>& buffers) {
    const std::vector<skeleton::ScannedArgument> scanned = skeleton::scan_arguments(entry, text);
    for (std::size_t i = 0; i < std::min(scanned.size(), launch.arguments.size()); ++i) {
        const auto buffer = std::ranges::find(buffers, launch.arguments[i].buffer, &host::Buffer::name);
        const bool tensor = scanned[i].use <= skeleton::ArgumentUse::in_out;
        if (buffer == buffers.end() || !tensor || !scanned[i].one_type || scanned[i].type.empty()) {
            continue;
        }
        const DataType wanted = host::parse_type(scanned[i].type, {});
        if (!fits(buffer->type, wanted)) {
            return fmt::format(
                "argument '{0}' has the type {1}, but the kernel takes it for {2} (SetGlobalBuffer of {3}); "
                "give it "
                "type {2}, or convert its file, in NumPy with .astype",
                buffer->name,
                name(buffer->type),
                name(wanted),
                scanned[i].name);
        }
    }
    return {};
}

}  // namespace ascendsim::scenario
