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

/// True for whole numbers as wide as an address, by which kernels take addresses as well.
bool may_be_address(DataType type) {
    constexpr std::uint32_t address_bits = 64;
    return !is_floating(type) && isa::bits(type) == address_bits;
}

/// What is wrong with an argument by value, or with one that should be; empty if nothing is, or if the text
/// does not tell the parameter's type.
std::string wrong_value(const GivenArgument& given, const skeleton::ScannedArgument& taken) {
    constexpr std::string_view in_order = "; arguments stand in the kernel's order";
    const bool by_value = taken.use == skeleton::ArgumentUse::value;
    const bool known = by_value && taken.unlisted.empty();
    const DataType wanted = known ? host::parse_type(taken.type, {}) : DataType{};
    if (known && given.address && !may_be_address(wanted)) {
        return fmt::format("argument '{}' is an address, but the kernel takes a value ({}){}",
                           given.name,
                           taken.written,
                           in_order);
    }
    if (!given.value || taken.use == skeleton::ArgumentUse::structure) {
        return {};
    }
    if (!by_value) {
        return may_be_address(*given.value)  // 0 is none
                   ? std::string{}
                   : fmt::format("argument '{}' is a value, but the kernel takes an address ({}){}",
                                 given.name,
                                 taken.written,
                                 in_order);
    }
    if (!known) {
        return {};
    }
    const bool whole = !is_floating(*given.value) && !is_floating(wanted);
    return *given.value == wanted || (whole && isa::bits(*given.value) == isa::bits(wanted))
               ? std::string{}
               : fmt::format("argument '{}' has the type {}, but the kernel takes {} ({}); give it type {}",
                             given.name,
                             name(*given.value),
                             name(wanted),
                             taken.written,
                             name(wanted));
}

}  // namespace

std::string wrong_type(const toolchain::ScannedEntry& entry,
                       std::string_view text,
                       const std::vector<GivenArgument>& given,
                       const std::vector<host::Buffer>& buffers) {
    const std::vector<skeleton::ScannedArgument> scanned = skeleton::scan_arguments(entry, text);
    for (std::size_t i = 0; i < std::min(scanned.size(), given.size()); ++i) {
        if (std::string wrong = wrong_value(given[i], scanned[i]); !wrong.empty()) {
            return wrong;
        }
        const auto buffer =
            given[i].address ? std::ranges::find(buffers, given[i].name, &host::Buffer::name) : buffers.end();
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
