// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/programs.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "toolchain/build/shipped_kernel.hpp"
#include "toolchain/scan/core_scan.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim {
using host::Pass;

std::string skipped_work(const Scenario& scenario, const host::Plan& plan) {
    const auto on_vector_cores = [](const host::Launch& launch) { return launch.cores == CoreUse::aiv; };
    if (!scenario.user || !scenario.chip.spec.cores.split ||
        !std::ranges::all_of(plan.launches, on_vector_cores) ||
        !host::cores_by_calls(host::text_of(scenario.user->source))) {
        return {};
    }
    return "The source has cube work (Mmad, Fixpipe), which vector cores skip: give [launch] cores = "
           "\"aic\", \"mix_1_1\" or "
           "\"mix_1_2\".";
}

Programs::Programs(const Scenario& scenario, const host::Plan& plan, const host::Installation& installation)
    : scenario_{scenario}, plan_{plan}, installation_{installation} {
    const bool coupled = !scenario.chip.spec.cores.split;
    for (const host::Launch& launch : plan.launches) {
        Pair pair;
        if (coupled) {
            pair.vector = &load(launch, Pass::coupled);
        } else {
            pair.vector = launch.cores == CoreUse::aic ? nullptr : &load(launch, Pass::aiv);
            pair.cube = launch.cores == CoreUse::aiv ? nullptr : &load(launch, Pass::aic);
        }
        pairs_.push_back(pair);
    }
}

const host::Entry& Programs::load(const host::Launch& launch, Pass pass) {
    const std::string kernel = launch.kernel.empty() ? scenario_.kernel : launch.kernel;
    const std::filesystem::path file = plugin_file(kernel, pass);
    std::unique_ptr<host::DevicePlugin>& plugin = plugins_[file];
    if (!plugin) {
        plugin = std::make_unique<host::DevicePlugin>(file);
    }
    const host::Entry& entry = plugin->entry(launch.entry);
    host::check_arguments(launch, entry);
    return entry;
}

std::filesystem::path Programs::plugin_file(const std::string& kernel, Pass pass) {
    if (kernel.empty()) {
        std::vector<std::string> entries;
        for (const host::Launch& launch : plan_.launches) {
            if (launch.kernel.empty() && std::ranges::find(entries, launch.entry) == entries.end()) {
                entries.push_back(launch.entry);
            }
        }
        const UserKernel& user = *scenario_.user;
        return compiled({.source = user.source,
                         .more_sources = user.more_sources,
                         .pass = pass,
                         .entries = std::move(entries),
                         .flags = user.flags});
    }
    return host::shipped_plugin(
        kernel, pass, scenario_.chip.spec.arch, {.launcher = {}, .installation = installation_});
}

std::filesystem::path Programs::compiled(host::Compilation what) const {
    const std::string& arch = scenario_.chip.spec.arch;
    what.arch = arch.empty() ? std::string{"2201"} : arch;
    return host::compile_cached(what, {.launcher = {}, .installation = installation_});
}

std::vector<std::string> Programs::files() const {
    std::vector<std::string> result;
    for (const auto& [file, plugin] : plugins_) {
        result.push_back(file.string());
    }
    return result;
}

const host::KernelHost& open_kernel(const std::string& name,
                                    const std::string& place,
                                    const host::Installation& installation) {
    const std::vector<std::string> known = installation.kernels();
    if (std::ranges::find(known, name) == known.end()) {
        throw UserError{"{}: scenario.kernel: '{}' is no kernel{} (known: {})",
                        place,
                        name,
                        nearest_hint(name, known),
                        fmt::join(known, ", ")};
    }
    return host::load_kernel_host(
        host::shipped_plugin(name, Pass::host, {}, {.launcher = {}, .installation = installation}));
}

}  // namespace ascendsim
