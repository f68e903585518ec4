// SPDX-License-Identifier: Apache-2.0
#include "runtime/launches/program_plugin.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include <cxxabi.h>
#include <dlfcn.h>

#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using program::ArgumentKind;
using program::KernelCall;
using program::LaunchArgument;

/// The value of an arithmetic argument, wide enough for all of them.
struct Number {
    std::int64_t whole = 0;
    double real = 0;
};

template <class T>
T raw(const void* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

Number number_of(const LaunchArgument& argument) {
    const void* from = argument.value;
    if (argument.kind == ArgumentKind::floating) {
        const double real =
            argument.bytes == sizeof(float) ? static_cast<double>(raw<float>(from)) : raw<double>(from);
        return {.whole = static_cast<std::int64_t>(real), .real = real};
    }
    std::int64_t whole = 0;
    const bool is_signed = argument.kind == ArgumentKind::signed_integer;
    switch (argument.bytes) {
        case 1:
            whole = is_signed ? raw<std::int8_t>(from) : raw<std::uint8_t>(from);
            break;
        case 2:
            whole = is_signed ? raw<std::int16_t>(from) : raw<std::uint16_t>(from);
            break;
        case 4:
            whole =
                is_signed ? std::int64_t{raw<std::int32_t>(from)} : std::int64_t{raw<std::uint32_t>(from)};
            break;
        default:
            whole = raw<std::int64_t>(from);
            break;
    }
    return {.whole = whole, .real = static_cast<double>(whole)};
}

/// The name by which a library exports the function at `address`; null if it does not.
const char* symbol_of(const void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 && info.dli_saddr == address ? info.dli_sname : nullptr;
}

bool is_arithmetic(ArgumentKind kind) {
    return kind == ArgumentKind::signed_integer || kind == ArgumentKind::unsigned_integer ||
           kind == ArgumentKind::floating;
}

std::vector<std::byte> converted(const LaunchArgument& argument, ArgumentKind kind, std::uint32_t bytes) {
    std::vector<std::byte> result(std::max<std::size_t>(bytes, sizeof(std::int64_t)));
    const Number number = number_of(argument);
    if (kind == ArgumentKind::floating) {
        const auto single = static_cast<float>(number.real);
        bytes == sizeof(float) ? std::memcpy(result.data(), &single, sizeof single)
                               : std::memcpy(result.data(), &number.real, sizeof number.real);
    } else {
        std::memcpy(result.data(), &number.whole, sizeof number.whole);  // little endian: the low bytes count
    }
    return result;
}

}  // namespace

ProgramPlugin::ProgramPlugin(const std::filesystem::path& file) : file_{file} {
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* address = library_ == nullptr ? nullptr : dlsym(library_, program::program_table_symbol);
    if (address == nullptr) {
        throw UserError{"{}: cannot be loaded: {}", file.string(), dlerror()};
    }
    table_ = reinterpret_cast<program::ProgramTable (*)()>(address)();
    for (const program::KernelUnits* units = table_.units; units != table_.units_end; ++units) {
        units_.emplace(units->function, units);
        all_units_ |= units->units;
    }
}

std::uint32_t ProgramPlugin::units_of(const program::LaunchRequest& request) const {
    const KernelCall* call = find(request);
    if (call == nullptr) {
        return 0;
    }
    std::vector<const void*> open{reinterpret_cast<const void*>(call->invoke)};
    if (call->takes_kernel) {
        open.push_back(kernel_of(request));
    }
    std::set<const void*> seen;
    std::uint32_t units = 0;
    bool any = false;
    while (!open.empty()) {
        const auto known = units_.find(open.back());
        open.pop_back();
        if (known == units_.end() || !seen.insert(known->first).second) {
            continue;
        }
        any = true;
        units |= known->second->units;
        open.insert(open.end(), known->second->outside, known->second->outside + known->second->count);
    }
    return any ? units : all_units_;
}

const KernelCall* ProgramPlugin::find(const program::LaunchRequest& request) const {
    for (const KernelCall* call = table_.calls; call != table_.calls_end; ++call) {
        const bool by_name =
            request.call == nullptr && call->name != nullptr && std::string_view{call->name} == request.text;
        const bool by_closure = request.call != nullptr && call->call != nullptr &&
                                call->count == request.count &&
                                std::string_view{call->call->name()} == request.call->name();
        if (by_name || by_closure) {
            return call;
        }
    }
    return nullptr;
}

const void* ProgramPlugin::kernel_of(const program::LaunchRequest& request) const {
    if (request.kernel == nullptr) {
        return nullptr;
    }
    const char* symbol = symbol_of(request.kernel);
    const void* kernel = symbol == nullptr ? nullptr : dlsym(library_, symbol);
    if (kernel == nullptr) {
        throw UserError{
            "{}:{}: the kernel that '{}' holds has no name outside of its file, or is not compiled for these "
            "cores; name it in the launch itself",
            request.site.file,
            request.site.line,
            request.text};
    }
    return kernel;
}

std::optional<CoreUse> ProgramPlugin::stated(const std::string& kernel, std::uint64_t key) const {
    std::optional<CoreUse> result;
    for (const program::KernelUse* use = table_.uses; use != table_.uses_end; ++use) {
        if (use->name != kernel || (use->keyed && use->key != key)) {
            continue;
        }
        if (use->keyed) {
            return use->cores;
        }
        result = use->cores;
    }
    return result;
}

std::vector<std::string> ProgramPlugin::names() const {
    std::vector<std::string> result;
    for (const KernelCall* call = table_.calls; call != table_.calls_end; ++call) {
        if (call->name != nullptr) {
            result.emplace_back(call->name);
        }
    }
    return result;
}

std::string kernel_name(const program::LaunchRequest& request) {
    const char* symbol = request.kernel == nullptr ? nullptr : symbol_of(request.kernel);
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain{
        symbol == nullptr ? nullptr : abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free};
    if (plain == nullptr) {
        return kernel_name(std::string{symbol == nullptr ? request.text : symbol});
    }
    std::string_view name{plain.get()};  // "void spaces::kernel<3u>(unsigned char*)"
    name = name.substr(0, name.find('('));
    return kernel_name(std::string{name});
}

std::string kernel_name(const std::string& text) {
    std::string_view name{text};
    name = name.substr(0, name.find('<'));
    while (!name.empty() && (name.back() == ' ' || name.back() == ')')) {
        name.remove_suffix(1);
    }
    const auto start = name.find_last_of(":( ");
    return std::string{start == std::string_view::npos ? name : name.substr(start + 1)};
}

BoundArguments::BoundArguments(const program::LaunchRequest& request, const KernelCall& call) {
    if (request.count != call.count) {
        throw UserError{"{}:{}: kernel '{}' takes {} arguments, {} are given",
                        request.site.file,
                        request.site.line,
                        request.text,
                        call.count,
                        request.count};
    }
    for (std::uint32_t i = 0; i < call.count; ++i) {
        const LaunchArgument& argument = request.arguments[i];
        const bool same = argument.kind == call.kinds[i] && argument.bytes == call.sizes[i];
        if (!same && is_arithmetic(argument.kind) && is_arithmetic(call.kinds[i])) {
            values_.push_back(converted(argument, call.kinds[i], call.sizes[i]));
            continue;
        }
        if (argument.bytes != call.sizes[i]) {
            throw UserError{"{}:{}: argument {} of kernel '{}' has {} bytes, {} are given",
                            request.site.file,
                            request.site.line,
                            i + 1,
                            request.text,
                            call.sizes[i],
                            argument.bytes};
        }
        const auto* from = static_cast<const std::byte*>(argument.value);
        values_.emplace_back(from, from + argument.bytes);
    }
    for (std::vector<std::byte>& value : values_) {
        pointers_.push_back(value.data());
    }
}

}  // namespace ascendsim::runtime
