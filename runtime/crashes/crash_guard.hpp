// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace ascendsim::runtime {

/// A range of machine code.
struct CodeRange {
    std::string file;         // the library
    std::uintptr_t load = 0;  // where its address 0 is
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;

    [[nodiscard]] bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The executable ranges of a library loaded from `file`.
[[nodiscard]] std::vector<CodeRange> code_of(const std::string& file);

/// Runs kernels, which are native code of the user's, so that their crashes become sentences.
///
/// While run() lasts: an integer division by zero within kernel code yields 0 (remainder: the dividend) as on
/// the chip; a bad access, an illegal instruction or a stack overflow ends protect(), within a program called
/// by it, or run(), with a ProgramError; so does a program that computes beyond its limit of scalar cycles,
/// or for longer than the idle limit, without issuing an instruction. Nothing of what ran is unwound: the
/// process should end soon. After the end of a protect() what is not the program's still works; after that of
/// run() only what has been written so far may be used.
class CrashGuard {
public:
    struct Options {
        std::vector<CodeRange> kernel_code;
        std::vector<CodeRange> host_code{};  // of a host program: named in messages, runs as on any host
        double idle_limit_s = 20;
        std::function<std::string()> place;  // "aiv3 (block 3), after add.cpp:41"; empty while no kernel runs
        /// Throws a message as the fault of the running core's program at a place like that.
        std::function<void(const std::string& place, const std::string& message)> fault;
        /// Saves what was recorded, in a handler of signals, before the process ends.
        std::function<void()> flush{};
        /// More to say about a wrong address, or nothing.
        std::function<std::string(std::uintptr_t)> about_address{};
    };

    /// Installs the handlers; one guard at a time.
    explicit CrashGuard(Options options);
    CrashGuard(const CrashGuard&) = delete;
    CrashGuard& operator=(const CrashGuard&) = delete;
    /// Puts the old handlers back.
    ~CrashGuard();

    /// Takes ranges of kernels that were loaded meanwhile.
    void add_kernel_code(const std::vector<CodeRange>& more);

    /// Calls `body`. Throws what it throws, a ProgramError if a kernel crashed, an InternalError if we did.
    void run(const std::function<void()>& body);

    /// Within run(): ends the running core's program if code at `caller` is a kernel's, since it calls
    /// `function`, which takes what is the simulator's.
    static void keep_state(const char* function, const void* caller);

    /// Within run(), on a core's own stack: calls a program of the running core, whose crash then ends this
    /// call alone. Throws what the program throws, a ProgramError if it crashed.
    void protect(const std::function<void()>& program);

private:
    [[noreturn]] void report(int signal) const;
    /// What happened, without its place.
    [[nodiscard]] std::string sentence(int signal, const std::string& place) const;
    /// The source line of the kernel's instruction that was running, as "add.cpp:41"; empty if it cannot be
    /// told.
    [[nodiscard]] std::string source_line() const;

    Options options_;
    std::exception_ptr first_;  // the first crash; what comes after it is its consequence
};

}  // namespace ascendsim::runtime
