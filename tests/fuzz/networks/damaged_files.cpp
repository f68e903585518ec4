// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/networks/damaged_files.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "models/spec/chip_file.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/run/control_flow.hpp"
#include "networks/run/network_plan.hpp"
#include "networks/run/wide_ranges.hpp"
#include "runtime/session/isolated.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::fuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t together = 50;  // cases of a process

std::string content_of(const fs::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

/// A case: a file, and what happens to it.
struct DamagedCase {
    fs::path file;
    std::uint32_t seed = 0;
};

std::string damaged(std::string bytes, std::uint32_t seed) {
    std::mt19937 random{seed};
    const auto below = [&random](std::size_t n) {
        return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
    };
    for (std::size_t i = below(2) == 0 ? 1 : 1 + below(6); i > 0 && !bytes.empty(); --i) {
        const std::size_t at = below(bytes.size());
        const std::size_t length = std::min(1 + below(24), bytes.size() - at);
        switch (below(6)) {
            case 0:
                bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(random());
                break;
            case 2:
                bytes.erase(at, length);
                break;
            case 3:
                bytes.insert(at, bytes.substr(below(bytes.size()), length));
                break;
            case 4:
                bytes[at] = static_cast<char>(below(2) == 0 ? 0xFF : 0);
                break;
            default:  // every twelfth is cut off
                bytes.resize(below(2) == 0            ? bytes.size()
                             : at + 1 == bytes.size() ? at
                                                      : std::max(at, bytes.size() / 2));
        }
    }
    return bytes;
}

/// True if the network was read and lowered, false if a sentence refused it.
bool is_read(const DamagedCase& one, const ChipSpec& chip) {
    const fs::path file =
        fs::temp_directory_path() / fmt::format("damaged_{}{}", getpid(), one.file.extension().string());
    std::ofstream{file, std::ios::binary} << damaged(content_of(one.file), one.seed);
    bool read = true;
    try {
        networks::Graph graph = networks::read_onnx(file);
        const auto shapes = networks::bind_inputs(graph, {}, 1);
        const networks::Lowering lowering{.chip = chip};
        graph = networks::with_known_control_flow(graph, shapes, lowering);
        graph = networks::with_wide_ranges(std::move(graph), shapes, lowering);
        static_cast<void>(networks::plan_network(graph, shapes, lowering));
    } catch (const UserError&) {
        read = false;
    }
    std::error_code error;
    fs::remove(file, error);
    return read;
}

ordered_json run_cases(const std::vector<DamagedCase>& cases, const ChipSpec& chip) {
    std::size_t read = 0;
    for (const DamagedCase& one : cases) {
        read += is_read(one, chip) ? 1U : 0U;
    }
    return {{"read", read}, {"refused", cases.size() - read}};
}

}  // namespace

std::vector<fs::path> network_files(const std::vector<fs::path>& folders) {
    std::vector<fs::path> files;
    for (const fs::path& folder : folders) {
        for (const auto& entry : fs::recursive_directory_iterator{folder}) {
            const std::string suffix = entry.path().extension().string();
            if (entry.is_regular_file() && (suffix == ".onnx" || suffix == ".onnxtxt")) {
                files.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

DamagedOutcome run_damaged(const std::vector<fs::path>& files,
                           std::size_t count,
                           std::uint32_t seed,
                           std::size_t jobs) {
    DamagedOutcome outcome;
    if (files.empty()) {
        return outcome;
    }
    const ChipSpec chip = load_chip("910b3", toolchain::Installation::find().chips());
    std::vector<DamagedCase> cases;
    for (std::size_t i = 0; i < count; ++i) {
        cases.push_back({files[(seed + i * 7919) % files.size()], seed + static_cast<std::uint32_t>(i)});
    }
    std::vector<std::vector<DamagedCase>> batches;
    for (std::size_t at = 0; at < cases.size(); at += together) {
        const auto first = cases.begin() + static_cast<std::ptrdiff_t>(at);
        batches.emplace_back(first,
                             first + static_cast<std::ptrdiff_t>(std::min(together, cases.size() - at)));
    }
    const runtime::IsolatedLimits limits{.time = std::chrono::seconds{60}, .memory = std::uint64_t{4} << 30U};
    for (bool apart = false; !batches.empty(); apart = true) {
        std::vector<std::function<ordered_json()>> works;
        for (const auto& batch : batches) {
            works.emplace_back([&batch, &chip] { return run_cases(batch, chip); });
        }
        const auto results = runtime::run_isolated(works, jobs, {}, limits);
        std::vector<std::vector<DamagedCase>> again;
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].error.empty()) {
                outcome.files += batches[i].size();
                outcome.read += results[i].value["read"].get<std::size_t>();
                outcome.refused += results[i].value["refused"].get<std::size_t>();
            } else if (apart) {
                ++outcome.files;
                outcome.crashes.push_back(fmt::format(
                    "{}, seed {}: {}", batches[i][0].file.string(), batches[i][0].seed, results[i].error));
            } else {
                for (const DamagedCase& one : batches[i]) {
                    again.push_back({one});
                }
            }
        }
        batches = std::move(again);
    }
    return outcome;
}

}  // namespace ascendsim::fuzz
