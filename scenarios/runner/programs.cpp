// SPDX-License-Identifier: Apache-2.0
#include "scenarios/runner/programs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/ranges.h>

#include "kernels/host/core_scan.hpp"
#include "kernels/host/entry_scan.hpp"
#include "kernels/host/source_text.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using CoreUse;
using host::Pass;

/// Functions of an in-tree source that can be called as they are.
std::vector<std::string> callable_entries(const std::filesystem::path& source) {
    std::ifstream stream{source};
    const std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    std::vector<std::string> names;
    for (const host::ScannedEntry& entry : host::scan_entries(text)) {
        if (!entry.is_template) {
            names.push_back(entry.name);
        }
    }
    return names;
}

}  // namespace

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
    if (pass != Pass::coupled) {
        return installation_.plugins() / fmt::format("{}.{}.so", kernel, name(pass));
    }
    const std::filesystem::path source = installation_.kernel_source(kernel);
    return compiled({.source = source, .pass = pass, .entries = callable_entries(source), .flags = {}});
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
    return host::load_kernel_host(installation.plugins() / (name + ".host.so"));
}

}  // namespace ascendsim
