// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/served_row.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "app/validation/serving/row_layout.hpp"
#include "app/validation/serving/source_statement.hpp"
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

/// Why a system of this row is not simulated; empty if it is. `known` where its command is.
std::string unknown_system(const SystemRow& row, const StatedTypes& types, bool known) {
    if (types.products == StatedTypes::Products::other) {
        return "weights of a format whose products are not simulated";
    }
    if (!known && says_one_of(row, {"eagle", "mtp", "dflash", "spec 3", "speculative", "suffix"})) {
        return "tokens are drafted, and how many are accepted is not stated";
    }
    if (says_one_of(row, {"kv pool", "offload", "cpp", "cpu moe"})) {
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

/// What a nightly run's [serve] and scheduler say, beside its layout.
struct ServedBy {
    ServerCommand command;
    std::optional<ServerCommand> prompts;
    std::string assumed;
    bool known = false;  // by its command
};

std::uint64_t devices_of(const ServedBy& by, std::uint64_t stated) {
    return std::max(stated, by.command.devices() + (by.prompts ? by.prompts->devices() : 0));
}

/// What a row states of a server, as a command.
ServerCommand command_of(const StatedLayout& layout, const SystemRow& row) {
    ServerCommand command;
    command.tensor = layout.tensor.value_or(1);
    command.pipeline = layout.pipeline.value_or(1);
    command.replicas = layout.replicas.value_or(1);
    command.expert_parallel = layout.expert_parallel || command.replicas > 1;
    command.mode = row.says("eager") ? "eager" : "full";
    return command;
}

struct Machine {
    std::string node;
    std::string chip;
    std::string assumed;
};

/// Servers of a kind, as many as the devices take.
std::string servers_of(const std::string& server, std::uint64_t devices, std::uint64_t per_server) {
    std::uint64_t servers = 1;
    while (servers * per_server < devices) {
        servers *= 2;
    }
    return servers == 1 ? server : fmt::format("{}_x{}", server, servers);
}

std::optional<Machine> machine_for(const SystemRow& row, std::uint64_t devices, const std::string& known) {
    std::optional<StatedChip> stated = stated_chip(row);
    if (!stated && !known.empty()) {
        SystemRow other = row;
        other.chip = known;
        stated = stated_chip(other);
    }
    if (!stated) {
        return std::nullopt;
    }
    constexpr std::uint64_t of_a2 = 8;
    constexpr std::uint64_t of_a3 = 16;
    if (stated->chip == "910c") {
        return Machine{servers_of("atlas800t_a3", devices, of_a3), stated->chip, stated->assumed};
    }
    if (stated->chip.starts_with("910b")) {
        return Machine{servers_of("atlas800t_a2", devices, of_a2), stated->chip, stated->assumed};
    }
    if (stated->chip == "310p3") {
        return Machine{devices > 1 ? "atlas300i_pro_x4" : "atlas300i_pro", stated->chip, stated->assumed};
    }
    return std::nullopt;
}

/// A number of tokens: "2048", "3.5k", "16K".
std::optional<double> tokens_at(std::string_view text, std::size_t& at) {
    std::size_t end = at;
    while (end < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
        ++end;
    }
    if (end == at || text[at] == '.') {
        return std::nullopt;
    }
    double value = 0;
    double unit = 0;
    for (std::size_t i = at; i < end; ++i) {
        if (text[i] == '.') {
            if (unit > 0) {
                return std::nullopt;
            }
            unit = 1;
            continue;
        }
        constexpr double ten = 10;
        unit = unit > 0 ? unit / ten : 0;
        value = unit > 0 ? value + (text[i] - '0') * unit : value * ten + (text[i] - '0');
    }
    if (end < text.size() && (text[end] == 'k' || text[end] == 'K')) {
        constexpr double thousand = 1000;  // as the benchmarks' own names: 3.5k is 3500
        value *= thousand;
        ++end;
    } else if (end < text.size() && text[end] == 'M') {
        constexpr double million = 1e6;
        value *= million;
        ++end;
    }
    at = end;
    return value;
}

/// Decoding steps alone: "gb256 seq65536".
struct Load {
    double prompt = 0;
    double output = 0;
    double concurrency = 0;
    double count = 0;
    double rate = 0;        // requests/s at most; 0: as they end
    double prefix = 0;      // tokens of the prompt that requests share
    bool computed = false;  // prompts are not part of what was measured
};

/// The number behind `word` where a part of the shape begins with it: "c48", "n100".
double part_number(const SystemRow& row, std::string_view word) {
    const std::string text = " " + row.shape;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        std::size_t place = at + word.size();
        const char before = at == 0 ? ' ' : text[at - 1];
        if (before != ' ' && before != '-' && before != '_') {
            continue;
        }
        if (place < text.size() && text[place] == ' ') {
            ++place;
        }
        if (const std::optional<double> value = tokens_at(text, place)) {
            return *value;
        }
    }
    return 0;
}

/// Lengths and numbers of requests: "2048/2048 c48", "in 150 out 2700 c1 n100", "GSM8K-in3500-bs400 n288
/// out1500 bs72", "1K+0.3K".
Load load_of(const SystemRow& row) {
    Load load;
    load.prompt = part_number(row, "in");
    load.output = part_number(row, "out");
    if (load.prompt == 0) {
        std::size_t at = 0;
        const std::optional<double> first = tokens_at(row.shape, at);
        if (first && at < row.shape.size() && (row.shape[at] == '/' || row.shape[at] == '+')) {
            ++at;
            const std::optional<double> second = tokens_at(row.shape, at);
            load.prompt = *first;
            load.output = second.value_or(0);
        }
    }
    load.concurrency = part_number(row, "c");
    if (load.concurrency == 0) {
        const std::size_t at = row.shape.rfind(" bs");  // the last: "bs400" is of the data set's name
        constexpr std::size_t skipped = 3;
        std::size_t place = at + skipped;
        load.concurrency =
            at == std::string::npos ? part_number(row, "b") : tokens_at(row.shape, place).value_or(0);
    }
    if (const double sequences = part_number(row, "gb"); sequences > 0 && load.prompt == 0) {
        constexpr double some = 16;  // steps, which are all alike
        load = {
            .prompt = part_number(row, "seq"), .output = some, .concurrency = sequences, .computed = true};
    }
    load.count = part_number(row, "n");
    load.rate = part_number(row, "rate");
    load.prefix = load.prompt * part_number(row, "prefix") / 100;  // "prefix75": of the prompt, in percent
    return load;
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

std::string requests_table(const Load& load) {
    const double count = load.count > 0  ? load.count
                         : load.computed ? load.concurrency
                                         : std::max(1.0, 2 * load.concurrency);
    return fmt::format(
        "[requests]\narrivals = \"closed\"\nrate = {}\nconcurrency = {:.0f}\ncount = {:.0f}\nprompt = "
        "{:.0f}\noutput = {:.0f}\nprefix = {:.0f}\ncomputed = {}\n",
        load.rate,
        load.concurrency,
        std::max(count, load.concurrency),
        load.prompt,
        load.output,
        load.prefix,
        load.computed);
}

/// The command of a nightly run, or what the row says of one.
std::variant<ServedBy, WhyNot> served_by(const SystemRow& row,
                                         const ServingData& data,
                                         bool mixture,
                                         UnstatedLayout unstated) {
    if (const NightlyRun* run = nightly_run(data.nightly, row)) {
        return ServedBy{.command = run->server, .prompts = run->prompts, .assumed = {}, .known = true};
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
        const bool apart = load_of(row).concurrency >= static_cast<double>(*layout.expert_devices);
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

std::string layout_table(const char* name, const ServerCommand& command, bool mixture) {
    return fmt::format("[{}]\ntensor = {}\npipeline = {}\nreplicas = {}\nexpert_parallel = {}\n",
                       name,
                       command.tensor,
                       command.pipeline,
                       command.replicas,
                       mixture && command.expert_parallel);
}

std::string scheduler_keys(const ServerCommand& command) {
    std::string keys;
    if (command.max_sequences) {
        keys += fmt::format("max_sequences = {}\n", *command.max_sequences);
    }
    if (command.max_tokens) {
        keys += fmt::format("max_tokens = {}\n", *command.max_tokens);
    }
    return keys;
}

std::string mode_of(const std::string& command) {
    return command == "eager" ? "queue" : "graph";
}

/// [serve], [layout] and [prompts].
std::string tables_of(const NamedModel& model,
                      const ServedBy& by,
                      const Machine& machine,
                      const StatedTypes& types,
                      bool mixture) {
    const bool whole_cores = machine.chip == "310p3";
    std::string text = fmt::format(
        "[serve]\nmodel = \"{}\"\nnode = \"{}\"\nchip = \"{}\"\nmode = \"{}\"\nweights = "
        "\"{}\"\ncache = \"{}\"\nattention = \"{}\"\nmemory_share = {}\n",
        model.file,
        machine.node,
        machine.chip,
        mode_of(by.command.mode),
        types.products == StatedTypes::Products::half   ? "half"
        : types.products == StatedTypes::Products::w8a8 ? "int8"
                                                        : "w4a8",
        types.byte_cache || by.command.cache == "int8" ? "int8" : "half",
        whole_cores ? "apart" : "fused",
        by.command.memory_share.value_or(0.9));
    if (by.command.index_every > 1) {
        text += fmt::format("index_every = {}\n", by.command.index_every);
    }
    text += layout_table("layout", by.command, mixture);
    if (by.prompts) {
        text += layout_table("prompts", *by.prompts, mixture) + scheduler_keys(*by.prompts) +
                fmt::format("mode = \"{}\"\n", mode_of(by.prompts->mode));
    }
    return text;
}

/// [speculation] of a command that drafts, and what it takes for granted.
struct Speculation {
    std::string table;
    std::string assumed;
};

std::variant<Speculation, WhyNot> speculation_of(const ServerCommand& command, const ServingData& data) {
    if (command.drafted == 0) {
        return Speculation{};
    }
    const auto method = std::ranges::find_if(data.drafts, [&](const DraftMethod& one) {
        return std::ranges::find(one.names, command.draft) != one.names.end();
    });
    if (method == data.drafts.end()) {
        return WhyNot{
            fmt::format("tokens are drafted by '{}', of whose acceptance nothing is known", command.draft)};
    }
    return Speculation{
        .table = fmt::format("[speculation]\ndrafted = {}\nacceptance = {}\npasses = {}\ncaptured = {}\n",
                             command.drafted,
                             method->acceptance,
                             method->passes,
                             !command.draft_eager && command.mode == "full"),
        .assumed = fmt::format("{:g} of drafted tokens are taken to be accepted ({:g} to {:g}; drafts.toml)",
                               method->acceptance,
                               method->least,
                               method->most)};
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
    StatedTypes types = stated_types(row.workload);
    if (!types.stated && !model->weights.empty()) {
        types = stated_types(model->weights);
    }
    const NightlyRun* nightly = nightly_run(data.nightly, row);
    if (const std::string why = unknown_system(row, types, nightly != nullptr); !why.empty()) {
        return WhyNot{why};
    }
    const bool mixture =
        networks::llm::open_model(models_folder(installation) / (model->file + ".json")).experts.has_value();
    const std::variant<ServedBy, WhyNot> found = served_by(row, data, mixture, unstated);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    const auto& by = std::get<ServedBy>(found);
    const std::optional<Machine> machine =
        machine_for(row,
                    devices_of(by, nightly == nullptr ? 0 : nightly->devices),
                    nightly == nullptr ? "" : nightly->machine);
    if (!machine) {
        return WhyNot{"no machine of this chip is described"};
    }
    const std::variant<Speculation, WhyNot> drafts = speculation_of(by.command, data);
    if (const auto* why = std::get_if<WhyNot>(&drafts)) {
        return *why;
    }
    ServedSystem system;
    system.tables = tables_of(*model, by, *machine, types, mixture) + std::get<Speculation>(drafts).table;
    system.scheduler = scheduler_keys(by.command);
    system.prefix_cache = by.command.prefix_cache;
    const bool bare = row.category == "e2e_latency" ||
                      lower(row.software).find("sglang") != std::string::npos || row.says("async");
    system.scheduler += bare || (by.known && !by.command.synchronous) ? "overlapped = true\n" : "";
    const auto assume = [&](const std::string& what) {
        system.assumed += what.empty() ? "" : (system.assumed.empty() ? "" : "; ") + what;
    };
    assume(by.assumed);
    assume(machine->assumed);
    assume(types.compressed ? "weights that are packed are taken as bytes" : "");
    assume(std::get<Speculation>(drafts).assumed);
    assume(by.command.mode == "piecewise" ? "steps are taken to be captured whole" : "");
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
    Load load = load_of(row);
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
    served.file = system.tables + "[scheduler]\n" + system.scheduler + requests_table(load);
    return served;
}

std::variant<StepKernelCase, WhyNot> step_kernel_case(const SystemRow& row,
                                                      const toolchain::Installation& installation,
                                                      const ServingData& data) {
    const std::optional<StepKernelCase> known = kernel_named(row, installation, data);
    if (!known) {
        return WhyNot{"no single kernel of a step, or none that says which"};
    }
    const std::optional<SourceStatement> statement =
        statement_about(row, read_statements(installation.measurements() / "statements.toml"));
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
