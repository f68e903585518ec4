// SPDX-License-Identifier: Apache-2.0
// A jump out of a signal handler changes stacks, which fortified longjmp takes for an attack.
#undef _FORTIFY_SOURCE
#include "runtime/crashes/crash_guard.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "models/port/core_port.hpp"
#include "runtime/crashes/divide_fault.hpp"
#include "sim/base/error.hpp"
#include "sim/process/descriptors.hpp"
#include "sim/process/sandbox.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::runtime {
namespace {

constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM, SIGSYS};
constexpr double tick_s = 0.5;
constexpr double hurried_tick_s =
    0.05;                       // once a program was endless: the others have no more than two of these
constexpr double patience = 3;  // idle limits that a kernel may spend in a library
constexpr std::size_t handler_stack_bytes = 1U << 16U;
constexpr std::uintptr_t longest_prologue = 512;  // B of code
constexpr std::uintptr_t near_stack = 1U
                                      << 16U;  // an access this close to the stack pointer is the stack's own

/// The way back to who called a program.
struct Frame {
    sigjmp_buf back{};
};

/// What the handlers need; a handler has no other way to it.
struct State {
    const CrashGuard::Options* options = nullptr;
    Frame outermost;
    std::map<const isa::CorePort*, Frame*> programs;  // by core
    volatile sig_atomic_t armed = 0;
    pid_t process = 0;              // a copy that a program makes of it ends by itself
    pid_t home = 0;                 // the thread that runs everything but other threads of the host program
    std::atomic<int> elsewhere{0};  // the signal that one of those has got
    std::uintptr_t fault_address = 0;
    std::uintptr_t stack_pointer = 0;
    std::uintptr_t kernel_address = 0;  // of the kernel's code that was running, or 0
    const char* forbidden = nullptr;    // the function that a kernel must not call, and has
    const void* progress = nullptr;
    unsigned idle_ticks = 0;
    bool beyond_limit = false;  // the program has counted more cycles than it may
    bool hurried =
        false;  // a program was endless, and the run ends when the others have come as far or are as well
    std::array<struct sigaction, crash_signals.size()> old{};
    std::array<int, 2> pipe{-1, -1};  // reads memory that may not be there
};

State state;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): signal handlers see nothing else
alignas(16) std::array<
    char,
    handler_stack_bytes> handler_stack;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

const isa::CorePort* running_core() {
    return isa::CorePort::running() ? &isa::CorePort::current() : nullptr;
}

std::uintptr_t program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
    return static_cast<std::uintptr_t>(context.uc_mcontext.pc);
#endif
}

std::uintptr_t stack_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#else
    return static_cast<std::uintptr_t>(context.uc_mcontext.sp);
#endif
}

bool is_kernel_code(std::uintptr_t address) {
    return std::ranges::any_of(state.options->kernel_code,
                               [&](const CodeRange& range) { return range.contains(address); });
}

bool is_program_code(std::uintptr_t address) {
    return is_kernel_code(address) ||
           std::ranges::any_of(state.options->host_code,
                               [&](const CodeRange& range) { return range.contains(address); });
}

/// Copies what of `bytes` at an address is mapped, and says how much that is: after a jump to nowhere the
/// stack pointer may point anywhere. A pipe takes what it is given, or refuses what is not there.
std::size_t copy_if_there(void* to, std::uintptr_t from, std::size_t bytes) {
    constexpr std::size_t step = 64;  // no page's border lies within, once the first step has reached one
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t part = std::min(bytes - done, step - (from + done) % step);
        const ssize_t taken = write(state.pipe[1], reinterpret_cast<const void*>(from + done), part);
        if (taken <= 0 || read(state.pipe[0], static_cast<char*>(to) + done, part) != taken) {
            break;
        }
        done += static_cast<std::size_t>(taken);
    }
    return done;
}

/// Where the program called the library that was running: the first word up the stack that points into its
/// code.
std::uintptr_t calling_address(std::uintptr_t stack) {
    constexpr std::size_t words = 256;
    std::array<std::uintptr_t, words> read;  // NOLINT(cppcoreguidelines-pro-type-member-init): what is read
    const std::size_t there = copy_if_there(read.data(), stack & ~std::uintptr_t{7}, sizeof read);
    for (std::size_t i = 0; i < there / sizeof read[0]; ++i) {
        if (is_program_code(read[i])) {
            return read[i] - 1;  // within the call, not behind it
        }
    }
    return 0;
}

/// A kernel that has not come back from a library for long, as from a lock that no one releases. What the
/// library holds cannot be left by a jump: the process ends, and what was recorded stays.
[[noreturn]] void end_where_it_is() {
    constexpr std::string_view words =
        "waited in a library, as for a lock that no one releases, for longer than three times limits.idle_s";
    process::tell_last_words(words.data());
    if (state.options->flush) {
        state.options->flush();
    }
    constexpr std::string_view begin = "ascendsim: the kernel ";
    for (const std::string_view part : {begin, words, std::string_view{"\n"}}) {
        static_cast<void>(write(STDERR_FILENO, part.data(), part.size()));
    }
    constexpr int program_error = 3;
    syscall(SYS_exit_group, program_error);
    __builtin_unreachable();
}

/// True if the running program has computed beyond its limit, or issued nothing for the whole idle limit.
/// Only code of the kernel's own may be left by a jump; anywhere else the next tick decides.
bool is_endless(std::uintptr_t address) {
    const isa::CorePort* const core = running_core();
    const void* progress = core == nullptr ? nullptr : core->progress();
    if (progress == nullptr || progress != state.progress) {
        state.progress = progress;
        state.idle_ticks = 0;
        return false;
    }
    ++state.idle_ticks;
    state.beyond_limit = core->computes_too_long();
    const double idle_s = state.idle_ticks * tick_s;
    const bool long_enough = state.beyond_limit || state.hurried || idle_s >= state.options->idle_limit_s;
    if (long_enough && !is_kernel_code(address) && idle_s >= patience * state.options->idle_limit_s) {
        end_where_it_is();
    }
    return long_enough && is_kernel_code(address);
}

void note_place(const siginfo_t& info, const ucontext_t& context) {
    const std::uintptr_t address = program_counter(context);
    state.fault_address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    state.stack_pointer = stack_pointer(context);
    state.kernel_address = is_program_code(address) ? address : calling_address(state.stack_pointer);
}

/// Another thread of the host program cannot go on: the thread that has a way back takes it.
[[noreturn]] void stop_elsewhere(int signal, const siginfo_t& info, const ucontext_t& context) {
    int none = 0;
    if (state.elsewhere.compare_exchange_strong(none, signal)) {
        note_place(info, context);
        syscall(SYS_tgkill, getpid(), state.home, SIGABRT);
    }
    for (;;) {
        pause();
    }
}

void handle(int signal, siginfo_t* info, void* opaque) {
    auto& context = *static_cast<ucontext_t*>(opaque);
    if (signal == SIGSYS && process::sandbox_closed()) {
        if (process::let_pass(*info, opaque)) {
            return;
        }
        if (state.armed == 0 || gettid() != getpid()) {  // no one to jump to; who waits for us tells
            constexpr int program_error = 3;
            _exit(program_error);
        }
    }
    if (state.armed == 0 || getpid() != state.process) {
        if (signal != SIGALRM) {
            std::signal(signal, SIG_DFL);
            std::raise(signal);
        }
        return;
    }
    if (gettid() != state.home) {
        if (signal == SIGALRM) {
            return;
        }
        stop_elsewhere(signal, *info, context);
    }
    if (const int first = state.elsewhere.load(); first != 0) {
        state.armed = 0;
        siglongjmp(state.outermost.back, first);
    }
    const std::uintptr_t address = program_counter(context);
    if (signal == SIGALRM && !is_endless(address)) {
        return;
    }
    if (signal == SIGFPE && is_kernel_code(address) && complete_division(context)) {
        return;
    }
    state.armed = 0;
    note_place(*info, context);
    const auto found = state.programs.find(running_core());
    siglongjmp((found == state.programs.end() ? state.outermost : *found->second).back, signal);
}

/// The first of addr2line's lines that is the user's: what is inlined comes before what calls it. A kernel
/// function may be inlined into its caller, too, and then its prologue, where a large frame overflows the
/// stack, counts as the caller's.
std::string first_users_line(const std::string& lines) {
    const std::string root = toolchain::Installation::find().root.string();
    const std::array others{
        root + "/models/port/entry.hpp:", root + "/runtime/acl/launch.hpp:", root + "/kernels/ascendc/"};
    std::istringstream stream{lines};
    for (std::string line; std::getline(stream, line);) {
        line = std::filesystem::path{line.substr(0, line.find(' '))}.lexically_normal().string();
        const bool named = !line.starts_with('?') && !line.ends_with('?') && !line.ends_with(":0");
        if (named && std::ranges::none_of(
                         others, [&line](const std::string& other) { return line.starts_with(other); })) {
            return line;
        }
    }
    return {};
}

void set_timer(double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    const auto micros = static_cast<suseconds_t>((seconds - static_cast<double>(whole)) * 1e6);
    const itimerval timer{.it_interval = {whole, micros}, .it_value = {whole, micros}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

std::vector<CodeRange> code_of(const std::string& file) {
    struct Search {
        const std::string& file;
        std::vector<CodeRange> found;
    };

    Search search{file, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t /*size*/, void* opaque) {
            auto& wanted = *static_cast<Search*>(opaque);
            for (int i = 0; wanted.file == library->dlpi_name && i < library->dlpi_phnum; ++i) {
                const auto& part = library->dlpi_phdr[i];
                if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
                    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
                    wanted.found.push_back({.file = wanted.file,
                                            .load = library->dlpi_addr,
                                            .begin = begin,
                                            .end = begin + part.p_memsz});
                }
            }
            return 0;
        },
        &search);
    return search.found;
}

CrashGuard::CrashGuard(Options options) : options_{std::move(options)} {
    check(state.options == nullptr, "a second crash guard");
    const process::PipeEnds ends = process::open_pipe(O_NONBLOCK);
    state.pipe = {ends.read, ends.write};
    state.options = &options_;
    const stack_t stack{.ss_sp = handler_stack.data(), .ss_flags = 0, .ss_size = handler_stack.size()};
    sigaltstack(&stack, nullptr);

    struct sigaction action {};

    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < crash_signals.size(); ++i) {
        sigaction(crash_signals[i], &action, &state.old[i]);
    }
}

void CrashGuard::add_kernel_code(const std::vector<CodeRange>& more) {
    options_.kernel_code.insert(options_.kernel_code.end(), more.begin(), more.end());
}

CrashGuard::~CrashGuard() {
    set_timer(0);
    for (std::size_t i = 0; i < crash_signals.size(); ++i) {
        sigaction(crash_signals[i], &state.old[i], nullptr);
    }
    for (int& end : state.pipe) {
        close(std::exchange(end, -1));
    }
    state.options = nullptr;
}

void CrashGuard::run(const std::function<void()>& body) {
    const int signal = sigsetjmp(state.outermost.back, 1);
    if (signal != 0) {
        set_timer(0);
        if (first_) {
            std::rethrow_exception(first_);
        }
        report(signal);
    }
    state.programs.clear();
    state.process = getpid();
    state.home = gettid();
    state.elsewhere = 0;
    state.armed = 1;
    state.progress = nullptr;
    state.idle_ticks = 0;
    state.hurried = false;
    set_timer(tick_s);
    try {
        body();
    } catch (...) {
        state.armed = 0;
        set_timer(0);
        throw;
    }
    state.armed = 0;
    set_timer(0);
}

void CrashGuard::protect(const std::function<void()>& program) {
    const isa::CorePort* const core = running_core();
    Frame frame;
    const int signal = sigsetjmp(frame.back, 1);
    if (signal != 0) {
        state.programs.erase(core);
        if (signal == SIGALRM) {
            state.hurried = true;
            set_timer(hurried_tick_s);
        }
        try {
            report(signal);
        } catch (...) {
            first_ = first_ ? first_ : std::current_exception();
            state.armed = 1;
            throw;
        }
    }
    state.programs[core] = &frame;
    try {
        program();
    } catch (...) {
        state.programs.erase(core);
        throw;
    }
    state.programs.erase(core);
}

std::string CrashGuard::source_line() const {
    if (process::sandbox_closed()) {
        return {};  // a program that knows lines cannot be started any more
    }
    const auto holds = [](const CodeRange& one) { return one.contains(state.kernel_address); };
    auto range = std::ranges::find_if(options_.kernel_code, holds);
    if (range == options_.kernel_code.end()) {
        range = std::ranges::find_if(options_.host_code, holds);
        if (range == options_.host_code.end()) {
            return {};
        }
    }
    std::vector<std::string> command{"addr2line", "-i", "-e", range->file};
    for (std::uintptr_t ahead = 0; ahead < longest_prologue; ahead += 8) {
        command.push_back(fmt::format("{:#x}", state.kernel_address - range->load + ahead));
    }
    try {
        process::Subprocess symboliser{command};
        symboliser.wait();
        return first_users_line(symboliser.output());
    } catch (const UserError&) {
        return {};  // no addr2line here
    }
}

void CrashGuard::keep_state(const char* function, const void* caller) {
    if (state.armed != 0 && running_core() != nullptr &&
        is_kernel_code(reinterpret_cast<std::uintptr_t>(caller))) {
        state.forbidden = function;
        static_cast<void>(std::raise(SIGABRT));
    }
}

void CrashGuard::report(int signal) const {
    std::string place = options_.place ? options_.place() : std::string{};
    if (const std::string line = source_line(); !place.empty() && !line.empty()) {
        place = place.substr(0, place.find(", after ")) + ", at " + line;
    }
    if (place.empty()) {
        throw InternalError{fmt::format("signal {} outside of every kernel", signal)};
    }
    const std::string message = sentence(signal, place);
    if (options_.fault && running_core() != nullptr) {
        options_.fault(place, message);
    }
    throw ProgramError{"{}: {}", place, message};
}

std::string CrashGuard::sentence(int signal, const std::string& place) const {
    const std::uintptr_t distance = state.fault_address > state.stack_pointer
                                        ? state.fault_address - state.stack_pointer
                                        : state.stack_pointer - state.fault_address;
    if (signal == SIGALRM) {
        return state.beyond_limit
                   ? fmt::format(
                         "endless loop: the kernel has computed for more than {} cycles without a call of "
                         "Ascend C "
                         "(limits.arithmetic_cycles sets the limit)",
                         running_core()->arithmetic_limit())
                   : fmt::format(
                         "endless loop: the kernel has computed for {:.12g} s without issuing an instruction "
                         "(limits.idle_s sets the limit)",
                         options_.idle_limit_s);
    }
    const std::string_view who = place.starts_with("the host program") ? "it" : "the kernel";
    if (signal == SIGSYS) {
        const std::string tried = process::sandbox_breach();
        return fmt::format("{} {}", who, tried.empty() ? "asked for what this system forbids" : tried);
    }
    if (signal == SIGABRT && state.forbidden != nullptr) {
        const std::string_view function = std::exchange(state.forbidden, nullptr);
        constexpr std::array<std::string_view, 6> starters{
            "fork", "vfork", "system", "popen", "posix_spawn", "posix_spawnp"};
        return fmt::format(
            "{} called {}, which {}",
            who,
            function,
            std::ranges::find(starters, function) != starters.end()
                ? "starts a process; a core has none"
                : "takes a file, a variable or the folder from the simulator, whose process it is");
    }
    if (signal == SIGABRT) {
        return fmt::format("{} aborted, or called exit; it ends by returning", who);
    }
    if (signal == SIGSEGV && distance < near_stack && state.fault_address != 0) {
        return fmt::format("{} stack overflowed; keep large arrays off it and recursion shallow",
                           who == "it" ? "its" : "the kernel's");
    }
    if (signal == SIGSEGV || signal == SIGBUS) {
        constexpr std::uintptr_t near_null = 65536;  // the system gives nobody a page down there
        const std::string about = options_.about_address ? options_.about_address(state.fault_address) : "";
        return fmt::format("{} accessed address {:#x}, {}",
                           who,
                           state.fault_address,
                           !about.empty()                    ? about
                           : state.fault_address == 0        ? "a null pointer"
                           : state.fault_address < near_null ? "an offset from a null pointer"
                                                             : "which is in no buffer; is a pointer or an "
                                                               "index wrong?");
    }
    return fmt::format(
        "{} {}",
        who,
        signal == SIGILL ? "ran into an impossible place (a missing return?)" : "failed in arithmetic");
}

}  // namespace ascendsim::runtime
