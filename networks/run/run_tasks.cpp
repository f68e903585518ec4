// SPDX-License-Identifier: Apache-2.0
#include "networks/run/run_tasks.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include <link.h>
#include <unistd.h>

#include "models/spec/chip_file.hpp"
#include "networks/run/task_plan.hpp"
#include "runtime/session/isolated.hpp"
#include "runtime/session/session.hpp"
#include "sim/process/digest.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::networks {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr double ns_a_us = 1000;

void add_file(process::Digest& digest, const fs::path& file) {
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    const auto changed = fs::last_write_time(file, error);
    digest.add(fmt::format("{} {} {}", file.string(), bytes, changed.time_since_epoch().count()));
}

}  // namespace

std::string simulator_key(const toolchain::Installation& installation) {
    process::Digest digest;
    std::error_code error;
    add_file(digest, fs::read_symlink("/proc/self/exe", error));
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* to) {
            if (library->dlpi_name != nullptr && *library->dlpi_name == '/') {
                add_file(*static_cast<process::Digest*>(to), library->dlpi_name);
            }
            return 0;
        },
        &digest);
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator{installation.root / "kernels", error}) {
        if (entry.is_regular_file(error)) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        add_file(digest, file);
    }
    return digest.hex();
}

std::string task_key(const Task& task, const ChipSpec& chip, const std::string& surroundings) {
    process::Digest digest;
    digest.add(surroundings);
    digest.add(task.kernel);
    digest.add(fmt::format("{}", task.lines_a_dirty_one));
    for (const auto& [name, value] : task.knobs) {
        digest.add(name);
        digest.add(host::text(value));
    }
    if (task.loop != nullptr) {
        const loops::Kernel kernel = loops::generate(*task.loop, chip, task.tiling);
        digest.add(kernel.source);
        digest.add(kernel.scenario);  // sizes, and the tiling
    }
    return digest.hex();
}

runtime::RunRequest timing_request(const Task& task,
                                   const ChipSpec& chip,
                                   const toolchain::Installation& installation,
                                   runtime::L2State l2) {
    runtime::RunRequest request{.chip = chip, .work = {}, .options = {}};
    request.options.functional = false;
    request.options.sanitize = false;
    request.options.l2 = l2;
    request.options.l2_lines_a_dirty_one = task.lines_a_dirty_one;
    request.work = planned(task, chip, installation);
    return request;
}

ordered_json to_json(const TaskResult& result) {
    return {{"problem", result.problem},
            {"time_us", result.time_us},
            {"core_us", result.core_us},
            {"head_us", result.head_us},
            {"flops", result.flops},
            {"moved_bytes", result.moved_bytes},
            {"hbm_read_bytes", result.hbm_read_bytes},
            {"hbm_write_bytes", result.hbm_write_bytes},
            {"least_bytes", result.least_bytes},
            {"cube_cycles", result.cube_cycles},
            {"vector_cycles", result.vector_cycles},
            {"scalar_cycles", result.scalar_cycles},
            {"busiest", result.busiest},
            {"busy_share", result.busy_share},
            {"work_type", result.work_type},
            {"blocks", result.blocks},
            {"instructions", result.instructions},
            {"key", result.key}};
}

TaskResult task_result_of(const json& result) {
    return {.problem = result.at("problem"),
            .error = {},
            .time_us = result.at("time_us"),
            .core_us = result.at("core_us"),
            .head_us = result.at("head_us"),
            .flops = result.at("flops"),
            .moved_bytes = result.at("moved_bytes"),
            .hbm_read_bytes = result.at("hbm_read_bytes"),
            .hbm_write_bytes = result.at("hbm_write_bytes"),
            .least_bytes = result.at("least_bytes"),
            .cube_cycles = result.at("cube_cycles"),
            .vector_cycles = result.at("vector_cycles"),
            .scalar_cycles = result.at("scalar_cycles"),
            .busiest = result.at("busiest"),
            .busy_share = result.at("busy_share"),
            .work_type = result.at("work_type"),
            .blocks = result.at("blocks"),
            .instructions = result.at("instructions"),
            .key = result.value("key", std::string{})};
}

namespace {

/// The pipe that the cores spend most of their time on.
void note_busiest(const json& lanes, double core_cycles, ordered_json& result) {
    double most = 0;
    double moved = 0;
    double read = 0;
    double written = 0;
    for (const auto& [name, lane] : lanes.items()) {
        const double busy = lane["busy_cycles"].get<double>() / std::max(1.0, lane["cores"].get<double>());
        moved += lane["moved_bytes"].get<double>();
        read += lane["hbm_read_bytes"].get<double>();
        written += lane["hbm_write_bytes"].get<double>();
        for (const char* unit : {"cube", "vector", "scalar"}) {
            if (name.ends_with(std::string{"_"} + unit)) {
                ordered_json& cycles = result[std::string{unit} + "_cycles"];
                cycles = cycles.get<double>() + lane["busy_cycles"].get<double>();
            }
        }
        if (busy > most) {
            most = busy;
            result["busiest"] = name;
        }
    }
    result["busy_share"] = core_cycles > 0 ? std::min(1.0, most / core_cycles) : 0;
    result["moved_bytes"] = moved;
    result["hbm_read_bytes"] = read;
    result["hbm_write_bytes"] = written;
}

std::string work_type(const host::Plan& plan) {
    const CoreUse use = plan.launches.empty() ? CoreUse::aiv : plan.launches.front().cores;
    return use == CoreUse::aiv ? "AI_VECTOR_CORE" : use == CoreUse::aic ? "AI_CORE" : "MIX_AIC";
}

/// In the task's own process. An empty `recording` keeps none.
ordered_json simulate(const Task& task,
                      const ChipSpec& chip,
                      const toolchain::Installation& installation,
                      runtime::L2State l2,
                      const fs::path& recording = {}) {
    dup2(STDERR_FILENO, STDOUT_FILENO);  // the report has standard output to itself
    const runtime::RunRequest request = timing_request(task, chip, installation, l2);
    const host::Plan& plan = std::get<runtime::PlannedRun>(request.work).plan;
    runtime::SessionProgress progress;
    const runtime::SessionOutcome outcome = runtime::run_session(request, installation, recording, progress);
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    double core_cycles = 0;
    double head_cycles = 0;
    for (const json& launch : outcome.totals["launches"]) {
        core_cycles += launch["cores_end"].get<double>() - launch["first_core"].get<double>();
        head_cycles += launch["first_core"].get<double>() - launch["start"].get<double>();
    }
    ordered_json result{{"problem", plan.problem},
                        {"time_us", outcome.totals["time_us"]},
                        {"core_us", core_cycles / chip.cores.clock_ghz / ns_a_us},
                        {"head_us", head_cycles / chip.cores.clock_ghz / ns_a_us},
                        {"flops", plan.work.flops()},
                        {"least_bytes", plan.work.gm_bytes},
                        {"cube_cycles", 0.0},
                        {"vector_cycles", 0.0},
                        {"scalar_cycles", 0.0},
                        {"busiest", ""},
                        {"work_type", work_type(plan)},
                        {"blocks", plan.launches.empty() ? 0 : plan.launches.front().blocks},
                        {"instructions", outcome.instructions}};
    note_busiest(outcome.totals["lanes"], core_cycles, result);
    return result;
}

/// What the cache holds of a key; nothing if that is damaged.
bool known_result(const fs::path& file, TaskResult& result) {
    std::ifstream stream{file};
    const json kept = json::parse(stream, nullptr, false);
    try {
        result = task_result_of(kept);
    } catch (const json::exception&) {
        return false;
    }
    toolchain::mark_used(file);
    return true;
}

/// What a result depends on besides its task.
std::string surroundings_of(const ChipSpec& chip,
                            const toolchain::Installation& installation,
                            const TaskOptions& options) {
    return simulator_key(installation) + to_json(chip).dump() + std::string{runtime::name(options.l2)};
}

}  // namespace

std::vector<TaskResult> run_tasks(const std::vector<Task>& tasks,
                                  const ChipSpec& chip,
                                  const toolchain::Installation& installation,
                                  const TaskOptions& options) {
    const std::string surroundings = surroundings_of(chip, installation, options);
    const fs::path folder = toolchain::made_cache_folder("tasks");
    std::map<std::string, TaskResult> results;
    std::vector<std::string> keys;
    std::vector<std::string> missing;
    std::vector<std::function<ordered_json()>> works;
    for (const Task& task : tasks) {
        if (task.on_host) {
            keys.emplace_back();  // of a result without time
            results.try_emplace(keys.back());
            continue;
        }
        keys.push_back(task_key(task, chip, surroundings));
        const auto [result, is_new] = results.try_emplace(keys.back());
        if (is_new && !known_result(folder / (keys.back() + ".json"), result->second)) {
            missing.push_back(keys.back());
            // kept at once, so that a run which is broken off has not worked for nothing
            works.emplace_back(
                [&task, &chip, &installation, l2 = options.l2, file = folder / (keys.back() + ".json")] {
                    ordered_json value = simulate(task, chip, installation, l2);
                    toolchain::write_whole(file, value.dump());
                    return value;
                });
        }
    }
    std::size_t done = 0;
    const auto ended = [&](std::size_t) {
        if (options.progress) {
            options.progress(++done, works.size());
        }
    };
    const std::vector<runtime::IsolatedResult> isolated = runtime::run_isolated(works, options.jobs, ended);
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (!isolated[i].error.empty()) {
            results[missing[i]].error = isolated[i].error;
            continue;
        }
        results[missing[i]] = task_result_of(isolated[i].value);
    }
    std::vector<TaskResult> all;
    for (const std::string& key : keys) {
        all.push_back(results[key]);
        all.back().key = key;
    }
    return all;
}

std::vector<fs::path> record_tasks(const std::vector<Task>& tasks,
                                   const ChipSpec& chip,
                                   const toolchain::Installation& installation,
                                   const TaskOptions& options) {
    const std::string surroundings = surroundings_of(chip, installation, options);
    const fs::path folder = toolchain::made_cache_folder("tasks");
    std::vector<fs::path> files;
    std::vector<fs::path> missing;
    std::vector<std::function<ordered_json()>> works;
    for (const Task& task : tasks) {
        files.emplace_back();
        if (task.on_host) {
            continue;
        }
        files.back() = folder / (task_key(task, chip, surroundings) + ".rec");
        if (std::error_code error; fs::exists(files.back(), error)) {
            toolchain::mark_used(files.back());
        } else if (std::ranges::find(missing, files.back()) == missing.end()) {
            missing.push_back(files.back());
            works.emplace_back([&task, &chip, &installation, l2 = options.l2, file = files.back()] {
                const fs::path fresh = fmt::format("{}.{}", file.string(), toolchain::writer_tag());
                const ordered_json result = simulate(task, chip, installation, l2, fresh);
                toolchain::put_in_place(fresh, file);
                return result;
            });
        }
    }
    std::size_t done = 0;
    const auto ended = [&](std::size_t) {
        if (options.progress) {
            options.progress(++done, works.size());
        }
    };
    const std::vector<runtime::IsolatedResult> isolated = runtime::run_isolated(works, options.jobs, ended);
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (!isolated[i].error.empty()) {
            std::ranges::replace(files, missing[i], fs::path{});
        }
    }
    return files;
}

}  // namespace ascendsim::networks
