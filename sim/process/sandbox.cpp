// SPDX-License-Identifier: Apache-2.0
#include "sim/process/sandbox.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/call_filter.hpp"
#include "sim/process/landlock.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

/// Programs and libraries of the system, and what they read of it; no one's secrets.
constexpr std::array system_programs{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32"};
constexpr std::array system_files{"/etc/ld.so.cache",
                                  "/etc/ld.so.conf",
                                  "/etc/ld.so.conf.d",
                                  "/etc/alternatives",
                                  "/etc/localtime",
                                  "/etc/timezone",
                                  "/etc/locale.alias",
                                  "/etc/os-release",
                                  "/etc/debian_version",
                                  "/etc/nsswitch.conf",
                                  "/etc/passwd",
                                  "/etc/group",
                                  "/proc",  // of other processes Landlock keeps what matters
                                  "/sys/devices/system",
                                  "/dev/random",
                                  "/dev/urandom"};
constexpr std::array devices{"/dev/null", "/dev/zero", "/dev/full"};

/// Recordings of the largest shipped scenarios take some tens of MB.
constexpr rlim_t most_of_a_file = rlim_t{8} << 30U;

/// What a simulation, a compiler and the reports for CI take from the environment; the rest may be secrets.
constexpr std::array<std::string_view, 19> kept_variables{"PATH",
                                                          "HOME",
                                                          "USER",
                                                          "LOGNAME",
                                                          "LANG",
                                                          "LANGUAGE",
                                                          "TERM",
                                                          "COLUMNS",
                                                          "NO_COLOR",
                                                          "TZ",
                                                          "TMPDIR",
                                                          "XDG_CACHE_HOME",
                                                          "LD_LIBRARY_PATH",
                                                          "GLIBC_TUNABLES",
                                                          "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE",
                                                          "CI",
                                                          "GITHUB_ACTIONS",
                                                          "GITHUB_STEP_SUMMARY",
                                                          "PWD"};

/// A sandbox belongs to the process, as its limits and its handlers of signals do.
struct State {
    bool entered = false;
    bool closed = false;
    std::vector<fs::path> writable;  // once it is closed
    std::array<char, breach_bytes> own_text{};
    char* breach = own_text.data();
};

State
    sandbox;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): signal handlers see nothing else

/// Wipes variables where they stand: native code could look for them there.
void wipe_environment() {
    std::vector<std::string> names;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text{*variable};
        const std::string_view name = text.substr(0, text.find('='));
        if (!name.starts_with("LC_") && std::ranges::find(kept_variables, name) == kept_variables.end()) {
            names.emplace_back(name);
        }
    }
    for (const std::string& name : names) {
        if (char* const value = std::getenv(name.c_str())) {
            std::fill_n(value, std::strlen(value), '\0');
        }
        unsetenv(name.c_str());
    }
}

/// Appends to the breach's text; usable in a handler of signals.
void tell(const char* text) {
    const std::size_t used = std::strlen(sandbox.breach);
    const std::size_t room = breach_bytes - 1 - used;
    const std::size_t count = std::min(std::strlen(text), room);
    for (std::size_t i = 0; i < count; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        constexpr unsigned char first_printed = 0x20;
        sandbox.breach[used + i] = byte < first_printed ? '?' : text[i];
    }
    sandbox.breach[used + count] = '\0';
}

/// A call as the processor's registers hold it.
struct Call {
    long number = 0;
    std::array<long, 5> arguments{};
};

Call call_of(const ucontext_t& context) {
#if defined(__x86_64__)
    const greg_t* const r = context.uc_mcontext.gregs;
    return {.number = static_cast<long>(r[REG_RAX]),
            .arguments = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8]}};
#else
    const auto& r = context.uc_mcontext.regs;
    const auto value = [&r](int i) { return static_cast<long>(r[i]); };
    return {.number = value(8), .arguments = {value(0), value(1), value(2), value(3), value(4)}};
#endif
}

void set_result(ucontext_t& context, long result) {
#if defined(__x86_64__)
    context.uc_mcontext.gregs[REG_RAX] = result;
#else
    context.uc_mcontext.regs[0] = static_cast<unsigned long>(result);
#endif
}

/// The same call in the form that says where a relative name starts, and which of its arguments are names.
struct FileCall {
    Call call;
    int first_name = 1;
    int second_name = -1;
    bool reads = false;
};

FileCall with_folder(const Call& given) {
    constexpr long here = AT_FDCWD;
    const auto& a = given.arguments;
    const auto is_read = [](long flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) == 0; };
    switch (given.number) {
#if defined(__x86_64__)
        case SYS_open:
            return {{SYS_openat, {here, a[0], a[1], a[2]}}, 1, -1, is_read(a[1])};
        case SYS_creat:
            return {{SYS_openat, {here, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]}}};
        case SYS_unlink:
            return {{SYS_unlinkat, {here, a[0], 0}}};
        case SYS_rmdir:
            return {{SYS_unlinkat, {here, a[0], AT_REMOVEDIR}}};
        case SYS_mkdir:
            return {{SYS_mkdirat, {here, a[0], a[1]}}};
        case SYS_rename:
            return {{SYS_renameat2, {here, a[0], here, a[1], 0}}, 1, 3};
        case SYS_link:
            return {{SYS_linkat, {here, a[0], here, a[1], 0}}, 1, 3};
        case SYS_symlink:
            return {{SYS_symlinkat, {a[0], here, a[1]}}, 2};
#endif
        case SYS_openat:
            return {given, 1, -1, is_read(a[2])};
        case SYS_renameat:
            return {{SYS_renameat2, {a[0], a[1], a[2], a[3], 0}}, 1, 3};
        case SYS_symlinkat:
            return {given, 2};
        case SYS_renameat2:
        case SYS_linkat:
            return {given, 1, 3};
        default:
            return {given};
    }
}

void tell_of_file(const FileCall& file) {
    tell(file.reads ? "tried to read " : "tried to write ");
    tell(reinterpret_cast<const char*>(file.call.arguments[static_cast<std::size_t>(file.first_name)]));
    if (file.second_name >= 0) {
        tell(" or ");
        tell(reinterpret_cast<const char*>(file.call.arguments[static_cast<std::size_t>(file.second_name)]));
    }
    tell(", which the sandbox does not allow; ");
    tell(file.reads ? "--allow-read names a folder that may be read"
                    : "--allow-write names a folder that may be written");
}

/// Where no one else handles a breach: in code that runs before and after the simulation.
void end_at_breach(int /*signal*/, siginfo_t* info, void* context) {
    if (!let_pass(*info, context)) {
        constexpr int program_error = 3;
        _exit(program_error);
    }
}

/// Those of root look past Landlock into other processes.
void drop_capabilities() {
    __user_cap_header_struct self{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
    check(syscall(SYS_capset, &self, none) == 0, "capset: {}", std::strerror(errno));
}

void handle_breaches() {
    struct sigaction action {};

    action.sa_sigaction = end_at_breach;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
}

}  // namespace

std::string sandbox_obstacle() {
    if (Landlock::version() == 0) {
        return "the system has no Landlock (Linux 5.13 or later, with landlock among its security modules)";
    }
    std::uint32_t action = SECCOMP_RET_TRAP;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0
               ? std::string{}
               : "the system has no seccomp filters";
}

void enter_sandbox(const SandboxRules& rules) {
    if (const std::string obstacle = sandbox_obstacle(); !obstacle.empty()) {
        throw UserError{
            "no sandbox here: {}; run in a container or a virtual machine that holds nothing of value "
            "instead",
            obstacle};
    }
    wipe_environment();
    constexpr rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_CORE, &no_core);
    constexpr rlimit file_size{.rlim_cur = most_of_a_file, .rlim_max = most_of_a_file};
    setrlimit(RLIMIT_FSIZE, &file_size);
    Landlock landlock{false};
    for (const char* place : system_programs) {
        landlock.grant(place, Landlock::Right::run);
    }
    for (const char* place : system_files) {
        landlock.grant(place, Landlock::Right::read);
    }
    for (const char* place : devices) {
        landlock.grant(place, Landlock::Right::write);
    }
    for (const fs::path& place : rules.readable) {
        landlock.grant(place, Landlock::Right::read);
    }
    for (const fs::path& place : rules.writable) {
        landlock.grant(place, Landlock::Right::write);
    }
    landlock.enforce();
    refuse_reaching_out();
    sandbox.entered = true;
}

bool in_sandbox() {
    return sandbox.entered;
}

namespace {

/// Whether a folder on the way to `place` is a link: below the working folder any, elsewhere the last. What
/// is above is the user's own.
bool below_a_link(const fs::path& place) {
    std::error_code error;
    const fs::path top = fs::current_path(error).lexically_normal();
    const fs::path within = place.lexically_relative(top);
    fs::path folder = place.parent_path();
    if (within.empty() || *within.begin() == "..") {
        return fs::is_symlink(folder, error);
    }
    for (; folder != top && folder.has_relative_path(); folder = folder.parent_path()) {
        if (fs::is_symlink(folder, error)) {
            return true;
        }
    }
    return false;
}

}  // namespace

void check_plain_output(const fs::path& file) {
    struct stat is {};

    const fs::path place = fs::absolute(file).lexically_normal();
    if (place.native().starts_with("/dev/") || place.native().starts_with("/proc/")) {
        return;
    }
    std::string what;
    if (lstat(place.c_str(), &is) == 0 && (!S_ISREG(is.st_mode) || is.st_nlink > 1)) {
        what = S_ISLNK(is.st_mode)   ? "is a link"
               : S_ISREG(is.st_mode) ? "is a file with other names"
                                     : "is no plain file";
    } else if (below_a_link(place)) {
        what = "lies below a link";
    }
    if (!what.empty()) {
        throw UserError{"{}: {}; in a sandbox outputs go to plain files with one name", file.string(), what};
    }
}

void keep_writable(const fs::path& file) {
    if (!sandbox.entered || sandbox.closed) {
        return;
    }

    check_plain_output(file);
    std::error_code error;
    const bool there = fs::exists(file, error);
    if (!there) {
        constexpr mode_t mine = 0600;
        const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mine);
        if (made < 0) {
            throw UserError{
                "{}: cannot be written: {}; --allow-write names folders that may be written in the sandbox",
                file.string(),
                std::strerror(errno)};
        }
        close(made);
    }
    sandbox.writable.push_back(file);
}

void keep_folder_writable(const fs::path& folder) {
    if (sandbox.entered && !sandbox.closed) {
        sandbox.writable.push_back(folder);
    }
}

void close_sandbox() {
    if (!sandbox.entered || sandbox.closed) {
        return;
    }
    handle_breaches();
    Landlock landlock{true};
    for (const char* place : devices) {
        landlock.grant(place, Landlock::Right::write);
    }
    for (const fs::path& place : sandbox.writable) {
        landlock.grant(place, Landlock::Right::write);
    }
    landlock.enforce();
    drop_capabilities();
    sandbox.closed = true;
    refuse_all_but_computing();
}

bool sandbox_closed() {
    return sandbox.closed;
}

bool let_pass(const siginfo_t& info, void* opaque) {
    const int error = errno;
    auto& context = *static_cast<ucontext_t*>(opaque);
    if (const char* tried = tried_by(info.si_syscall)) {
        tell("tried to ");
        tell(tried);
        tell(", which the sandbox does not allow");
        return false;
    }
    const FileCall file = with_folder(call_of(context));
    const auto& a = file.call.arguments;
    const long result = syscall(file.call.number, a[0], a[1], a[2], a[3], a[4], long{handler_mark});
    const long told = result < 0 ? -long{errno} : result;
    errno = error;
    if (told == -EACCES || told == -EPERM) {
        tell_of_file(file);
        return false;
    }
    set_result(context, told);
    return true;
}

const char* sandbox_breach() {
    return sandbox.breach;
}

void tell_last_words(const char* text) {
    tell(text);
}

void tell_breach_in(char* memory) {
    sandbox.breach = memory;
}

}  // namespace ascendsim::process
