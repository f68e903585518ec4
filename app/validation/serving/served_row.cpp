// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/served_row.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "app/validation/serving/row_experts.hpp"
#include "app/validation/serving/row_layout.hpp"
#include "app/validation/serving/row_load.hpp"
#include "networks/llm/model_config.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

std::filesystem::path models_folder(const toolchain::Installation& installation) {
    return installation.scenarios() / "serving" / "models";
}

/// True if the row says a word, whatever stands around it.
bool says_one_of(const SystemRow& row, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return row.says(word); });
}

/// Why a system of this row is not simulated; empty if it is. `known` where the command of its server is.
std::string unknown_system(const SystemRow& row, const StatedTypes& types, bool known) {
    if (types.products == StatedTypes::Products::other) {
        return "weights of a format whose products are not simulated";
    }
    if (!known && says_one_of(row, {"eagle", "speculative", "ngram"}) && !row.says("eagle3")) {
        return "tokens are drafted, and how many are accepted is not stated";
    }
    const bool elsewhere = row.says("offload") && !row.says("no offload");
    if (elsewhere || says_one_of(row, {"kv pool", "cpp", "cpu moe"})) {
        return "a cache or experts elsewhere, or prompts cut over devices, in a way that is not simulated";
    }
    if (!known && says_one_of(row, {"1p1d", " pd", "-pd", "disaggregated", "afd=y"}) &&
        !stated_pair(row.workload)) {
        return "prompts and decoding apart, in a layout that is not stated";
    }
    if (row.says("310p")) {
        return "a chip on which kernels of a step (norms with quantisation, the cache's update) are not "
               "written";
    }
    if (says_one_of(row, {"-vl-", "textvqa"})) {
        return "an image encoder, which is not simulated";
    }
    return {};
}

/// What a row or its source say of the server: [serve] and scheduler, beside the layout.
struct ServedBy {
    ServerCommand command;
    std::optional<ServerCommand> prompts;
    std::uint64_t devices = 0;  // of all servers, if stated
    std::string machine;        // where the row does not name it
    std::string weights;
    std::string assumed;
    bool known = false;  // by its command
    bool ahead = false;  // the host prepares a step while the one before it runs, as far as is known
};

std::uint64_t devices_of(const ServedBy& by) {
    return std::max(by.devices, by.command.devices() + (by.prompts ? by.prompts->devices() : 0));
}

bool is_of_vllm(const SystemRow& row) {
    return lower(row.software).find("vllm") != std::string::npos || row.category == "serving_nightly";
}

Framework framework_of(const SystemRow& row) {
    return is_of_vllm(row)                                           ? Framework::vllm
           : lower(row.software).find("sglang") != std::string::npos ? Framework::sglang
                                                                     : Framework::script;
}

/// What a row states of a server, as a command.
ServerCommand command_of(const StatedLayout& layout, const SystemRow& row) {
    ServerCommand command;
    command.tensor = layout.tensor.value_or(1);
    command.pipeline = layout.pipeline.value_or(1);
    command.replicas = layout.replicas.value_or(1);
    command.expert_parallel = layout.expert_parallel || command.replicas > 1;
    // Not all of a step is captured where vllm-ascend is not told (platform.py at 2965280bf8: its
    // FULL_AND_PIECEWISE becomes PIECEWISE; release notes at 182b75ea: full graphs are not the default).
    const bool whole = !is_of_vllm(row) || says_one_of(row, {"full", "torchair", "xlite"});
    command.mode = row.says("eager") ? "eager" : whole ? "full" : "piecewise";
    return command;
}

struct Machine {
    std::string node;
    std::string chip;
    std::string assumed;
    std::string values = {};  // [chip], of a bin that has no file of its own
};

/// [chip] of a bin that a row names by the fp16 rating of its package of two dies: 752 TFLOPS is the top one,
/// 24 cores at 1.85 GHz a die. Dies of the lowest two have 20 cores (S3 and S10 of docs/sources.md: 910_9372,
/// 910_9362); the clock is what is left of the ratio, 560 / 752 x 24 / 20 x 1.85 GHz, between theirs of 1.8
/// and 1.5 GHz.
void take_bin(const SystemRow& row, Machine& machine) {
    if (lower(row.chip).find("560t") == std::string::npos) {
        return;
    }
    machine.values = "[chip]\ncores.aic = 20\ncores.clock_ghz = 1.653\n";
    machine.assumed += machine.assumed.empty() ? "" : "; ";
    machine.assumed += "a die of 280 TFLOPS is taken to have 20 cores at 1.653 GHz";
}

/// Servers of a kind, as many as the devices take.
std::string servers_of(const std::string& server, std::uint64_t devices, std::uint64_t per_server) {
    std::uint64_t servers = 1;
    while (servers * per_server < devices) {
        servers *= 2;
    }
    return servers == 1 ? server : fmt::format("{}_x{}", server, servers);
}

/// The machine that a row names, or its command; of vLLM's plug-in, which needs one of two generations, the
/// one whose servers have so many devices.
std::optional<Machine> machine_for(const SystemRow& row, std::uint64_t devices, const std::string& known) {
    constexpr std::uint64_t of_a2 = 8;
    constexpr std::uint64_t of_a3 = 16;
    std::optional<StatedChip> stated = stated_chip(row);
    const bool either = !stated && known.empty() && lower(row.software).find("vllm") != std::string::npos;
    if (!stated && (either || !known.empty())) {
        SystemRow other = row;
        other.chip = !known.empty() ? known : devices > of_a2 ? "A3" : "A2";
        stated = stated_chip(other);
        if (stated && either) {
            stated->assumed = fmt::format(
                "the chip is not stated: {}",
                devices > of_a2 ? "an A3 is taken, as a server of A2 has eight devices" : "an A2 is taken");
        }
    }
    if (!stated) {
        return std::nullopt;
    }
    if (stated->chip == "910c") {
        Machine machine{servers_of("atlas800t_a3", devices, of_a3), stated->chip, stated->assumed};
        take_bin(row, machine);
        return machine;
    }
    if (stated->chip.starts_with("910b")) {
        return Machine{servers_of("atlas800t_a2", devices, of_a2), stated->chip, stated->assumed};
    }
    return std::nullopt;
}

std::optional<ServedMetric> metric_of(const SystemRow& row, double& percentile) {
    const std::string metric = lower(row.metric);
    for (const auto& [word, share] : {std::pair{"p50", 0.5}, std::pair{"p90", 0.9}, std::pair{"p99", 0.99}}) {
        percentile = metric.find(word) != std::string::npos ? share : percentile;
    }
    if (metric.find("p75") != std::string::npos) {
        return std::nullopt;
    }
    const std::string unit = lower(row.unit);
    if (metric.find("ttft") != std::string::npos || metric == "prefill") {
        return ServedMetric::ttft;
    }
    if (metric.find("tpot") != std::string::npos || metric == "decode step") {
        return ServedMetric::tpot;
    }
    if (metric.find("e2el") != std::string::npos) {
        return ServedMetric::e2e;
    }
    if (unit == "req/s") {
        return ServedMetric::requests_per_s;
    }
    return unit == "tok/s" || unit == "tok/s/chip" ? std::optional{ServedMetric::tokens_per_s} : std::nullopt;
}

/// True of a way to draft that finds tokens in texts: as many as match, and often none (vllm-project/vllm at
/// v0.11.1, vllm/config/speculative.py: suffix_decoding_max_spec_factor, suffix_decoding_min_token_prob).
bool looks_up(const std::vector<DraftMethod>& methods, const std::string& name) {
    return std::ranges::any_of(methods, [&](const DraftMethod& one) {
        return one.on_host && std::ranges::find(one.names, name) != one.names.end();
    });
}

/// Says in `by` that tokens are drafted, where the row does: the layers that draft, and how many tokens.
std::optional<WhyNot> take_drafts(const SystemRow& row, const ServingData& data, ServedBy& by) {
    const std::optional<StatedDraft> draft = stated_draft(row.workload, data.drafts);
    if (by.command.drafted == 0 && !draft && says_one_of(row, {" spec "})) {
        return WhyNot{"tokens are drafted, and by what is not stated"};
    }
    if (by.command.drafted == 0 && draft) {
        if (!draft->drafted) {
            return WhyNot{"tokens are drafted, and how many in a step is not stated"};
        }
        by.command.drafted = *draft->drafted;
        by.command.draft = draft->method->names.front();
    }
    if (const std::optional<double> accepted = stated_acceptance(row); accepted && by.command.drafted > 0) {
        const double most = *accepted * static_cast<double>(by.command.drafted);
        if (looks_up(data.drafts, by.command.draft)) {
            constexpr double percent = 100;
            return WhyNot{
                fmt::format("no more tokens are drafted than are found in a text: {:.0f} % of them "
                            "are accepted, and how many of {} a step finds is not stated, so that "
                            "it makes 1 to {:.2f} tokens",
                            percent * *accepted,
                            by.command.drafted,
                            1 + most)};
        }
        by.command.accepted = most;
    }
    return std::nullopt;
}

/// The command of a nightly run or of the row's source, or what the row says of one.
std::variant<ServedBy, WhyNot> served_by(const SystemRow& row,
                                         const ServingData& data,
                                         bool mixture,
                                         UnstatedLayout unstated) {
    if (const NightlyRun* run = nightly_run(data.nightly, row)) {
        return ServedBy{.command = run->server,
                        .prompts = run->prompts,
                        .devices = run->devices,
                        .machine = run->machine,
                        .weights = {},
                        .assumed = {},
                        .known = true,
                        .ahead = !run->server.synchronous};
    }
    if (const auto said = server_about(row, data.statements)) {
        if (!said->refused.empty()) {
            return WhyNot{said->refused};
        }
        ServedBy by{.command = said->server->command,
                    .prompts = said->server->prompts,
                    .machine = said->server->machine,
                    .weights = said->server->weights,
                    .assumed = "its source says elsewhere: " + said->why,
                    .ahead = !said->server->command.synchronous};
        by.command.mode = row.says("eager") ? "eager" : by.command.mode;
        return by;
    }
    ServedBy by;
    const std::optional<StatedPair> pair = stated_pair(row.workload);
    const StatedLayout layout = pair ? pair->decoding : stated_layout(row.workload);
    by.command = command_of(layout, row);
    if (pair) {
        by.prompts = command_of(pair->prompts, row);
        by.prompts->mode = "eager";
        by.assumed = "steps of prompts are taken to be launched one by one";
    }
    if (mixture && by.command.replicas > 1 && !layout.expert_parallel) {
        by.assumed += by.assumed.empty() ? "" : "; ";
        by.assumed += "replicas are taken to share experts";
    }
    if (layout.tensor) {
        return by;
    }
    const std::optional<std::uint64_t> devices = number_in(row.devices);
    const bool counted =
        row.devices.find("server") == std::string::npos && row.devices.find("card") == std::string::npos;
    // "64 chips" of two dies are 128 devices
    if (layout.expert_devices && devices && counted &&
        (*layout.expert_devices == *devices || *layout.expert_devices == 2 * *devices)) {
        const bool apart = load_of_row(row, {}).concurrency >= static_cast<double>(*layout.expert_devices);
        (apart ? by.command.replicas : by.command.tensor) = *layout.expert_devices;
        by.assumed = apart ? "each device of EP is taken to have sequences of its own"
                           : "attention is taken to be shared by the devices of EP";
        return by;
    }
    if (!layout.states_anything() && counted && devices == 1U) {
        return by;
    }
    if (unstated == UnstatedLayout::all_devices_if_dense && !mixture && devices) {
        by.command.tensor = *devices;
        by.assumed = fmt::format("each layer is taken to be shared by all {}", row.devices);
        return by;
    }
    return WhyNot{"how the model is laid out is not stated"};
}

/// `tokens` of a step where the command does not say; 0: as `ascendsim serve` takes.
std::string scheduler_keys(const ServerCommand& command, std::uint64_t tokens) {
    std::string keys;
    if (command.max_sequences) {
        keys += fmt::format("max_sequences = {}\n", *command.max_sequences);
    }
    if (command.max_tokens || tokens != 0) {
        keys += fmt::format("max_tokens = {}\n", command.max_tokens.value_or(tokens));
    }
    return keys;
}

/// vLLM's server takes 2048 tokens a step where it is not told, on devices of less than 70 GiB
/// (vllm-project/vllm at v0.11.0: vllm/engine/arg_utils.py, EngineArgs._set_default_args).
std::uint64_t tokens_of_step(const SystemRow& row) {
    constexpr std::uint64_t of_vllm = 2048;
    return is_of_vllm(row) ? of_vllm : 0;
}

/// What the host does between steps. A script's loop waits for each step, and launches the next graph: 0.54
/// ms between the device's time of a step, 7.67 ms, and all of it, 8.21 ms (hicann/cann-recipes-infer at
/// fbc225d2, models/longcat_flash_lite/agentic/progress_ep.md; EL-0052 of serving.csv).
///
/// SGLang goes on where it drafts once it knows what the step before has accepted (sgl-project/sglang at
/// 006b0e3d, speculative/eagle_info_v2.py: prepare_for_decode reads seq_lens). From there to the launch of
/// what verifies the next drafts its code has some 80 operators of torch (places in the cache, copies to the
/// graphs' inputs, block tables of each draft, the tree), beside what any step has (docs/serving.md).
std::string between_steps(const SystemRow& row, const ServedBy& by) {
    constexpr double script_us = 540;
    constexpr double operators = 80;
    constexpr double operator_us = 48.7;  // vllm-ascend's PR 9601
    const double drafting_us = serving::Scheduler{}.step_host_us + operators * operator_us;
    if (row.category == "e2e_latency") {
        return fmt::format("step_host_us = {}\n", script_us);
    }
    const bool sglang = framework_of(row) == Framework::sglang;
    const std::string drafting = sglang && by.command.drafted > 0 && by.command.draft != "ngram"
                                     ? fmt::format("step_host_us = {}\n", drafting_us)
                                     : "";
    return (by.ahead || sglang || row.says("async") ? "overlapped = true\n" : "") + drafting;
}

std::string mode_of(const std::string& command) {
    return command == "full" ? "graph" : command;
}

/// What a row does not say of weights: as its source or its model's publisher do. Weights of FP8, which the
/// chips do not multiply, are served as bytes, and experts of FP4 as W4A8 (the checkpoints of vllm-ascend's
/// guides at 182b75ea, docs/source/tutorials/models, and of cann-recipes-infer's at fbc225d2, docs/models).
StatedTypes types_of(const SystemRow& row,
                     const ServedBy& by,
                     const networks::llm::StoredWeights& stored,
                     std::string& assumed) {
    using Products = StatedTypes::Products;
    StatedTypes types = stated_types(row.workload);
    if (!types.stated && !by.weights.empty()) {
        types = stated_types(by.weights);
    }
    if (types.stated || stored.bits == 16) {
        return types;
    }
    const bool bytes = stored.bits == 8 && stored.activation_bits == 8;
    const bool four_of_experts = bytes && stored.expert_bits == 4;
    types.products = four_of_experts ? Products::w4a8 : bytes ? Products::w8a8 : Products::other;
    assumed = four_of_experts            ? "weights published in FP8, of experts in FP4, are taken as W4A8"
              : bytes && stored.floating ? "weights published in FP8 are taken as W8A8"
                                         : "";
    return types;
}

/// Of vLLM, where a command does not say (vllm-project/vllm at v0.11.0, vllm/config/cache.py).
constexpr double usual_memory_share = 0.9;

/// [serve], [layout], [prompts] and [chip].
std::string tables_of(const SystemRow& row,
                      const NamedModel& model,
                      const ServedBy& by,
                      const Machine& machine,
                      const StatedTypes& types,
                      const std::optional<networks::llm::Experts>& experts) {
    std::string text = fmt::format(
        "[serve]\nmodel = \"{}\"\nnode = \"{}\"\nchip = \"{}\"\nmode = \"{}\"\nweights = "
        "\"{}\"\ncache = \"{}\"\nrouting = \"{}\"\nmemory_share = {}\n",
        model.file,
        machine.node,
        machine.chip,
        mode_of(by.command.mode),
        types.products == StatedTypes::Products::half   ? "half"
        : types.products == StatedTypes::Products::w8a8 ? "int8"
                                                        : "w4a8",
        types.byte_cache || by.command.cache == "int8" ? "int8" : "half",
        by.command.even_experts ? "even" : "trained",
        by.command.memory_share.value_or(usual_memory_share));
    if (by.command.index_every > 1) {
        text += fmt::format("index_every = {}\n", by.command.index_every);
    }
    if (by.command.framework_calls > 0) {
        text += fmt::format("framework_calls = {}\n", by.command.framework_calls);
    }
    if (by.command.expansion != "aiv" && machine.node.starts_with("atlas800t_a3")) {  // others have one way
        text += fmt::format("expansion = \"{}\"\n", by.command.expansion);
    }
    const Framework framework = framework_of(row);
    text += layout_table("layout", by.command, framework, machine.chip, experts);
    if (by.prompts) {
        text += layout_table("prompts", *by.prompts, framework, machine.chip, experts) +
                scheduler_keys(*by.prompts, tokens_of_step(row)) +
                fmt::format("mode = \"{}\"\nmemory_share = {}\n",
                            mode_of(by.prompts->mode),
                            by.prompts->memory_share.value_or(usual_memory_share));
    }
    return text + machine.values;
}

/// The name of a kernel in a row, in small letters: behind "prefill: ", or the first word.
std::string kernel_name(const SystemRow& row) {
    const std::size_t colon = row.workload.rfind(": ");
    return lower(colon != std::string::npos ? row.workload.substr(colon + 2)
                                            : row.workload.substr(0, row.workload.find(' ')));
}

/// The kernel that a row names, by what a step calls it.
std::optional<StepKernelCase> kernel_named(const SystemRow& row,
                                           const toolchain::Installation& installation,
                                           const ServingData& data) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 16> operators{{
        {"matmul qkv", "MatMul qkv"},
        {"matmul gate_up", "MatMul gate_up"},
        {"matmul down", "MatMul down"},
        {"matmul o", "MatMul o"},
        {"lm_head matmul", "MatMul head"},
        {"fusedinferattentionscore", "FusedInferAttentionScore"},
        {"swiglu", "SwiGlu"},
        {"reshape_and_cache", "ReshapeAndCache"},
        {"reshapeandcache", "ReshapeAndCache"},
        {"addrmsnormbias", "AddRmsNorm"},
        {"addrmsnorm", "AddRmsNorm"},
        {"rmsnorm q", "RmsNorm q"},
        {"rmsnorm k", "RmsNorm k"},
        {"rope", "RotaryEmbedding"},
        {"moegatingtopk", "MoeGatingTopK"},
        {"dynamicquant", "DynamicQuant"},
    }};
    const std::string name = kernel_name(row);
    if (name == "rmsnorm") {  // of latent attention, behind the product by queries' narrow weights
        const NamedModel* model = data.names.in(row.workload);
        const bool latent = model != nullptr &&
                            networks::llm::open_model(models_folder(installation) / (model->file + ".json"))
                                .latent.has_value();
        return StepKernelCase{.file = {}, .op = latent ? "RmsNorm q" : "AddRmsNorm"};
    }
    if (name == "matmulv2 (small)" || name == "matmulv2 (large)") {
        return StepKernelCase{
            .file = {},
            .which = name.ends_with("(small)") ? StepKernels::shortest_product : StepKernels::other_products,
            .op = "MatMul"};
    }
    if (name == "quantbatchmatmulv3") {
        return StepKernelCase{.file = {}, .which = StepKernels::products, .op = "MatMul"};
    }
    const auto known =
        std::ranges::find(operators, name, &std::pair<std::string_view, std::string_view>::first);
    return known == operators.end()
               ? std::nullopt
               : std::optional{StepKernelCase{.file = {}, .op = std::string{known->second}}};
}

}  // namespace

std::variant<ServedSystem, WhyNot> system_of(const SystemRow& row,
                                             const toolchain::Installation& installation,
                                             const ServingData& data,
                                             UnstatedLayout unstated) {
    const NamedModel* model = data.names.in(row.workload);
    if (model == nullptr) {
        return WhyNot{"no description of this model is shipped"};
    }
    const networks::llm::ModelConfig config =
        networks::llm::open_model(models_folder(installation) / (model->file + ".json"));
    const auto said = server_about(row, data.statements);
    const bool known = nightly_run(data.nightly, row) != nullptr || (said && said->refused.empty());
    if (const std::string why = unknown_system(row, stated_types(row.workload), known); !why.empty()) {
        return WhyNot{why};
    }
    std::variant<ServedBy, WhyNot> found = served_by(row, data, config.experts.has_value(), unstated);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    auto& by = std::get<ServedBy>(found);
    std::string weights;
    const StatedTypes types = types_of(row, by, config.stored, weights);
    if (types.products == StatedTypes::Products::other) {
        return WhyNot{"weights of a format whose products are not simulated: " + config.stored.what};
    }
    if (!by.known) {
        if (const auto why = take_drafts(row, data, by)) {
            return *why;
        }
    }
    const std::optional<Machine> machine = machine_for(row, devices_of(by), by.machine);
    if (!machine) {
        return WhyNot{"no machine of this chip is described"};
    }
    const std::variant<SpeculationTable, WhyNot> drafts =
        speculation_of(by.command, data.drafts, model->file);
    if (const auto* why = std::get_if<WhyNot>(&drafts)) {
        return *why;
    }
    ServedSystem system;
    system.tables = tables_of(row, *model, by, *machine, types, config.experts) +
                    std::get<SpeculationTable>(drafts).table +
                    (by.command.drafted > 0 && !is_of_vllm(row) ? "pass_host_us = 0\n" : "");
    system.drafts = by.command.drafted > 0;
    system.scheduler = scheduler_keys(by.command, tokens_of_step(row));
    system.scheduler += by.command.chunked ? "" : "chunked = false\n";
    system.prefix_cache = by.prompts ? by.prompts->prefix_cache : by.command.prefix_cache;
    system.scheduler += between_steps(row, by);
    system.scheduler += config.experts && !is_of_vllm(row) ? "expert_layer_us = 0\n" : "";  // of its code
    const auto assume = [&](const std::string& what) {
        system.assumed += what.empty() ? "" : (system.assumed.empty() ? "" : "; ") + what;
    };
    assume(by.assumed);
    assume(machine->assumed);
    assume(weights);
    assume(types.compressed ? "weights that are packed are taken as bytes" : "");
    assume(std::get<SpeculationTable>(drafts).assumed);
    return system;
}

std::variant<ServedCase, WhyNot> served_case(const SystemRow& row,
                                             const toolchain::Installation& installation,
                                             const ServingData& data) {
    const std::variant<ServedSystem, WhyNot> found = system_of(row, installation, data);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    ServedCase served;
    const std::optional<ServedMetric> metric = metric_of(row, served.percentile);
    if (!metric) {
        return WhyNot{"a metric that `ascendsim serve` does not have"};
    }
    RowLoad load = load_of_row(row, load_about(row, data.statements));
    if (load.prompt < 1 || load.output < 1 || load.concurrency < 1) {
        return WhyNot{"prompt, output or number of requests at a time are not stated"};
    }
    const bool shares = row.shape.find("prefix") != std::string::npos;
    if (shares && load.prefix == 0 && row.shape.find("prefix0") == std::string::npos) {
        return WhyNot{"a shared prefix of a length that is not stated"};
    }
    const auto& system = std::get<ServedSystem>(found);
    load.prefix = system.prefix_cache ? load.prefix : 0;
    served.metric = *metric;
    served.assumed = system.assumed;
    if (load.prefix > 0) {
        served.assumed += served.assumed.empty() ? "" : "; ";
        served.assumed += "all requests begin with the same tokens";
    }
    if (lower(row.unit).ends_with("/chip")) {
        served.devices = static_cast<double>(number_in(row.devices).value_or(1));
    }
    load.drafted = system.drafts;
    served.batch = load.computed ? load.concurrency : 0;
    served.file = system.tables + "[scheduler]\n" + system.scheduler + load.table();
    return served;
}

std::variant<StepKernelCase, WhyNot> step_kernel_case(const SystemRow& row,
                                                      const toolchain::Installation& installation,
                                                      const ServingData& data) {
    const std::optional<StepKernelCase> known = kernel_named(row, installation, data);
    if (!known) {
        return WhyNot{"no single kernel of a step, or none that says which"};
    }
    const std::optional<SourceStatement> statement = statement_about(row, data.statements);
    const std::variant<ServedSystem, WhyNot> found = system_of(row, installation, data);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    StepKernelCase kernel = *known;
    const double batch = part_number(row, "b");
    std::size_t at = 0;
    const double first = tokens_at(row.shape, at).value_or(0);  // "144x5120x768", "136 rows"
    const bool weights = kernel.op == "MatMul down" && row.shape.find('x') == row.shape.rfind('x');
    kernel.rows = static_cast<std::uint64_t>(batch > 0 ? batch : weights ? 0 : first);
    kernel.sequences = kernel.rows;
    kernel.keys = part_number(row, "ctx");
    if (statement && statement->rows != 0 && kernel.rows == 0) {
        kernel.rows = statement->rows;
        kernel.sequences = statement->sequences != 0 ? statement->sequences : statement->rows;
        kernel.keys = statement->keys;
        kernel.assumed = statement->why;
    }
    if (kernel.rows == 0 || (kernel.op == "FusedInferAttentionScore" && kernel.keys == 0)) {
        return WhyNot{"its rows, or the keys that they see, are not stated"};
    }
    kernel.file = std::get<ServedSystem>(found).for_one_request();
    return kernel;
}

}  // namespace ascendsim::validation
