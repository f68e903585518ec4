// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli/run_outputs.hpp"

#include <cstdio>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "kernels/host/installation.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

fs::path made(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw UserError{"{}: cannot be created: {}", folder.string(), error.message()};
    }
    return folder;
}

/// `name` as given for one run; among several each gets its label: out.json becomes out-fused.json.
fs::path of_run(const std::string& name, const RunPlace& place) {
    if (place.count == 1) {
        return name;
    }
    const fs::path path{name};
    return path.parent_path() /
           fmt::format("{}-{}{}", path.stem().string(), place.label, path.extension().string());
}

}  // namespace

RecordingPlace recording_place(const OutputChoice& choice, const RunPlace& place) {
    if (!choice.recording.empty()) {
        const fs::path file = of_run(choice.recording, place);
        return {file, file};
    }
    if (!choice.folder.empty()) {
        const fs::path file = made(choice.folder) / (place.label + ".rec");
        return {file, file};
    }
    const fs::path folder = made(host::cache_folder() / "runs");
    return {folder / fmt::format("{}.{}.rec", place.label, getpid()), folder / (place.label + ".rec")};
}

void write_outputs(const OutputChoice& choice, const RunPlace& place, const RunResult& result) {
    static_cast<void>(place);
    if (!result.error.empty()) {
        fmt::print(stderr, "ascendsim: {}\n", result.error);
    }
    if (choice.report()) {
        fmt::print("{}\n", result.json.dump(2));
        fmt::print("recording  {}\n", result.recording.string());
    }
}

void write_json(const OutputChoice& choice, const nlohmann::ordered_json& json) {
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (choice.json == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return;
    }
    if (!choice.json.empty()) {
        std::ofstream stream{choice.json};
        stream << text;
        stream.flush();
        if (!stream) {
            throw UserError{"{}: cannot be written", choice.json};
        }
    }
}

}  // namespace ascendsim::cli
