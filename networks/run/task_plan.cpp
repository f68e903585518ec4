// SPDX-License-Identifier: Apache-2.0
#include "networks/run/task_plan.hpp"

#include <filesystem>

#include "runtime/launches/plan_functions.hpp"
#include "sim/process/digest.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"

namespace ascendsim::networks {
namespace {

namespace fs = std::filesystem;

runtime::PlannedRun generated(const Task& task, const ChipSpec& chip) {
    loops::Kernel kernel = loops::generate(*task.loop, chip, task.tiling);
    const fs::path file = toolchain::made_cache_folder("generated") / source_name(kernel);
    if (std::error_code error; !fs::exists(file, error)) {
        toolchain::write_whole(file, kernel.source);
    }
    toolchain::mark_used(file);
    return {.kernel = {},
            .source = runtime::KernelSource{.source = file, .more_sources = {}, .flags = {}},
            .plan = std::move(kernel.plan),
            .outputs = {},
            .argument_bytes = {}};
}

}  // namespace

std::string source_name(const loops::Kernel& kernel) {
    process::Digest digest;
    digest.add(kernel.source);
    return fmt::format("{}_{}.cpp", kernel.entry, digest.hex().substr(0, 16));
}

runtime::PlannedRun planned(const Task& task,
                            const ChipSpec& chip,
                            const toolchain::Installation& installation) {
    if (task.loop != nullptr) {
        return generated(task, chip);
    }
    const host::KernelHost& kernel = runtime::open_kernel(task.kernel, "kernel", installation);
    host::Knobs knobs{kernel.knobs()};
    for (const auto& [name, value] : task.knobs) {
        knobs.set(name, value, task.kernel);
    }
    return {.kernel = task.kernel,
            .source = {},
            .plan = kernel.plan(knobs, chip),
            .outputs = {},
            .argument_bytes = {}};
}

}  // namespace ascendsim::networks
