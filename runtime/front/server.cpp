// SPDX-License-Identifier: Apache-2.0
#include "runtime/front/server.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::front {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream stream{file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// Where a run's files go, and its name among them; without a folder the report is printed.
std::vector<std::string> output_words(const fs::path& bundle) {
    static std::atomic<int> number{0};
    const std::string folder = environment("ASCENDSIM_LAUNCHES");
    if (folder.empty()) {
        return environment("ASCENDSIM_QUIET").empty() ? std::vector<std::string>{}
                                                      : std::vector<std::string>{"--quiet"};
    }
    const fs::path base =
        fs::path{folder} / fmt::format("{}.{}.{}", bundle.stem().string(), getpid(), number.fetch_add(1));
    return {"--quiet",
            "--json=" + base.string() + ".json",
            "--record=" + base.string() + ".rec",
            "--csv=" + base.string() + ".csv",
            "--trace=" + base.string() + ".trace.json"};
}

[[noreturn]] void become(const std::vector<std::string>& words, int messages) {
    dup2(messages, STDERR_FILENO);
    std::vector<char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    execvp(pointers.front(), pointers.data());
    constexpr std::string_view text =
        "ascendsim: the simulator cannot be started; set ASCENDSIM to its path\n";
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
    // _exit would be the simulator's own; the process ends at once in any case.
    kill(getpid(), SIGKILL);
    std::abort();
}

}  // namespace

fs::path command_line() {
    if (const std::string given = environment("ASCENDSIM"); !given.empty()) {
        return given;
    }
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&command_line), &own) != 0) {
        for (fs::path folder = fs::absolute(own.dli_fname).parent_path(); folder.has_relative_path();
             folder = folder.parent_path()) {
            if (fs::exists(folder / "bin" / "ascendsim")) {
                return folder / "bin" / "ascendsim";
            }
        }
    }
    return "ascendsim";
}

Server::Server(const Bundle& bundle, const std::string& chip, int memory, const std::byte* base) {
    const std::vector<std::string> lines = lines_of(bundle.file);
    if (lines.empty() || lines.front().starts_with('!')) {
        throw UserError{"its kernels were left out when the library was built: {}",
                        lines.empty() ? bundle.file.string() + " is gone" : lines.front().substr(1)};
    }
    int ends[2]{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw UserError{"no socket can be made for the simulator"};
    }
    socket_ = ends[0];
    std::vector<std::string> words{command_line().string(), "run"};
    words.insert(words.end(), lines.begin(), lines.end());
    words.insert(words.end(), {"--chip", chip});
    for (std::string& word : output_words(bundle.file)) {
        words.push_back(std::move(word));
    }
    words.insert(words.end(), {"--", std::to_string(ends[1]), std::to_string(memory)});
    child_ = fork();
    if (child_ == 0) {
        fcntl(ends[1], F_SETFD, 0);
        fcntl(memory, F_SETFD, 0);
        become(words, messages_.descriptor());
    }
    close(ends[1]);
    Packet hello;
    if (child_ < 0 || !hello.receive_from(socket_)) {
        fail();
    }
    if (const auto there = hello.get<std::uint64_t>(); there != reinterpret_cast<std::uintptr_t>(base)) {
        close(std::exchange(socket_, -1));  // which ends it
        waitpid(child_, nullptr, 0);
        throw UserError{
            "the simulator's global memory lies at {:#x}, the program's at {:#x}; the address space is "
            "taken: is it "
            "limited (ulimit -v), or does the program run under a tool that maps memory?",
            there,
            reinterpret_cast<std::uintptr_t>(base)};
    }
}

Server::~Server() {
    if (socket_ >= 0) {
        close(socket_);
    }
    if (child_ > 0) {
        int status = 0;
        waitpid(child_, &status, 0);
        if (const std::string words = said(); !words.empty() && environment("ASCENDSIM_LAUNCHES").empty()) {
            fmt::print(stderr, "{}\n", words);
        }
    }
}

LaunchAnswer Server::launch(const program::LaunchRequest& request, const std::vector<SharedBlock>& blocks) {
    Packet packet;
    packet.put<std::uint64_t>(blocks.size());
    for (const SharedBlock& block : blocks) {
        packet.put(block);
    }
    packet.put_text(request.text == nullptr ? "" : request.text);
    packet.put_text(request.call == nullptr ? "" : request.call->name());
    packet.put_text(request.site.file == nullptr ? "" : request.site.file);
    packet.put<std::uint32_t>(request.site.line);
    packet.put<std::uint32_t>(request.blocks);
    packet.put<std::uint64_t>(request.tiling_key);
    packet.put<std::uint32_t>(request.count);
    for (std::uint32_t i = 0; i < request.count; ++i) {
        const program::LaunchArgument& argument = request.arguments[i];
        packet.put(argument.kind);
        packet.put<std::uint32_t>(argument.bytes);
        packet.put_bytes(argument.value, argument.bytes);
    }
    Packet answer;
    if (!packet.send_to(socket_) || !answer.receive_from(socket_)) {
        fail();
    }
    const auto us = answer.get<double>();
    return {us, answer.get<std::optional<CoreUse>>()};
}

std::string Server::said() const {
    std::string words = messages_.text();
    while (!words.empty() && words.back() == '\n') {
        words.pop_back();
    }
    return words;
}

void Server::fail() {
    close(std::exchange(socket_, -1));
    int status = 0;
    if (child_ > 0) {
        waitpid(child_, &status, 0);
        child_ = -1;
    }
    std::string words = said();
    if (words.starts_with("ascendsim: ")) {
        words.erase(0, std::string_view{"ascendsim: "}.size());
    }
    if (words.empty()) {
        words = fmt::format("the simulator ended without a word (status {:#x})", status);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        throw UserError{"{}", words};
    }
    throw ProgramError{"{}", words};
}

}  // namespace ascendsim::front
