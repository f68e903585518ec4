// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/request.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scenario/nn/call_operators.hpp"
#include "app/scenario/source_texts.hpp"
#include "app/scenario/usual_node.hpp"
#include "kernels/plan/npy.hpp"
#include "models/node/node_file.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::scenario {
namespace {

using nlohmann::json;

json to_json(const host::KnobValue& value) {
    return std::visit([](const auto& held) { return json(held); }, value);
}

/// What a knob is and may be, for advice that names it.
json range_json(const host::Knob& knob) {
    json range{{"meaning", knob.meaning}};
    if (!knob.allowed.empty()) {
        range["allowed"] = knob.allowed;
    } else if (std::holds_alternative<std::int64_t>(knob.value) ||
               std::holds_alternative<double>(knob.value)) {
        range["min"] = knob.min;
        range["max"] = knob.max;
    }
    return range;
}

/// What a knob of 0 became in a plan, which may leave it to be chosen.
std::optional<std::uint64_t> chosen_for(const host::Knob& knob, const host::Plan& plan) {
    const auto* const value = std::get_if<std::int64_t>(&knob.value);
    if (value == nullptr || *value != 0) {
        return std::nullopt;
    }
    if (const auto known = plan.chosen.find(knob.name); known != plan.chosen.end()) {
        return known->second;
    }
    const bool of_cores = knob.name == "blocks" || knob.name == "cores";
    return of_cores && plan.launches.size() == 1 ? std::optional<std::uint64_t>{plan.launches[0].blocks}
                                                 : std::nullopt;
}

json overrides_of(const Scenario& scenario) {
    json overrides = json::object();
    for (const Override& set : scenario.overrides) {
        overrides[set.path] = set.value;
    }
    return overrides;
}

runtime::RunOptions options_of(const Scenario& scenario) {
    return {.functional = scenario.functional,
            .sanitize = scenario.sanitize,
            .seed = scenario.seed,
            .poison = sanitize::Poison{.seed = scenario.poison},
            .allowed = scenario.allowed,
            .auto_sync = scenario.auto_sync && scenario.auto_sync->on,
            .perturb = scenario.perturb,
            .perturb_seed = scenario.perturb_seed,
            .time_order = scenario.time_order,
            .limits = scenario.limits,
            .l2 = scenario.l2,
            .warm_up = scenario.warm_up,
            .repeat = scenario.repeat,
            .from_idle = scenario.from_idle,
            .launch_overhead = scenario.launch_overhead,
            .idle_limit_s = scenario.idle_limit_s,
            .verbose = scenario.verbose};
}

/// The buffer of a plan that [data] or [results] names.
host::Buffer& named_buffer(host::Plan& plan, const BufferFile& file, bool result) {
    std::vector<std::string> names;
    for (host::Buffer& buffer : plan.buffers) {
        const bool fits = result ? buffer.role == host::Role::output || buffer.role == host::Role::in_out
                                 : buffer.role == host::Role::input || buffer.role == host::Role::in_out;
        if (fits && buffer.name == file.buffer) {
            return buffer;
        }
        if (fits) {
            names.push_back(buffer.name);
        }
    }
    throw UserError{"{}: the kernel has no {} '{}'{} (it has: {})",
                    file.place,
                    result ? "result" : "input",
                    file.buffer,
                    nearest_hint(file.buffer, names),
                    fmt::join(names, ", ")};
}

/// Fills inputs of a shipped kernel from files, and says where results go. What the kernel would have
/// computed from inputs of its own is then no reference: nothing is compared.
void take_files(runtime::PlannedRun& run, const Scenario& scenario) {
    for (const BufferFile& file : scenario.data) {
        host::Buffer& buffer = named_buffer(run.plan, file, false);
        const host::NpyArray array = host::read_npy(file.file, file.place);
        if (array.type != buffer.type || host::elements(array.shape) != buffer.count()) {
            throw UserError{"{}: {} holds {} of {}; '{}' takes {} of {}",
                            file.place,
                            file.file.filename().string(),
                            host::text(array.shape),
                            isa::name(array.type),
                            buffer.name,
                            host::text(buffer.shape),
                            isa::name(buffer.type)};
        }
        buffer.fill = host::fill::Npy{file.file};
    }
    for (const BufferFile& file : scenario.results) {
        run.outputs.push_back({named_buffer(run.plan, file, true).name, file.file});
    }
    if (!scenario.data.empty()) {
        run.plan.reference = {};
        run.plan.tolerances.clear();
    }
}

/// An operator with the knobs the scenario sets.
runtime::PlannedRun shipped(const Scenario& scenario,
                            const toolchain::Installation& installation,
                            json& metadata) {
    const host::KernelHost& kernel =
        runtime::open_kernel(scenario.kernel, scenario.kernel_place, installation);
    host::Knobs knobs{kernel.knobs()};
    for (const KnobSetting& setting : scenario.knobs) {
        if (setting.is_text) {
            knobs.set_text(setting.name, std::get<std::string>(setting.value), setting.place);
        } else {
            knobs.set(setting.name, setting.value, setting.place);
        }
    }
    runtime::PlannedRun run{.kernel = scenario.kernel,
                            .source = {},
                            .plan = kernel.plan(knobs, scenario.planned_for.value_or(scenario.chip.spec)),
                            .outputs = {},
                            .argument_bytes = scenario.argument_bytes};
    take_files(run, scenario);
    for (const host::Knob& knob : knobs.all()) {
        metadata["knobs"][knob.name] = to_json(knob.value);
        metadata["knob_ranges"][knob.name] = range_json(knob);
        if (const std::optional<std::uint64_t> chosen = chosen_for(knob, run.plan)) {
            metadata["knob_ranges"][knob.name]["chosen"] = *chosen;
        }
    }
    metadata["kernel"] = scenario.kernel;
    if (scenario.file == scenario.kernel) {  // by its name, without a file
        metadata["shipped_kernel"] = scenario.kernel;
    } else {
        metadata["file"] = std::filesystem::absolute(scenario.file).lexically_normal().string();
    }
    metadata["sources"] = json::object();
    return run;
}

runtime::PlannedRun users_own(const Scenario& scenario, const UserKernel& user, json& metadata) {
    metadata["kernel"] = user.source.stem().string();
    metadata["file"] = std::filesystem::absolute(scenario.file).lexically_normal().string();
    metadata["sources"] = source_texts(user.more_sources, user.source);
    for (const AddressTable& table : user.tables) {
        metadata["lists"].push_back(
            {{"buffer", table.buffer}, {"offset", table.offset}, {"tensors", table.members}});
    }
    return {.kernel = {},
            .source = runtime::KernelSource{user.source, user.more_sources, user.flags},
            .plan = user.plan,
            .outputs = user.outputs,
            .argument_bytes = scenario.argument_bytes};
}

runtime::HostProgram program_of(const Scenario& scenario,
                                const toolchain::Installation& installation,
                                json& metadata) {
    const std::filesystem::path& first = scenario.program->sources.files.front();
    metadata["problem"] = fmt::format("program {}", first.filename().string());
    metadata["kernel"] = first.stem().string();
    metadata["file"] = std::filesystem::absolute(scenario.file).lexically_normal().string();
    metadata["sources"] = source_texts(scenario.program->sources.files);
    runtime::HostProgram program = *scenario.program;
    const std::filesystem::path models = installation.root / "models";
    const std::string node = program.node_name.empty() ? usual_node(scenario.chip.spec) : program.node_name;
    program.node = node::open_node(node, models / "nodes").spec;
    const std::string& host = program.host_name.empty() ? program.node.host : program.host_name;
    program.host = node::open_host(host, models / "hosts").spec;
    serve_operator_calls(program, program.libraries, scenario.chip.spec, installation);
    return program;
}

runtime::PlannedRun planned(const Scenario& scenario,
                            const toolchain::Installation& installation,
                            json& metadata) {
    return scenario.user ? users_own(scenario, *scenario.user, metadata)
                         : shipped(scenario, installation, metadata);
}

/// The ranks of a scenario, of which `metadata` describes the first.
runtime::RankedRun ranked(const Scenario& scenario,
                          const toolchain::Installation& installation,
                          json& metadata) {
    const RankSettings& settings = scenario.ranks;
    const std::filesystem::path models = installation.root / "models";
    const std::string node = settings.node.empty() ? usual_node(scenario.chip.spec) : settings.node;
    runtime::RankedRun run{.ranks = {},
                           .collectives = settings.collectives,
                           .node = node::open_node(node, models / "nodes").spec,
                           .host = {},
                           .file = scenario.file.string()};
    run.host = node::open_host(settings.host.empty() ? run.node.host : settings.host, models / "hosts").spec;
    for (std::size_t rank = 0; rank < settings.ranks.size(); ++rank) {
        const RankSetting& setting = settings.ranks[rank];
        if (setting.device >= run.node.size()) {
            throw UserError{"{}: device {}: node {} has devices 0 to {}",
                            setting.place,
                            setting.device,
                            run.node.name,
                            run.node.size() - 1};
        }
        json other = json::object();
        run.ranks.push_back(
            {.device = setting.device,
             .delay_us = setting.delay_us,
             .seed = scenario.of_ranks[rank].seed,
             .run = planned(scenario.of_ranks[rank], installation, rank == 0 ? metadata : other)});
        if (run.ranks[rank].run.plan.launches.size() != run.ranks[0].run.plan.launches.size()) {
            throw UserError{"{}: rank {} has {} launches, rank 0 has {}",
                            setting.place,
                            rank,
                            run.ranks[rank].run.plan.launches.size(),
                            run.ranks[0].run.plan.launches.size()};
        }
    }
    const std::size_t launches = run.ranks[0].run.plan.launches.size();
    for (runtime::RankedCollective& one : run.collectives) {
        if (one.after && *one.after > launches) {
            throw UserError{
                "{}:{}: after = {}: there are {} launches, which all come before it where "
                "`after` is left out",
                one.file,
                one.line,
                *one.after,
                launches};
        }
    }
    return run;
}

}  // namespace

runtime::RunRequest make_request(const Scenario& scenario, const toolchain::Installation& installation) {
    runtime::RunRequest request{.chip = scenario.chip.spec, .work = {}, .options = options_of(scenario)};
    request.project = toolchain::project_root(std::filesystem::absolute(scenario.file).lexically_normal());
    if (scenario.user && !scenario.user->operator_type.empty()) {
        request.project = toolchain::project_root(scenario.user->source);
    }
    json& metadata = request.metadata;
    metadata["title"] = scenario.title;
    metadata["scenario"] = scenario.name;
    PowerSpec power = scenario.chip.power;
    metadata["power"] = ascendsim::to_json(fields_of(power));
    metadata["overrides"] = overrides_of(scenario);
    metadata["knobs"] = json::object();
    if (scenario.auto_sync) {
        const toolchain::SyncOption& sync = *scenario.auto_sync;
        metadata["auto_sync"] = {{"on", sync.on}, {"stated", sync.stated}, {"origin", sync.origin}};
    }
    if (scenario.program) {
        request.work = program_of(scenario, installation, metadata);
        return request;
    }
    metadata["knob_ranges"] = json::object();
    if (!scenario.ranks.ranks.empty()) {
        request.work = ranked(scenario, installation, metadata);
        return request;
    }
    request.work = planned(scenario, installation, metadata);
    return request;
}

}  // namespace ascendsim::scenario
