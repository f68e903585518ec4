// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/isolated.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {  // the C library's header of Debian 12 does not say so itself
#include <sys/pidfd.h>
}

#include "runtime/session/orphans.hpp"
#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/base/harmless_text.hpp"
#include "sim/process/descriptors.hpp"
#include "sim/process/memory_file.hpp"
#include "sim/process/program_start.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::ordered_json;

constexpr const char* not_run = "not run";
constexpr int user_error = 2;
constexpr int program_error = 3;

void write_all(int file, std::string_view text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = write(file, text.data() + done, text.size() - done);
        if (count <= 0 && errno != EINTR) {
            return;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

/// A word that no one guesses: an answer that starts with it comes from our side of the child, not from a
/// kernel that writes into every file it finds open.
std::string secret() {
    std::array<std::uint64_t, 2> random{};
    check(getrandom(random.data(), sizeof random, 0) == sizeof random, "getrandom: {}", std::strerror(errno));
    return fmt::format("{:016x}{:016x}", random[0], random[1]);
}

/// Memory that a child shares, in which it tells of a breach of the sandbox even if it does not get to
/// answer.
class LastWords {
public:
    LastWords()
        : memory_{mmap(
              nullptr, process::breach_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)} {
        check(memory_ != MAP_FAILED, "mmap: {}", std::strerror(errno));
    }

    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

    ~LastWords() { munmap(memory_, process::breach_bytes); }

    [[nodiscard]] char* memory() const { return static_cast<char*>(memory_); }

    [[nodiscard]] std::string text() const { return {memory(), strnlen(memory(), process::breach_bytes)}; }

private:
    void* memory_;
};

/// How the child is set up.
struct Setup {
    int answer;
    std::array<int, 2> outputs;  // where its two streams go; -1: where ours go
    std::string secret;
    char* last_words;
};

[[noreturn]] void child(const std::function<ordered_json()>& work, const Setup& setup, pid_t parent) {
    // Whoever ends the study ends its simulations.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    if (setup.outputs[0] >= 0) {
        dup2(setup.outputs[0], STDOUT_FILENO);
        dup2(setup.outputs[1], STDERR_FILENO);
    }
    process::tell_breach_in(setup.last_words);
    if (process::in_sandbox()) {  // files of ours, and of others beside us, are not for kernels
        close_range(STDERR_FILENO + 1, static_cast<unsigned>(setup.answer) - 1, 0);
        close_range(static_cast<unsigned>(setup.answer) + 1, ~0U, 0);
    }
    ordered_json answer;
    try {
        answer = {{"exit", 0}, {"error", ""}, {"value", work()}};
    } catch (...) {
        const std::exception_ptr failure = std::current_exception();
        answer = {{"exit", exit_code(failure)}, {"error", message(failure)}, {"value", nullptr}};
    }
    std::signal(SIGPIPE, SIG_IGN);  // the answer counts even if a reader, as head, has seen enough
    const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    answer["unprinted"] = !printed && errno != EPIPE;
    write_all(setup.answer,
              setup.secret + answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    std::fflush(stderr);
    _exit(0);
}

IsolatedResult failed(std::string error, int signal = 0) {
    return {.exit = program_error, .error = std::move(error), .signal = signal, .value = {}};
}

IsolatedResult ended_by(int status) {
    if (!WIFSIGNALED(status)) {
        return failed(fmt::format(
            "the kernel or its program ended the process, with exit code {}, before there was a result",
            WEXITSTATUS(status)));
    }
    const int signal = WTERMSIG(status);
    if (signal == SIGSYS) {
        return failed("the kernel tried to start a process, which the sandbox does not allow", signal);
    }
    if (signal == SIGKILL) {
        return failed("the system killed the simulation; it may have run out of memory", signal);
    }
    return failed(std::string{"the simulation was ended by: "} + strsignal(signal), signal);
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::uint64_t step = 1024;
    constexpr std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    for (; unit + 1 < units.size() && bytes != 0 && bytes % step == 0; ++unit) {
        bytes /= step;
    }
    return fmt::format("{} {}", bytes, units[unit]);
}

/// What a process prints on one of its streams, passed on to one of ours.
struct Printed {
    int from = -1;
    int to = STDERR_FILENO;
    std::string line{};  // printed, not passed on yet
};

/// A descriptor that tells of a process's end. Ends the process if there can be none.
int watched(pid_t process) {
    try {
        return process::opened(pidfd_open(process, 0), "pidfd_open");
    } catch (const UserError&) {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
        throw;
    }
}

/// A process that is doing its work.
class Child {
public:
    Child(const std::function<ordered_json()>& work, const IsolatedLimits& limits) : limits_{limits} {
        std::fflush(stdout);
        std::fflush(stderr);
        std::array<int, 2> outputs{-1, -1};
        if (passes_on()) {
            for (std::size_t i = 0; i < printed_.size(); ++i) {
                const process::PipeEnds ends = process::open_pipe();
                check(fcntl(ends.read, F_SETFL, O_NONBLOCK) == 0, "fcntl: {}", std::strerror(errno));
                printed_[i].from = ends.read;
                outputs[i] = ends.write;
            }
            if (!process::in_sandbox()) {
                printed_[0].to = STDOUT_FILENO;
            }
        }
        const pid_t parent = getpid();
        process_ = fork();
        if (process_ < 0) {
            throw UserError{"no process can be started: {}; is there a limit of processes or memory?",
                            std::strerror(errno)};
        }
        if (process_ == 0) {
            child(work,
                  {.answer = answer_.descriptor(),
                   .outputs = outputs,
                   .secret = secret_,
                   .last_words = last_words_.memory()},
                  parent);
        }
        for (const int output : outputs) {
            if (output >= 0) {
                close(output);
            }
        }
        watch_ = watched(process_);
    }

    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() = default;

    /// A descriptor that can be read once the process has ended, and one from which it prints; -1 if it does
    /// so itself.
    [[nodiscard]] int watch() const { return watch_; }

    [[nodiscard]] std::array<int, 2> printed() const { return {printed_[0].from, printed_[1].from}; }

    [[nodiscard]] pid_t process() const { return process_; }

    /// Passes on what was printed, and ends the process if it takes more than it may.
    void look_after() {
        pass_on(false);
        if (excess_) {
            return;
        }
        if (limits_.output != 0 && bytes_ > limits_.output) {
            excess_ = fmt::format(
                "more than {} were printed, and the run was ended; is a loop endless? (--max-output sets the "
                "limit)",
                size_text(limits_.output));
        } else if (limits_.time.count() != 0 && std::chrono::steady_clock::now() > begin_ + limits_.time) {
            compiled_ = compiles() || has_maker_lock();
            excess_ = fmt::format("the run took longer than {} s and was ended{} (--timeout sets the limit)",
                                  limits_.time.count(),
                                  compiled_ ? " while its sources were compiled, which the limit includes"
                                            : "; is a loop endless?");
        } else if (limits_.memory != 0 && resident() > limits_.memory) {
            excess_ =
                fmt::format("the run took more than {} of memory and was ended (--memory sets the limit)",
                            size_text(limits_.memory));
        }
        if (excess_) {
            kill(process_, SIGKILL);
        }
    }

    /// Ends the process, as a signal of the terminal does with all of its group; one that handles signals
    /// otherwise after a second.
    void stop() {
        constexpr std::chrono::seconds grace{1};
        const auto now = std::chrono::steady_clock::now();
        if (!stopped_) {
            stopped_ = now;
            excess_ = not_run;
            kill(process_, SIGTERM);
        } else if (now > *stopped_ + grace) {
            kill(process_, SIGKILL);
        }
    }

    /// Waits for the end, and ends what it has left behind. `is_ours`: processes that run beside it. To be
    /// called once.
    [[nodiscard]] IsolatedResult result(const OrphanCare& care, const std::function<bool(pid_t)>& is_ours) {
        const int status = process::wait_for(process_);
        care.end_orphans(is_ours);
        close(watch_);
        pass_on(true);
        for (const Printed& stream : printed_) {
            if (stream.from >= 0) {
                close(stream.from);
            }
        }
        IsolatedResult result = excess_ ? failed(*excess_, SIGKILL) : answer(status);
        if (excess_ && compiled_) {
            result.exit = user_error;
        }
        result.printed = std::move(held_);
        return result;
    }

private:
    /// What it answered, or how it ended without an answer.
    [[nodiscard]] IsolatedResult answer(int status) const {
        const std::string text = answer_.text();
        if (!text.empty() && !text.starts_with(secret_)) {
            return failed(
                "the kernel wrote into the file that holds the simulator's result, which does not count");
        }
        ordered_json answer =
            ordered_json::parse(text.substr(std::min(text.size(), secret_.size())), nullptr, false);
        if (answer.is_discarded() || !answer.is_object()) {
            const std::string breach = last_words_.text();
            return breach.empty() ? ended_by(status)
                                  : failed("the kernel or its program " + breach, WTERMSIG(status));
        }
        return {.exit = answer["exit"],
                .error = answer["error"],
                .unprinted = answer["unprinted"],
                .printed = {},
                .value = std::move(answer["value"])};
    }

    /// What a stranger's kernel prints is made harmless whether or not it is counted.
    [[nodiscard]] bool passes_on() const {
        return limits_.output != 0 || limits_.silent || process::in_sandbox();
    }

    void give(const Printed& stream, std::string_view text) {
        if (!limits_.silent) {
            write_all(stream.to, harmless(text));
            return;
        }
        constexpr std::size_t most = 2048;  // B: its end tells what happened last
        held_ += harmless(text);
        held_.erase(0, held_.size() - std::min(held_.size(), most));
    }

    void pass_on(bool ended) {
        for (Printed& stream : printed_) {
            pass_on(stream, ended);
        }
    }

    /// Whole lines, or what there is of one that does not end: then its rest stands in a line of its own, so
    /// that what is harmless in parts does not become a command where they join.
    void pass_on(Printed& stream, bool ended) {
        std::array<char, 1U << 16U> part;
        for (ssize_t count = 1; stream.from >= 0 && count > 0 && !excess_;) {
            count = read(stream.from, part.data(), part.size());
            if (count == 0) {
                ended = true;
                close(std::exchange(stream.from, -1));  // every process that could print has ended
            }
            std::string& line = stream.line;
            line.append(part.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
            bytes_ += count > 0 ? static_cast<std::uint64_t>(count) : 0;
            const std::size_t end = line.rfind('\n');
            const bool cut = end == std::string::npos && line.size() > part.size();
            const std::size_t whole = ended || cut ? line.size() : end == std::string::npos ? 0 : end + 1;
            give(stream, std::string_view{line}.substr(0, whole));
            if (cut && !ended) {
                give(stream, "\n");
            }
            line.erase(0, whole);
            if (limits_.output != 0 && bytes_ > limits_.output) {
                return;
            }
        }
    }

    /// Whether a thread of it has a child whose name holds "clang". That is taken for the compiler of its
    /// sources, without proof that no kernel runs beside it; a compiler started by another child is not seen.
    /// False where the system has no /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN).
    [[nodiscard]] bool compiles() const {
        std::error_code error;
        for (std::filesystem::directory_iterator at{fmt::format("/proc/{}/task", process_), error}, end;
             !error && at != end;
             at.increment(error)) {
            std::ifstream file{at->path() / "children"};
            for (pid_t child = 0; file >> child;) {
                std::string program;
                std::ifstream{fmt::format("/proc/{}/comm", child)} >> program;
                if (program.find("clang") != std::string::npos) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Whether it waits for what another process compiles, or is about to compile itself: it has a file of
    /// MakerLock's open, KEY.lock.
    [[nodiscard]] bool has_maker_lock() const {
        std::error_code error;
        for (std::filesystem::directory_iterator at{fmt::format("/proc/{}/fd", process_), error}, end;
             !error && at != end;
             at.increment(error)) {
            std::error_code closed;
            const std::filesystem::path file = std::filesystem::read_symlink(at->path(), closed);
            const std::size_t ending = file.filename().string().find(".lock");
            if (!closed && ending != std::string::npos && ending != 0) {
                return true;
            }
        }
        return false;
    }

    /// Memory of the process that is in the machine's, B.
    [[nodiscard]] std::uint64_t resident() const {
        std::ifstream file{fmt::format("/proc/{}/statm", process_)};
        std::uint64_t reserved = 0;
        std::uint64_t pages = 0;
        file >> reserved >> pages;
        return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    }

    IsolatedLimits limits_;
    std::string secret_ = secret();
    process::MemoryFile answer_;
    LastWords last_words_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    int watch_ = -1;
    std::array<Printed, 2> printed_;  // standard output and the error stream
    pid_t process_ = -1;
    std::uint64_t bytes_ = 0;
    std::string held_;                   // of what it printed, the end
    std::optional<std::string> excess_;  // why it was ended
    std::optional<std::chrono::steady_clock::time_point> stopped_;
    bool compiled_ = false;  // its time ended while a compiler ran
};

/// The numbers of those that have ended; waits until there is one.
std::vector<std::size_t> ended_of(std::map<std::size_t, Child>& running,
                                  const IsolatedLimits& limits,
                                  const std::function<bool()>& stopped) {
    constexpr int tick_ms = 50;
    const bool looks = limits.any() || limits.silent || process::in_sandbox();
    for (;;) {
        std::vector<pollfd> watched;
        for (const auto& [number, process] : running) {
            watched.push_back({.fd = process.watch(), .events = POLLIN, .revents = 0});
        }
        for (const auto& [number, process] : running) {  // poll leaves those of -1 out
            for (const int from : process.printed()) {
                watched.push_back({.fd = from, .events = POLLIN, .revents = 0});
            }
        }
        while (poll(watched.data(), watched.size(), looks || stopped ? tick_ms : -1) < 0 && errno == EINTR) {
        }
        const bool stops = stopped && stopped();
        std::vector<std::size_t> ended;
        auto watch = watched.begin();
        for (auto& [number, process] : running) {
            if (looks) {
                process.look_after();
            }
            if ((watch++)->revents != 0) {
                ended.push_back(number);
            } else if (stops) {
                process.stop();
            }
        }
        if (!ended.empty()) {
            return ended;
        }
    }
}

}  // namespace

ordered_json value_of(IsolatedResult result) {
    switch (result.exit) {
        case 0:
            return std::move(result.value);
        case user_error:
            throw UserError{"{}", result.error};
        case program_error:
            throw ProgramError{"{}", result.error};
        default:
            throw InternalError{result.error};
    }
}

IsolatedResult run_isolated(const std::function<ordered_json()>& work, const IsolatedLimits& limits) {
    return run_isolated(std::vector{work}, 1, {}, limits).front();
}

std::vector<IsolatedResult> run_isolated(const std::vector<std::function<ordered_json()>>& works,
                                         std::size_t jobs,
                                         const std::function<void(std::size_t)>& ended,
                                         const IsolatedLimits& limits,
                                         const std::function<bool()>& stopped) {
    const OrphanCare care;
    std::vector<IsolatedResult> results(works.size());
    std::map<std::size_t, Child> running;
    for (std::size_t next = 0; next < works.size() || !running.empty();) {
        for (; next < works.size() && stopped && stopped(); ++next) {
            results[next] = failed(not_run);
            results[next].stopped = true;
        }
        if (next == works.size() && running.empty()) {
            break;
        }
        while (next < works.size() && running.size() < std::max<std::size_t>(1, jobs)) {
            running.try_emplace(next, works[next], limits);
            ++next;
        }
        for (const std::size_t number : ended_of(running, limits, stopped)) {
            results[number] = running.at(number).result(care, [&running](pid_t process) {
                return std::ranges::any_of(
                    running, [process](const auto& one) { return one.second.process() == process; });
            });
            // The terminal's signal reaches the child as well, perhaps before we end it.
            results[number].stopped = results[number].error == not_run ||
                                      (results[number].signal == SIGINT && stopped && stopped());
            running.erase(number);
            if (ended) {
                ended(number);
            }
        }
    }
    return results;
}

}  // namespace ascendsim::runtime
