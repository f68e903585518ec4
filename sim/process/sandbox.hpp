// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::process {

/// What a process in a sandbox still reaches, besides the system's own programs and libraries. A folder
/// stands for all that lies below it.
struct SandboxRules {
    std::vector<std::filesystem::path> readable;
    std::vector<std::filesystem::path> writable;  // and readable
};

/// Why this system offers no sandbox, as a clause; empty if it does.
[[nodiscard]] std::string sandbox_obstacle();

/// Puts this process and all that it starts into a sandbox, for good. There is no network, no other process
/// is reached, no file but those of `rules`, and variables of the environment that a simulation does not need
/// are wiped. Throws UserError if the system offers no sandbox.
void enter_sandbox(const SandboxRules& rules);

/// True from enter_sandbox() on, in this process and in those forked from it.
[[nodiscard]] bool in_sandbox();

/// Names a file that may be written even when the sandbox is closed; it is made if it is missing. Without a
/// sandbox it does nothing. Throws UserError for a link, a folder and a file that has other names: a checkout
/// may hold a link that leads to what a later program runs.
void keep_writable(const std::filesystem::path& file);

/// Throws UserError for a place where a sandboxed run must not write: a link, or one below a folder that is a
/// link, a folder, a file with several names. Devices as /dev/null, and files of /proc/self/fd, are let pass.
void check_plain_output(const std::filesystem::path& file);

/// The same for all that is below a folder, which the user has named.
void keep_folder_writable(const std::filesystem::path& folder);

/// Closes the sandbox, if there is one, before code runs that is not ours: from now on no process can be
/// started, nothing can be written but what keep_writable() named, and whoever tries ends with a sentence.
void close_sandbox();

/// True from close_sandbox() on.
[[nodiscard]] bool sandbox_closed();

/// For a handler of SIGSYS. Carries out a call that the sandbox lets pass, and returns true. Else returns
/// false: sandbox_breach() tells what was tried.
[[nodiscard]] bool let_pass(const siginfo_t& info, void* context);

/// What was tried against the closed sandbox, as in "tried to open a network connection, …"; empty: nothing.
[[nodiscard]] const char* sandbox_breach();

/// Bytes that a breach is told in.
inline constexpr std::size_t breach_bytes = 512;

/// Tells why this process ends by itself, where a breach is told. For a handler of signals.
void tell_last_words(const char* text);

/// Lets a breach be told in memory that outlives this process, of `breach_bytes` zeros.
void tell_breach_in(char* memory);

}  // namespace ascendsim::process
