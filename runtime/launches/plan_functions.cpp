// SPDX-License-Identifier: Apache-2.0
#include "runtime/launches/plan_functions.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"
#include "toolchain/build/shipped_kernel.hpp"
#include "toolchain/build/warnings.hpp"
#include "toolchain/scan/core_scan.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::runtime {

using toolchain::Pass;

std::string skipped_work(const PlannedRun& run, const ChipSpec& chip) {
    const auto on_vector_cores = [](const host::Launch& launch) { return launch.cores == CoreUse::aiv; };
    if (!run.source || !chip.cores.split || !std::ranges::all_of(run.plan.launches, on_vector_cores)) {
        return {};
    }
    const std::string text = process::text_of(run.source->source);
    const bool cube = std::ranges::any_of(run.plan.launches, [&](const host::Launch& launch) {
        return toolchain::cores_by_calls(text, launch.entry).has_value();
    });
    if (!cube) {
        return {};
    }
    return "The source has cube work (Mmad, Fixpipe), which vector cores skip: give [launch] cores = "
           "\"aic\", \"mix_1_1\" or \"mix_1_2\".";
}

PlanFunctions::PlanFunctions(const PlannedRun& run,
                             const ChipSpec& chip,
                             const toolchain::Installation& installation)
    : run_{run}, chip_{chip}, installation_{installation} {
    compile();
    keep_outputs_writable();
    process::close_sandbox();
    for (const host::Launch& launch : run.plan.launches) {
        Pair pair;
        if (!chip.cores.split) {
            pair.vector = &load(launch, Pass::coupled);
        } else {
            pair.vector = launch.cores == CoreUse::aic ? nullptr : &load(launch, Pass::aiv);
            pair.cube = launch.cores == CoreUse::aiv ? nullptr : &load(launch, Pass::aic);
        }
        pairs_.push_back(pair);
    }
}

void PlanFunctions::compile() {
    for (const host::Launch& launch : run_.plan.launches) {
        const std::string kernel = launch.kernel.empty() ? run_.kernel : launch.kernel;
        const std::vector<Pass> passes = !chip_.cores.split             ? std::vector{Pass::coupled}
                                         : launch.cores == CoreUse::aic ? std::vector{Pass::aic}
                                         : launch.cores == CoreUse::aiv ? std::vector{Pass::aiv}
                                                                        : std::vector{Pass::aiv, Pass::aic};
        for (const Pass pass : passes) {
            std::filesystem::path& file = plugin_files_[{kernel, pass}];
            if (file.empty()) {
                file = plugin_file(kernel, pass);
            }
        }
    }
}

/// In a sandbox nothing that is of another kind is overwritten, whatever a scenario calls it.
void PlanFunctions::keep_outputs_writable() const {
    for (const OutputFile& output : run_.outputs) {
        if (process::in_sandbox() && output.file.extension() != ".npy") {
            throw UserError{"{}: output '{}': in a sandbox an output's file ends in .npy",
                            output.file.string(),
                            output.buffer};
        }
        process::keep_writable(output.file);
    }
}

const isa::Entry& PlanFunctions::load(const host::Launch& launch, Pass pass) {
    const std::string kernel = launch.kernel.empty() ? run_.kernel : launch.kernel;
    const std::filesystem::path& file = plugin_files_.at({kernel, pass});
    std::unique_ptr<host::DevicePlugin>& plugin = plugins_[file];
    if (!plugin) {
        plugin = std::make_unique<host::DevicePlugin>(file);
    }
    const isa::Entry& entry = plugin->entry(launch.entry);
    host::check_arguments(launch, entry);
    return entry;
}

std::filesystem::path PlanFunctions::plugin_file(const std::string& kernel, Pass pass) const {
    const toolchain::Toolchain toolchain{.installation = installation_};
    if (!kernel.empty()) {
        return toolchain::shipped_plugin(kernel, pass, chip_.arch, toolchain);
    }
    toolchain::Compilation what{.source = run_.source->source,
                                .more_sources = run_.source->more_sources,
                                .pass = pass,
                                .arch = chip_.arch.empty() ? std::string{"2201"} : chip_.arch,
                                .entries = {},
                                .flags = run_.source->flags};
    for (const host::Launch& launch : run_.plan.launches) {
        if (launch.kernel.empty() && std::ranges::find(what.entries, launch.entry) == what.entries.end()) {
            what.entries.push_back(launch.entry);
        }
    }
    return toolchain::compile_cached(what, toolchain);
}

std::vector<std::string> PlanFunctions::files() const {
    std::vector<std::string> result;
    for (const auto& [file, plugin] : plugins_) {
        result.push_back(file.string());
    }
    return result;
}

std::vector<std::string> PlanFunctions::warnings() const {
    std::vector<std::string> result;
    for (const auto& [file, plugin] : plugins_) {
        toolchain::add_warnings(result, toolchain::warnings_of(file));
    }
    return result;
}

const host::KernelHost& open_kernel(const std::string& name,
                                    const std::string& place,
                                    const toolchain::Installation& installation) {
    const std::vector<std::string> known = installation.kernels();
    if (std::ranges::find(known, name) == known.end()) {
        throw UserError{"{}: '{}' is no kernel{} (known: {})",
                        place,
                        name,
                        nearest_hint(name, known),
                        fmt::join(known, ", ")};
    }
    return host::load_kernel_host(
        toolchain::shipped_plugin(name, Pass::host, {}, {.installation = installation}));
}

}  // namespace ascendsim::runtime
