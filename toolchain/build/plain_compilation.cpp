// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/plain_compilation.hpp"

#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/build/chip_spelling.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// The options that a preprocessed text is compiled with.
std::vector<std::string> options_behind_preprocessor(const std::vector<std::string>& flags) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i] == "-include") {
            ++i;
        } else if (!flags[i].starts_with("-I") && !flags[i].starts_with("-D")) {
            rest.push_back(flags[i]);
        }
    }
    return rest;
}

std::string messages_of(std::vector<std::string> command, const std::vector<std::string>& more) {
    command.insert(command.end(), more.begin(), more.end());
    process::Subprocess process{command};
    return process.finish() == 0 ? std::string{} : process.output() + "\n";
}

/// Compiles the wrapper; what is wrong with it, or nothing. Where that may come from what the chip's compiler
/// alone takes, its preprocessed text is compiled with that put in the host's words.
std::string compile_in_either_spelling(const Compilation& what, const Task& task) {
    const std::vector<std::string> flags = compile_flags(what, task.with);
    std::vector<std::string> command{task.with.compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), task.notes.begin(), task.notes.end());
    std::vector<std::string> last = task.outcome;
    last.push_back(task.wrapper.string());
    const std::string messages = messages_of(command, last);
    if (messages.empty() || !is_chip_spelling(messages)) {
        return messages;
    }
    const std::string base = task.wrapper.string() + "." + writer_tag();
    const std::string text = base + ".ii";
    if (!messages_of(command, {"-E", task.wrapper.string(), "-o", text}).empty()) {
        return messages;
    }
    std::vector<std::string> rest{task.with.compiler, "-x", "c++-cpp-output"};
    const std::vector<std::string> options = options_behind_preprocessor(flags);
    rest.insert(rest.end(), options.begin(), options.end());
    write_whole(text, in_host_spelling(process::text_of(text), rest, base));
    last.back() = text;
    std::string left = messages_of(rest, last);
    fs::remove(text);
    return left;
}

}  // namespace

/// The same, with __gm__ as a qualifier where it may be that which is missing. Throws UserError with the
/// messages of the plain way if neither compiles.
void compile_plainly(const Compilation& what, const Task& task) {
    const std::string messages = compile_in_either_spelling(what, task);
    if (messages.empty()) {
        return;
    }
    if (may_differ_in_memory(messages)) {
        Compilation qualified = what;
        const std::vector<std::string> more = qualified_memory();
        qualified.flags.insert(qualified.flags.end(), more.begin(), more.end());
        if (compile_in_either_spelling(qualified, task).empty()) {
            return;
        }
    }
    throw UserError{"{}: does not compile for {}\n{}", what.source.string(), name(what.pass), messages};
}

}  // namespace ascendsim::toolchain
