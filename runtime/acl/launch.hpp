// SPDX-License-Identifier: Apache-2.0
// What `kernel<<<blocks, shared, stream>>>(arguments)` becomes. A host program is compiled once for the host
// and once for each kind of core. In the host's pass a launch hands its arguments to the device; in a core's
// pass the same line leaves a record of how to call that kernel, which is found again by the type of the
// closure that calls it: its name holds the function, the template arguments and the place of the launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "kernels/ascendc/ascendc/macros.h"
#include "models/port/entry.hpp"
#include "runtime/acl/device.hpp"

namespace ascendsim::program {

/// How a core calls one kernel; plug-ins of a program hold these in the section `ascendsim_calls`.
struct KernelCall {
    const std::type_info* call;  // null for a launch by name
    const char* name;            // null for a launch by its closure
    /// `kernel` is the function where the launch named it by a variable, else null.
    void (*invoke)(void** arguments, const void* kernel);
    std::uint32_t count;
    const std::uint32_t* sizes;  // B
    const ArgumentKind* kinds;
    bool takes_kernel;  // invoke needs that function; else the closure knows it by itself
};

template <class T>
constexpr ArgumentKind argument_kind() {
    return std::is_pointer_v<T> || std::is_null_pointer_v<T> ? ArgumentKind::address
           : std::is_floating_point_v<T>                     ? ArgumentKind::floating
           : std::is_integral_v<T> || std::is_enum_v<T>
               ? (std::is_signed_v<T> ? ArgumentKind::signed_integer : ArgumentKind::unsigned_integer)
               : ArgumentKind::other;
}

/// Which cores a kernel asks for, as found in its text; plug-ins of a program hold these in the section
/// `ascendsim_uses`.
struct KernelUse {
    const char* name;
    CoreUse cores;
    bool keyed;  // for one tiling key only
    std::uint64_t key;
};

/// The units that a function of a plug-in uses, with all that it calls in its own file; plug-ins of a program
/// hold these in the section `ascendsim_units`. The compiler pass writes them
/// (toolchain/scalar_steps/kernel_units.cpp).
struct KernelUnits {
    static constexpr std::uint32_t cube = 1;
    static constexpr std::uint32_t vector = 2;

    const void* function;
    std::uint32_t units;
    std::uint32_t count;
    const void* const* outside;  // functions of other files that it may call
};

#if defined(ASCENDSIM_PROGRAM) && !defined(ASCENDSIM_HOST)
[[gnu::used]] static constexpr char ascendsim_notes_units = 1;  // asks the pass for them
#endif

/// What a plug-in of a program exports as `ascendsim_program`.
struct ProgramTable {
    const KernelCall* calls;
    const KernelCall* calls_end;
    const KernelUse* uses;
    const KernelUse* uses_end;
    const KernelUnits* units;
    const KernelUnits* units_end;
};

inline constexpr const char* program_table_symbol = "ascendsim_program";

/// The function behind a variable that names a kernel; null for a kernel's own name and for closures.
template <class Callee>
const void* kernel_in_variable([[maybe_unused]] const Callee& callee) {
    if constexpr (std::is_pointer_v<Callee>) {
#ifndef ASCENDSIM_HOST
        asm volatile("" : : "r"(callee));  // keeps the function in the plug-in
#endif
        return reinterpret_cast<const void*>(callee);
    } else {
        return nullptr;
    }
}

/// Sizes and kinds of an argument list.
template <class... Arguments>
struct ArgumentList {
    static constexpr std::uint32_t sizes[sizeof...(Arguments) + 1]{sizeof(Arguments)..., 0};
    static constexpr ArgumentKind kinds[sizeof...(Arguments) + 1]{argument_kind<Arguments>()...,
                                                                  ArgumentKind::other};
};

/// The record of a launch by its closure. The closure captures nothing that has a value where the kernel is
/// named by a constant, so it can be called without one; else it captures the variable that holds the kernel,
/// and that alone.
template <class Call, class... Arguments>
struct ClosureRecord {
    static void invoke(void** arguments, const void* kernel) {
        run(arguments, kernel, std::index_sequence_for<Arguments...>{});
    }

    [[gnu::section("ascendsim_calls")]] static const KernelCall entry;

private:
    template <std::size_t... i>
    static void run([[maybe_unused]] void** arguments, const void* kernel, std::index_sequence<i...>) {
        alignas(Call) unsigned char captured[sizeof(Call)]{};
        if constexpr (sizeof(Call) == sizeof(void*)) {
            const void* const variable = &kernel;  // captured by reference
            std::memcpy(captured, &variable, sizeof variable);
        }
        (*reinterpret_cast<Call*>(captured))(*static_cast<Arguments*>(arguments[i])...);
    }
};

template <class Call, class... Arguments>
const KernelCall ClosureRecord<Call, Arguments...>::entry{&typeid(Call),
                                                          nullptr,
                                                          &ClosureRecord::invoke,
                                                          sizeof...(Arguments),
                                                          ArgumentList<Arguments...>::sizes,
                                                          ArgumentList<Arguments...>::kinds,
                                                          sizeof(Call) == sizeof(void*)};

/// The record of a kernel that is launched by its name.
template <auto function>
struct NamedRecord;

template <class... Parameters, void (*function)(Parameters...)>
struct NamedRecord<function> {
    static void invoke(void** arguments, const void* /*kernel*/) {
        run(arguments, std::index_sequence_for<Parameters...>{});
    }

    static constexpr KernelCall named(const char* name) {
        using List = ArgumentList<std::decay_t<Parameters>...>;
        return {nullptr, name, &invoke, sizeof...(Parameters), List::sizes, List::kinds, false};
    }

private:
    template <std::size_t... i>
    static void run([[maybe_unused]] void** arguments, std::index_sequence<i...>) {
        function(*static_cast<std::decay_t<Parameters>*>(arguments[i])...);
    }
};

/// Hands arguments over by value.
template <class... Arguments>
void start_with(LaunchRequest request, Arguments... values) {
    const LaunchArgument arguments[sizeof...(Arguments) + 1]{
        LaunchArgument{const_cast<void*>(static_cast<const volatile void*>(&values)),
                       sizeof(values),
                       argument_kind<Arguments>()}...,
        LaunchArgument{}};
    request.arguments = arguments;
    request.count = sizeof...(Arguments);
    start_kernel(request);
}

/// A launch whose arguments are still to come.
template <class Call>
class PendingLaunch {
public:
    explicit PendingLaunch(const LaunchRequest& request) : request_{request} {}

    template <class... Arguments>
    void operator()([[maybe_unused]] Arguments... arguments) const {
#ifdef ASCENDSIM_HOST
        start_with(request_, arguments...);
#else
        // Never executed: cores have no launches. Using its address puts the record into the plug-in.
        asm volatile("" : : "r"(&ClosureRecord<Call, Arguments...>::entry));
#endif
    }

private:
    LaunchRequest request_;
};

/// The handle of a stream, as a launch names it.
template <class Stream>
void* stream_handle([[maybe_unused]] const Stream& stream) {
    if constexpr (std::is_pointer_v<Stream>) {
        return const_cast<void*>(static_cast<const void*>(stream));
    } else {
        return nullptr;
    }
}

/// The rewritten launch. `dynamic` is the second value between the brackets (L2 control or dynamic UB size),
/// which changes nothing of what runs, `stream` the third.
template <class Call, class Blocks, class Dynamic = std::nullptr_t, class Stream = std::nullptr_t>
PendingLaunch<Call> launch(
    const char* text, Site site, Call /*call*/, Blocks blocks, Dynamic /*dynamic*/ = {}, Stream stream = {}) {
    return PendingLaunch<Call>{{.text = text,
                                .call = &typeid(Call),
                                .blocks = static_cast<std::uint32_t>(blocks),
                                .site = site,
                                .stream = stream_handle(stream)}};
}

/// The same where what stands before the brackets is no kernel's name but a variable: `kernel` is what it
/// holds.
template <class Call, class Blocks, class Dynamic = std::nullptr_t, class Stream = std::nullptr_t>
PendingLaunch<Call> launch_held(const char* text,
                                Site site,
                                Call /*call*/,
                                const void* kernel,
                                Blocks blocks,
                                Dynamic /*dynamic*/ = {},
                                Stream stream = {}) {
    return PendingLaunch<Call>{{.text = text,
                                .call = &typeid(Call),
                                .kernel = kernel,
                                .blocks = static_cast<std::uint32_t>(blocks),
                                .site = site,
                                .stream = stream_handle(stream)}};
}

/// `ACLRT_LAUNCH_KERNEL(name)(blocks, stream, arguments)`: the kernel is in another file of the program.
class NamedLaunch {
public:
    constexpr NamedLaunch(const char* name, Site site) : name_{name}, site_{site} {}

    template <class Stream, class... Arguments>
    std::uint32_t operator()([[maybe_unused]] std::uint32_t blocks,
                             [[maybe_unused]] Stream stream,
                             [[maybe_unused]] Arguments... arguments) const {
#ifdef ASCENDSIM_HOST
        start_with(
            LaunchRequest{.text = name_, .blocks = blocks, .site = site_, .stream = stream_handle(stream)},
            arguments...);
#endif
        return 0;
    }

private:
    [[maybe_unused]] const char* name_;
    [[maybe_unused]] Site site_;
};

}  // namespace ascendsim::program

#define ACLRT_LAUNCH_KERNEL(kernel)        \
    ::ascendsim::program::NamedLaunch {    \
#kernel, ::ascendsim::Site::here() \
    }
