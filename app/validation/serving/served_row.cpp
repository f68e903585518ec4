// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/served_row.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "networks/llm/model_config.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

/// Letters and digits alone, and a point between digits: "Qwen3-30B-A3B" and "qwen3_30b_a3b" are the same.
std::string plain(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](std::size_t at) {
            return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
        };
        if (std::isalnum(static_cast<unsigned char>(text[i])) != 0) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
        } else if (text[i] == '.' && i > 0 && digit(i - 1) && digit(i + 1)) {
            result += '.';
        }
    }
    return result;
}

/// Names of models by those of others with the same layers.
std::string with_same_layers(std::string words) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> same{{
        {"deepseekr1", "deepseekv3"},
        {"deepseekv3.1", "deepseekv3"},
        {"minimaxm2.5", "minimaxm2"},
        {"minimaxm2.7", "minimaxm2"},
    }};
    for (const auto& [from, to] : same) {
        if (const std::size_t at = words.find(from); at != std::string::npos) {
            words.replace(at, from.size(), to);
        }
    }
    return words;
}

std::filesystem::path models_folder(const toolchain::Installation& installation) {
    return installation.scenarios() / "serving" / "models";
}

/// The shipped model that a row names; the longest name, which nothing goes on ("V3" is not "V3.2").
std::string model_of(const SystemRow& row, const toolchain::Installation& installation) {
    const std::string words = with_same_layers(plain(row.workload));
    std::string best;
    std::size_t length = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator{models_folder(installation), error}) {
        const std::string name = plain(entry.path().stem().string());
        const std::size_t at = words.find(name);
        const char next =
            at == std::string::npos || at + name.size() >= words.size() ? ' ' : words[at + name.size()];
        if (at != std::string::npos && next != '.' && name.size() > length) {
            best = entry.path().stem().string();
            length = name.size();
        }
    }
    return best;
}

/// True if the row says a word, whatever stands around it.
bool says_one_of(const SystemRow& row, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return row.says(word); });
}

/// Why a system of this row is not simulated; empty if it is.
std::string unknown_system(const SystemRow& row) {
    if (says_one_of(row, {"eagle", "mtp", "dflash", "spec 3", "speculative", "suffix"})) {
        return "tokens are drafted, and how many are accepted is not stated";
    }
    // Kimi-K2-Thinking is published with weights of four bits alone (its model card).
    if (says_one_of(row, {"w4a8", "w4a16", "c8", "w8a8sc", "kimi-k2-thinking"})) {
        return "weights or a cache of a format that is not simulated";
    }
    if (says_one_of(row, {"1p1d", " pd", "-pd", "disaggregated", "kv pool", "offload", "cpp"})) {
        return "prompts and decoding apart, or a cache elsewhere, in a layout that is not stated";
    }
    if (says_one_of(row, {"-vl-", "310p"})) {
        return "an image encoder, or a chip without the attention kernel";
    }
    return {};
}

/// "TP4": 4; nothing if it is not stated, or "TPNone".
std::optional<std::uint64_t> layout_number(const SystemRow& row, std::string_view word) {
    const std::string text = row.workload + " ";
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
        if (begins && std::isdigit(static_cast<unsigned char>(text[at + word.size()])) != 0) {
            return number_after(text.substr(at), lower(word));
        }
    }
    return std::nullopt;
}

struct Machine {
    std::string node;
    std::string chip;
    std::string assumed;
};

std::optional<Machine> machine_for(const SystemRow& row, std::uint64_t devices) {
    const std::optional<StatedChip> stated = stated_chip(row);
    if (!stated || (!stated->chip.starts_with("910b") && stated->chip != "910c")) {
        return std::nullopt;
    }
    const bool supernode = stated->chip == "910c";
    const std::string node = supernode ? "atlas800t_a3" : "atlas800t_a2";
    return Machine{devices > (supernode ? 16U : 8U) ? node + "_x2" : node, stated->chip, stated->assumed};
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
    }
    at = end;
    return value;
}

struct Load {
    double prompt = 0;
    double output = 0;
    double concurrency = 0;
    double count = 0;
    double rate = 0;    // requests/s at most; 0: as they end
    double prefix = 0;  // tokens of the prompt that requests share
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
    return unit == "tok/s" ? std::optional{ServedMetric::tokens_per_s} : std::nullopt;
}

std::string requests_table(const Load& load) {
    const double count = load.count > 0 ? load.count : std::max(1.0, 2 * load.concurrency);
    return fmt::format(
        "[requests]\narrivals = \"closed\"\nrate = {}\nconcurrency = {:.0f}\ncount = {:.0f}\nprompt = "
        "{:.0f}\noutput = {:.0f}\nprefix = {:.0f}\n",
        load.rate,
        load.concurrency,
        std::max(count, load.concurrency),
        load.prompt,
        load.output,
        load.prefix);
}

}  // namespace

std::variant<ServedSystem, WhyNot> system_of(const SystemRow& row,
                                             const toolchain::Installation& installation,
                                             UnstatedLayout unstated) {
    const std::string model = model_of(row, installation);
    if (model.empty()) {
        return WhyNot{"no description of this model is shipped"};
    }
    if (const std::string why = unknown_system(row); !why.empty()) {
        return WhyNot{why};
    }
    std::optional<std::uint64_t> tensor = layout_number(row, "TP");
    if (!tensor && number_in(row.devices) == 1 && row.devices.find("server") == std::string::npos &&
        row.devices.find("card") == std::string::npos) {
        tensor = 1;
    }
    ServedSystem system;
    const bool mixture =
        networks::llm::open_model(models_folder(installation) / (model + ".json")).experts.has_value();
    if (!tensor && unstated == UnstatedLayout::all_devices_if_dense && !mixture) {
        tensor = number_in(row.devices);
        system.assumed = fmt::format("each layer is taken to be shared by all {}", row.devices);
    }
    if (!tensor) {
        return WhyNot{"how the model is laid out is not stated"};
    }
    const std::uint64_t replicas = layout_number(row, "DP").value_or(1);
    const std::optional<Machine> machine = machine_for(row, *tensor * replicas);
    if (!machine) {
        return WhyNot{"no machine of this chip is described"};
    }
    const bool experts = (row.workload + " ").find("EP") != std::string::npos || replicas > 1;
    const bool bare = row.category == "e2e_latency" ||
                      lower(row.software).find("sglang") != std::string::npos || row.says("async");
    system.tables = fmt::format(
        "[serve]\nmodel = \"{}\"\nnode = \"{}\"\nchip = \"{}\"\nmode = \"{}\"\nweights = "
        "\"{}\"\n[layout]\ntensor = "
        "{}\nreplicas = {}\nexpert_parallel = {}\n",
        model,
        machine->node,
        machine->chip,
        row.says("eager") ? "queue" : "graph",
        row.says("w8a8") ? "int8" : "half",
        *tensor,
        replicas,
        mixture && experts);
    system.scheduler = bare ? "overlapped = true\n" : "";
    if (!machine->assumed.empty()) {
        system.assumed += (system.assumed.empty() ? "" : "; ") + machine->assumed;
    }
    return system;
}

std::variant<ServedCase, WhyNot> served_case(const SystemRow& row,
                                             const toolchain::Installation& installation) {
    const std::variant<ServedSystem, WhyNot> found = system_of(row, installation);
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
    served.metric = *metric;
    served.assumed = system.assumed;
    if (load.prefix > 0) {
        served.assumed += served.assumed.empty() ? "" : "; ";
        served.assumed += "all requests begin with the same tokens";
    }
    served.file = system.tables + "[scheduler]\n" + system.scheduler + requests_table(load);
    return served;
}

std::variant<StepKernelCase, WhyNot> step_kernel_case(const SystemRow& row,
                                                      const toolchain::Installation& installation) {
    const std::size_t colon = row.workload.rfind(": ");
    const bool listed = colon != std::string::npos;
    const std::string name =
        lower(listed ? row.workload.substr(colon + 2) : row.workload.substr(0, row.workload.find(' ')));
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> operators{{
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
        {"rmsnorm", "AddRmsNorm"},
        {"rope", "RotaryEmbedding"},
        {"moegatingtopk", "MoeGatingTopK"},
        {"dynamicquant", "DynamicQuant"},
    }};
    const auto known =
        std::ranges::find(operators, name, &std::pair<std::string_view, std::string_view>::first);
    if (known == operators.end()) {
        return WhyNot{"no single kernel of a step, or none that says which"};
    }
    const std::variant<ServedSystem, WhyNot> found = system_of(row, installation);
    if (const auto* why = std::get_if<WhyNot>(&found)) {
        return *why;
    }
    StepKernelCase kernel{.file = {}, .op = std::string{known->second}};
    const double batch = part_number(row, "b");
    const double context = part_number(row, "ctx");
    std::size_t at = 0;
    const double first = tokens_at(row.shape, at).value_or(0);  // "144x5120x768", "136 rows"
    const bool weights = known->first == "matmul down" && row.shape.find('x') == row.shape.rfind('x');
    kernel.rows = static_cast<std::uint64_t>(batch > 0 ? batch : weights ? 0 : first);
    kernel.keys = context;
    if (kernel.rows == 0 || (kernel.op == "FusedInferAttentionScore" && context == 0)) {
        return WhyNot{"its rows, or the keys that they see, are not stated"};
    }
    kernel.file = std::get<ServedSystem>(found).for_one_request();
    return kernel;
}

}  // namespace ascendsim::validation
