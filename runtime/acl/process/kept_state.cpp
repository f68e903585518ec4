// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that would take what the simulator needs. Kernels and their libraries find these
// before the C library's.
#include "runtime/acl/process/kept_state.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ascendsim::program {
namespace {

constexpr std::size_t most_files = 1024;
constexpr std::array<std::string_view, 5> needed{
    "HOME", "XDG_CACHE_HOME", "PATH", "TMPDIR", "ASCENDSIM_CHIP"};

// C functions have no other way to them.
StateKeeper the_keeper = nullptr;   // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::bitset<most_files> our_files;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void ask_keeper(const char* function, const void* caller) {
    if (the_keeper != nullptr) {
        the_keeper(function, caller);
    }
}

/// Asks only where one of [first, last] is ours: what a kernel has opened it may close.
void ask_of_files(const char* function, unsigned first, unsigned last, const void* caller) {
    if (the_keeper == nullptr) {
        return;
    }
    for (std::size_t file = first; file <= last && file < most_files; ++file) {
        if (our_files[file]) {
            return the_keeper(function, caller);
        }
    }
}

void ask_of_variable(const char* function, std::string_view name, const void* caller) {
    if (the_keeper != nullptr && std::ranges::find(needed, name) != needed.end()) {
        the_keeper(function, caller);
    }
}

/// The same of a name that may be missing, which the C library answers. Its header says that names are never
/// missing, so that a compiler may leave the question out of one that it has seen; not of one that anybody
/// may have written.
void ask_of_name(const char* call, const char* name, const void* from) {
    const char* volatile given = name;
    if (const char* const asked = given; asked != nullptr) {
        ask_of_variable(call, asked, from);
    }
}

/// The C library's function of that name.
template <class Function>
Function* library_function(const char* name, Function* /*like*/) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void set_state_keeper(StateKeeper keeper) {
    our_files.reset();
    for (std::size_t file = 0; keeper != nullptr && file < most_files; ++file) {
        our_files[file] = fcntl(static_cast<int>(file), F_GETFD) != -1;
    }
    the_keeper = keeper;
}

}  // namespace ascendsim::program

extern "C" {

int close(int file) {
    ascendsim::program::ask_of_files(
        "close", static_cast<unsigned>(file), static_cast<unsigned>(file), __builtin_return_address(0));
    return static_cast<int>(syscall(SYS_close, file));
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
    ascendsim::program::ask_of_files("close_range", first, last, __builtin_return_address(0));
    return static_cast<int>(syscall(SYS_close_range, first, last, flags));
}

void closefrom(int first) noexcept {
    ascendsim::program::ask_of_files(
        "closefrom", static_cast<unsigned>(first), ~0U, __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("closefrom", &closefrom);
    function(first);
}

int dup2(int file, int other) noexcept {
    ascendsim::program::ask_of_files(
        "dup2", static_cast<unsigned>(other), static_cast<unsigned>(other), __builtin_return_address(0));
    if (file == other) {  // which dup3 refuses
        return fcntl(file, F_GETFD) == -1 ? -1 : other;
    }
    return static_cast<int>(syscall(SYS_dup3, file, other, 0));  // a forked child may not look names up
}

int setenv(const char* name, const char* value, int replace) noexcept {
    ascendsim::program::ask_of_name("setenv", name, __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("setenv", &setenv);
    return function(name, value, replace);
}

int unsetenv(const char* name) noexcept {
    ascendsim::program::ask_of_name("unsetenv", name, __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("unsetenv", &unsetenv);
    return function(name);
}

int putenv(char* text) noexcept {
    const std::string_view words{text};
    ascendsim::program::ask_of_variable(
        "putenv", words.substr(0, words.find('=')), __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("putenv", &putenv);
    return function(text);
}

int clearenv() noexcept {
    ascendsim::program::ask_keeper("clearenv", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("clearenv", &clearenv);
    return function();
}

int chdir(const char* folder) noexcept {
    ascendsim::program::ask_keeper("chdir", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("chdir", &chdir);
    return function(folder);
}

// A copy of the simulator's process would simulate on and write into the same files.

pid_t fork() noexcept {
    ascendsim::program::ask_keeper("fork", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("fork", &fork);
    return function();
}

/// A function of ours cannot return twice on one stack; POSIX lets vfork be a fork.
pid_t vfork() noexcept {
    ascendsim::program::ask_keeper("vfork", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("fork", &fork);
    return function();
}

int system(const char* command) {
    ascendsim::program::ask_keeper("system", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("system", &system);
    return function(command);
}

int posix_spawn(pid_t* process,
                const char* path,
                const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes,
                char* const* words,
                char* const* variables) {
    ascendsim::program::ask_keeper("posix_spawn", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("posix_spawn", &posix_spawn);
    return function(process, path, actions, attributes, words, variables);
}

int posix_spawnp(pid_t* process,
                 const char* file,
                 const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes,
                 char* const* words,
                 char* const* variables) {
    ascendsim::program::ask_keeper("posix_spawnp", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("posix_spawnp", &posix_spawnp);
    return function(process, file, actions, attributes, words, variables);
}

FILE* popen(const char* command, const char* mode) {
    ascendsim::program::ask_keeper("popen", __builtin_return_address(0));
    static const auto function = ascendsim::program::library_function("popen", &popen);
    return function(command, mode);
}
}
