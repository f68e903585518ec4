// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "app/doctor/checks.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t gib = std::uintmax_t{1} << 30U;
constexpr std::uintmax_t least_memory = gib;    // a pass of a large library's operator
constexpr std::uintmax_t least_disk = 2 * gib;  // what the cache may take

std::string gib_text(std::uintmax_t bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(gib));
}

/// A line of /proc/meminfo, in bytes.
std::optional<std::uintmax_t> memory(const std::string& wanted) {
    std::ifstream file{"/proc/meminfo"};
    std::string name;
    std::uintmax_t kilobytes = 0;
    for (std::string rest; file >> name >> kilobytes && std::getline(file, rest);) {
        if (name == wanted + ":") {
            return kilobytes * 1024;
        }
    }
    return std::nullopt;
}

bool has_display() {
    const auto set = [](const char* variable) {
        const char* value = std::getenv(variable);
        return value != nullptr && *value != '\0';
    };
    return set("DISPLAY") || set("WAYLAND_DISPLAY") || set("SDL_VIDEODRIVER");
}

}  // namespace

Finding check_cache() {
    Finding result{.subject = "cache", .found = {}, .advice = {}};
    try {
        result.found = toolchain::cache_folder().string();
        if (const char* const set = std::getenv("XDG_CACHE_HOME");
            set != nullptr && toolchain::has_private_cache()) {
            throw UserError{"{}: nothing can be kept there", set};
        }
        const fs::path file = toolchain::made_cache_folder("doctor") / toolchain::writer_tag();
        toolchain::write_whole(file, "written by ascendsim doctor\n");
        fs::remove(file);
        std::error_code used_by_another;
        fs::remove(file.parent_path(), used_by_another);
    } catch (const UserError& error) {
        result.state = State::missing;
        result.found = error.what();
        result.advice = "set XDG_CACHE_HOME to a folder that you can write to";
        return result;
    }
    std::uintmax_t bytes = 0;
    for (const toolchain::CachePart& part : toolchain::cache_parts()) {
        bytes += part.bytes;
    }
    result.found += fmt::format(": {} of at most {}", gib_text(bytes), gib_text(toolchain::cache_bound));
    return result;
}

Finding check_disk() {
    Finding result{.subject = "disk", .found = {}, .advice = {}};
    fs::path folder;
    try {
        folder = toolchain::cache_folder();
    } catch (const UserError& wrong) {
        result.state = State::missing;
        result.found = wrong.what();
        return result;
    }
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path()) {
        folder = folder.parent_path();
    }
    const fs::space_info space = fs::space(folder, error);
    if (error) {
        result.state = State::warning;
        result.found = fmt::format("{}: {}", folder.string(), error.message());
        result.advice = "set XDG_CACHE_HOME to a folder on a disk with room";
        return result;
    }
    result.found = fmt::format("{} free for the cache", gib_text(space.available));
    if (space.available < least_disk) {
        result.state = State::warning;
        result.advice = fmt::format("the cache may take {}: 'ascendsim cache --clear', or set XDG_CACHE_HOME",
                                    gib_text(least_disk));
    }
    return result;
}

Finding check_memory() {
    Finding result{.subject = "memory", .found = {}, .advice = {}};
    const std::optional<std::uintmax_t> available = memory("MemAvailable");
    if (!available) {
        result.state = State::warning;
        result.found = "/proc/meminfo does not say how much is free";
        result.advice = "mount /proc";
        return result;
    }
    result.found =
        fmt::format("{} of {} free", gib_text(*available), gib_text(memory("MemTotal").value_or(*available)));
    if (*available < least_memory) {
        result.state = State::warning;
        result.advice = fmt::format("compiling takes up to {} for each processor", gib_text(least_memory));
    }
    return result;
}

Finding check_processors() {
    return {.subject = "processors",
            .found = fmt::format("{} to run on", std::thread::hardware_concurrency()),
            .advice = {}};
}

Finding check_dashboard(const fs::path& program) {
    Finding result{.subject = "dashboard", .state = State::warning, .found = {}, .advice = {}};
    const fs::path dashboard = program.parent_path() / "ascendsim-gui";
    if (access(dashboard.c_str(), X_OK) != 0) {
        result.found = dashboard.string() + ": not there";
        result.advice = "build AscendSim where SDL2, OpenGL, Dear ImGui, libpng and FreeType are installed";
        return result;
    }
    if (const Answer starts = ask({dashboard.string(), "--version"}); !starts.good) {
        result.found = fmt::format("does not start: {}", telling_line(starts.output));
        result.advice = "install the library it names";
        return result;
    }
    if (!has_display()) {
        result.found = "no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
        result.advice =
            "pictures are made without one ('ascendsim-gui RUN --headless --shot FILE.png'); for a window "
            "log in to a desktop, or with ssh -X";
        return result;
    }
    const Answer window = ask({"timeout", "20", dashboard.string(), "--frames", "1"});
    if (!window.good) {
        result.found = fmt::format("opens no window: {}", telling_line(window.output));
        result.advice = "check DISPLAY or WAYLAND_DISPLAY, and that you may use that display";
        return result;
    }
    result.state = State::good;
    result.found = "opens a window";
    return result;
}

}  // namespace ascendsim::doctor
