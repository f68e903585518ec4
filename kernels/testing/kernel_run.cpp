// SPDX-License-Identifier: Apache-2.0
#include "kernels/testing/kernel_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/plan/content.hpp"
#include "kernels/plan/plugin.hpp"
#include "models/sanitize/checker.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/record/recorder.hpp"
#include "toolchain/build/shipped_kernel.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::testing {
namespace {

namespace fs = std::filesystem;

host::Plan make_plan(const std::string& kernel,
                     const Settings& settings,
                     const ChipSpec& chip,
                     const toolchain::Installation& installation) {
    const host::KernelHost& host = host::load_kernel_host(
        toolchain::shipped_plugin(kernel, toolchain::Pass::host, {}, {.installation = installation}));
    host::Knobs knobs{host.knobs()};
    for (const auto& [name, value] : settings) {
        knobs.set_text(name, value);
    }
    return host.plan(knobs, chip);
}

/// The plug-ins of the kernels that a plan launches.
class Plugins {
public:
    /// With a source, that is what kernels without a name are compiled from.
    Plugins(const ChipSpec& chip, const toolchain::Installation& installation, fs::path source = {})
        : chip_{chip}, installation_{installation}, source_{std::move(source)} {}

    const isa::Entry& entry(const std::string& kernel, const std::string& name, bool cube) {
        const toolchain::Pass pass = !chip_.cores.split ? toolchain::Pass::coupled
                                     : cube             ? toolchain::Pass::aic
                                                        : toolchain::Pass::aiv;
        std::unique_ptr<host::DevicePlugin>& plugin = plugins_[{kernel, pass}];
        if (plugin == nullptr) {
            plugin = std::make_unique<host::DevicePlugin>(
                kernel.empty()
                    ? compiled(name, pass)
                    : toolchain::shipped_plugin(kernel, pass, chip_.arch, {.installation = installation_}));
        }
        return plugin->entry(name);
    }

private:
    fs::path compiled(const std::string& entry, toolchain::Pass pass) const {
        return toolchain::compile_cached(
            {.source = source_, .pass = pass, .arch = chip_.arch, .entries = {entry}, .flags = {}},
            {.installation = installation_});
    }

    const ChipSpec& chip_;
    const toolchain::Installation& installation_;
    fs::path source_;
    std::map<std::pair<std::string, toolchain::Pass>, std::unique_ptr<host::DevicePlugin>> plugins_;
};

using Bytes = std::vector<std::byte>;

/// Global memory as a plan wants it: where each buffer is, and what was in it before the run.
class Content {
public:
    Content(const host::Plan& plan, Machine& machine, const KernelRunOptions& options) {
        for (const host::Buffer& buffer : plan.buffers) {
            std::byte* at = machine.memory().allocate(buffer.name, buffer.bytes(), buffer.control);
            at_[buffer.name] = at;
            if (options.functional || buffer.control) {
                Bytes& before = before_[buffer.name];
                before.resize(buffer.bytes());
                host::write_content(buffer, options.seed, before);
                std::ranges::copy(before, at);
            }
        }
    }

    [[nodiscard]] std::byte* at(const std::string& name) const { return at_.at(name); }

    [[nodiscard]] std::span<const std::byte> before(const std::string& name) const {
        return before_.at(name);
    }

private:
    std::map<std::string, std::byte*> at_;
    std::map<std::string, Bytes> before_;
};

/// A call of a kernel function, its arguments kept by value.
class Call {
public:
    Call(const isa::Entry& entry, const host::Launch& launch, const Content& content)
        : invoke_{entry.invoke} {
        host::check_arguments(launch, entry);
        for (const host::Argument& argument : launch.arguments) {
            Bytes value = argument.value;
            if (!argument.buffer.empty()) {
                const std::byte* address = content.at(argument.buffer) + argument.offset;
                value.resize(sizeof address);
                std::memcpy(value.data(), static_cast<const void*>(&address), sizeof address);
            }
            values_.push_back(std::move(value));
        }
    }

    void operator()() const {
        std::vector<Bytes> values = values_;
        std::vector<void*> arguments;
        std::ranges::transform(values, std::back_inserter(arguments), [](Bytes& bytes) {
            return static_cast<void*>(bytes.data());
        });
        invoke_(arguments.data());
    }

private:
    void (*invoke_)(void**);
    std::vector<Bytes> values_;
};

Launch machine_launch(const host::Launch& launch,
                      const std::string& kernel,
                      Plugins& plugins,
                      const Content& content,
                      const ChipSpec& chip) {
    const std::string& of = launch.kernel.empty() ? kernel : launch.kernel;
    Launch result{.name = launch.label.empty() ? launch.entry : launch.label,
                  .kind = launch.cores,
                  .blocks = launch.blocks};
    if (launch.cores != CoreUse::aic || !chip.cores.split) {
        result.vector_program = Call{plugins.entry(of, launch.entry, false), launch, content};
    }
    if (launch.cores != CoreUse::aiv && chip.cores.split) {
        result.cube_program = Call{plugins.entry(of, launch.entry, true), launch, content};
    }
    return result;
}

/// Outputs and workspace hold nothing that a kernel may read before it writes.
void declare_unwritten(sanitize::Checker& checker,
                       const host::Plan& plan,
                       Machine& machine,
                       const Content& content) {
    for (const host::Buffer& buffer : plan.buffers) {
        if (buffer.role == host::Role::output) {
            checker.declare_unwritten(machine.memory().offset_of(content.at(buffer.name)), buffer.bytes());
        }
    }
}

std::string errors_of(sanitize::Checker& checker) {
    checker.finish();
    std::vector<sanitize::Finding> errors;
    std::ranges::copy_if(checker.findings(),
                         std::back_inserter(errors),
                         [](const sanitize::Finding& finding) { return sanitize::is_error(finding.kind); });
    return errors.empty() ? std::string{} : sanitize::to_text(errors);
}

std::vector<host::Comparison> compare_outputs(const host::Plan& plan, const Content& content) {
    if (!plan.reference) {
        return {};  // a kernel that only reads
    }
    host::ReferenceData data;
    for (const host::Buffer& buffer : plan.buffers) {
        data.add(buffer, content.before(buffer.name));
    }
    plan.reference(data);
    std::vector<host::Comparison> comparisons;
    for (const host::Tolerance& tolerance : plan.tolerances) {
        const host::Buffer& buffer = data.buffer(tolerance.output);
        const std::vector<double>& expected = data.expected(tolerance.output);
        comparisons.push_back(host::compare(
            buffer,
            {content.at(buffer.name), buffer.bytes()},
            [&expected](std::uint64_t i) { return expected[i]; },
            tolerance,
            data.errors(tolerance.output)));
    }
    return comparisons;
}

}  // namespace

bool KernelRun::passed() const {
    return !comparisons.empty() && std::ranges::all_of(comparisons, &host::Comparison::passed);
}

std::string KernelRun::report() const {
    std::string text = plan.problem;
    for (const host::Comparison& comparison : comparisons) {
        text += fmt::format("\n{}: {} of {} wrong, max absolute {}, max relative {}, max ulp {}",
                            comparison.output,
                            comparison.failures,
                            comparison.count,
                            comparison.max_absolute,
                            comparison.max_relative,
                            comparison.max_ulp);
        if (comparison.first) {
            text += fmt::format("; [{}] is {}, expected {}",
                                comparison.first->index,
                                comparison.first->got,
                                comparison.first->expected);
        }
    }
    return hazards.empty() ? text : text + "\n" + hazards;
}

double KernelRun::time_us() const {
    return static_cast<double>(totals.cycles) / (chip.cores.clock_ghz * 1e3);
}

host::Plan plan_kernel(const std::string& kernel, const Settings& settings, const std::string& chip) {
    const toolchain::Installation installation = toolchain::Installation::find();
    return make_plan(kernel, settings, load_chip(chip, installation.chips()), installation);
}

namespace {

/// Runs what `run` has planned.
void run_planned(KernelRun& run,
                 const std::string& kernel,
                 Plugins& plugins,
                 const KernelRunOptions& options) {
    record::Recorder recorder{options.recording};
    sanitize::Checker checker{run.chip};
    Machine machine{run.chip,
                    recorder,
                    {.functional = options.functional,
                     .observer = options.functional ? &checker : nullptr,
                     .framework_folder = toolchain::Installation::framework_folder}};
    const Content content{run.plan, machine, options};
    declare_unwritten(checker, run.plan, machine, content);
    std::vector<Launch> launches;
    for (const host::Launch& launch : run.plan.launches) {
        launches.push_back(machine_launch(launch, kernel, plugins, content, run.chip));
    }
    machine.run([&launches, &options](Machine& host) {
        for (std::uint32_t i = 0; i < options.repeat; ++i) {
            for (const Launch& launch : launches) {
                static_cast<void>(host.launch(launch));
            }
        }
    });
    run.totals = machine.totals();
    recorder.finish({{"cycles", run.totals.cycles}});
    if (options.functional) {
        run.comparisons = compare_outputs(run.plan, content);
        run.hazards = errors_of(checker);
    }
}

}  // namespace

KernelRun run_kernel(const std::string& kernel, const Settings& settings, const KernelRunOptions& options) {
    const toolchain::Installation installation = toolchain::Installation::find();
    KernelRun run{.chip = load_chip(options.chip, installation.chips())};
    run.plan = make_plan(kernel, settings, run.chip, installation);
    Plugins plugins{run.chip, installation};
    run_planned(run, kernel, plugins, options);
    return run;
}

KernelRun run_source(const std::filesystem::path& source, host::Plan plan, const KernelRunOptions& options) {
    const toolchain::Installation installation = toolchain::Installation::find();
    KernelRun run{.plan = std::move(plan), .chip = load_chip(options.chip, installation.chips())};
    Plugins plugins{run.chip, installation, source};
    run_planned(run, {}, plugins, options);
    return run;
}

std::vector<bool> busy_cycles(const record::Recording& recording,
                              std::string_view core,
                              std::string_view pipe) {
    std::vector<bool> busy(recording.cycles());
    for (const record::Lane& lane : recording.lanes()) {
        if (lane.path.core() != core || lane.path.pipe() != pipe) {
            continue;
        }
        for (std::size_t i = 0; i < lane.size(); ++i) {
            for (std::uint64_t cycle = lane.start[i];
                 lane.reason[i] == record::Reason::none && cycle < lane.end[i] && cycle < busy.size();
                 ++cycle) {
                busy[cycle] = true;
            }
        }
    }
    return busy;
}

}  // namespace ascendsim::testing
