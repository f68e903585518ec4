// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "app/doctor/checks.hpp"
#include "sim/base/error.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/build/compile.hpp"

namespace ascendsim::doctor {
namespace {

namespace fs = std::filesystem;

/// The LLVM that the compiler's pass was built for; another one does not load it.
constexpr int pass_major = ASCENDSIM_CLANG_MAJOR;

std::string compiler() {
    return toolchain::Toolchain{}.compiler;
}

std::string without_newline(std::string text) {
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

std::string clang_advice() {
    return fmt::format(
        "apt-get install clang-{0} clang, or another clang {0} whose clang++ comes first in PATH",
        pass_major);
}

/// What only the compiler could tell.
Finding not_tried(const std::string& subject) {
    return {.subject = subject,
            .state = State::missing,
            .found = fmt::format("not tried without {}", compiler()),
            .advice = {}};
}

/// Whether the compiler accepts an empty file with these flags.
Answer compiles_empty(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {compiler(), "-std=gnu++20", "-x", "c++"});
    flags.emplace_back("/dev/null");
    return ask(flags);
}

}  // namespace

Answer ask(const std::vector<std::string>& command) {
    try {
        process::Subprocess process{command};
        const int exit = process.wait();
        return {exit == 0, process.output()};
    } catch (const UserError& error) {
        return {false, error.what()};
    }
}

fs::path in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders{path == nullptr ? "" : path};
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path file = fs::path{folder.empty() ? "." : folder} / program;
        std::error_code error;
        if (fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return {};
}

std::string telling_line(const std::string& text) {
    std::istringstream lines{text};
    std::string first;
    for (std::string line; std::getline(lines, line);) {
        if (line.find("error") != std::string::npos) {
            return line;
        }
        first = first.empty() ? line : first;
    }
    return first;
}

Finding check_compiler() {
    Finding result{.subject = "compiler", .found = {}, .advice = {}};
    const fs::path file = in_path(compiler());
    const Answer version = file.empty() ? Answer{false, "not in PATH"} : ask({file.string(), "-dumpversion"});
    if (!version.good) {
        result.state = State::missing;
        result.found = fmt::format("{}: {}", compiler(), telling_line(version.output));
        result.advice = clang_advice();
        return result;
    }
    result.found = fmt::format("{} {}, {}", compiler(), without_newline(version.output), file.string());
    if (std::atoi(version.output.c_str()) != pass_major) {
        result.state = State::missing;
        result.found += fmt::format("; the pass that counts scalar work was built for clang {}", pass_major);
        result.advice = clang_advice() + "; or build AscendSim again with this one";
    }
    return result;
}

Finding check_pass(const toolchain::Installation& installation) {
    Finding result{.subject = "pass", .found = installation.scalar_steps().string(), .advice = {}};
    for (const fs::path& pass : {installation.scalar_steps(), installation.shared_values()}) {
        std::error_code error;
        if (!fs::is_regular_file(pass, error)) {
            result.state = State::missing;
            result.found = pass.string() + ": not there";
            result.advice = "install AscendSim again";
            return result;
        }
        if (in_path(compiler()).empty()) {
            return not_tried(result.subject);
        }
        const Answer loaded = compiles_empty({"-fplugin=" + pass.string(), "-fsyntax-only"});
        if (!loaded.good) {
            result.state = State::missing;
            result.found = fmt::format("{} does not load: {}", pass.string(), telling_line(loaded.output));
            result.advice = clang_advice();
            return result;
        }
    }
    result.found +=
        fmt::format(" and {}, for clang {}", installation.shared_values().filename().string(), pass_major);
    return result;
}

Finding check_linker() {
    Finding result{.subject = "linker", .found = {}, .advice = {}};
    // Clang looks beside itself first, then in PATH.
    const Answer place = ask({compiler(), "-print-prog-name=ld.lld"});
    const Answer version = ask({place.good ? without_newline(place.output) : "ld.lld", "--version"});
    if (version.good) {
        result.found = without_newline(version.output.substr(0, version.output.find('\n')));
        return result;
    }
    result.state = State::missing;
    result.found = fmt::format("lld: {}", telling_line(version.output));
    result.advice = "apt-get install lld";
    return result;
}

Finding check_headers() {
    Finding result{.subject = "headers", .found = "C++ library and fmt", .advice = {}};
    if (in_path(compiler()).empty()) {
        return not_tried(result.subject);
    }
    const Answer library = compiles_empty({"-include", "vector", "-fsyntax-only"});
    if (!library.good) {
        result.state = State::missing;
        result.found = fmt::format("C++ library: {}", telling_line(library.output));
        result.advice = "apt-get install libstdc++-12-dev";
        return result;
    }
    const Answer fmt_headers = compiles_empty({"-include", "fmt/format.h", "-fsyntax-only"});
    if (!fmt_headers.good) {
        result.state = State::missing;
        result.found = fmt::format("fmt: {}", telling_line(fmt_headers.output));
        result.advice = "apt-get install libfmt-dev";
    }
    return result;
}

Finding check_shipped(const toolchain::Installation& installation) {
    std::size_t built = 0;
    std::error_code none;
    for (const fs::directory_entry& file : fs::directory_iterator{installation.plugins(), none}) {
        built += file.path().extension() == ".so" ? 1U : 0U;
    }
    return {.subject = "installation",
            .found = fmt::format("{}, {} compiled parts of kernels", installation.root.string(), built),
            .advice = {}};
}

}  // namespace ascendsim::doctor
