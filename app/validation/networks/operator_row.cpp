// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/operator_row.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "networks/onnx/read_onnx.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

namespace fs = std::filesystem;
using OpenExtents = std::map<std::string, std::uint64_t, std::less<>>;

bool in_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

/// Names in a text without underscores, as in "aclnnSwiGlu": without what libraries put in front of them.
std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names;
    std::string name;
    for (const char letter : lower(text) + " ") {
        if (in_word(letter)) {
            name += letter;
        } else if (letter != '_' && !name.empty()) {
            for (const std::string_view front : {"aclnn", "npu", "fused"}) {
                if (name.starts_with(front) && name != front) {
                    name.erase(0, front.size());
                }
            }
            names.push_back(std::exchange(name, {}));
        }
    }
    return names;
}

/// Files of scenarios/networks/operators by their names without underscores.
std::map<std::string, fs::path> shipped_operators(const toolchain::Installation& installation) {
    std::map<std::string, fs::path> shipped;
    std::error_code error;
    for (const auto& entry :
         fs::directory_iterator{installation.scenarios() / "networks" / "operators", error}) {
        if (entry.path().extension() == ".onnxtxt") {
            std::string name = entry.path().stem().string();
            std::erase(name, '_');
            shipped[name] = entry.path();
        }
    }
    return shipped;
}

/// The networks that a text names; a name may be two words: "RMS norm".
std::set<fs::path> operators_in(std::string_view text, const toolchain::Installation& installation) {
    const std::map<std::string, fs::path> shipped = shipped_operators(installation);
    const std::vector<std::string> names = names_in(text);
    std::set<fs::path> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto both = i + 1 < names.size() ? shipped.find(names[i] + names[i + 1]) : shipped.end();
        const auto one = shipped.find(names[i]);
        if (both != shipped.end()) {
            found.insert(both->second);
            ++i;
        } else if (one != shipped.end()) {
            found.insert(one->second);
        }
    }
    return found;
}

/// Numbers that stand alone, as in "(64, 1280)", "144x5120x768" and "4096^3"; none if words stand between.
std::vector<std::uint64_t> bare_numbers(std::string_view shape) {
    std::vector<std::uint64_t> numbers;
    const std::string text = lower(shape);
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] >= '0' && text[at] <= '9') {
            const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
            const std::uint64_t number = number_in(std::string_view{text}.substr(at, end - at)).value_or(0);
            constexpr std::uint64_t most_axes = 8;
            if (at > 0 && text[at - 1] == '^' && !numbers.empty() && number <= most_axes) {
                numbers.resize(numbers.size() + number - 1, numbers.back());
            } else {
                numbers.push_back(number);
            }
            at = end;
        } else if (std::string_view{"x, ()[]*^"}.find(text[at]) == std::string_view::npos) {
            return {};
        } else {
            ++at;
        }
    }
    return numbers;
}

/// The number before a word: 16 of "16 heads".
std::optional<std::uint64_t> number_before(std::string_view text, std::string_view word) {
    const std::string small = lower(text);
    for (std::size_t at = small.find(word); at != std::string::npos; at = small.find(word, at + 1)) {
        const std::size_t last = at == 0 ? std::string::npos : small.find_last_not_of(' ', at - 1);
        if (last == std::string::npos || small[last] < '0' || small[last] > '9') {
            continue;
        }
        const std::size_t before = small.find_last_not_of("0123456789", last);
        return number_in(std::string_view{small}.substr(before == std::string::npos ? 0 : before + 1));
    }
    return std::nullopt;
}

/// An extent by its name, or by another that papers and profilers have for it.
std::optional<std::uint64_t> named_extent(std::string_view shape, const std::string& extent) {
    std::vector<std::string> words{extent};
    if (extent == "rows") {
        words.insert(words.end(), {"tokens", "batch"});
    } else if (extent == "width") {
        words.insert(words.end(), {"hidden", "dim"});
    }
    for (const std::string& word : words) {
        const std::optional<std::uint64_t> behind = number_after(shape, word);
        if (const std::optional<std::uint64_t> value = behind ? behind : number_before(shape, word)) {
            return value;
        }
    }
    return std::nullopt;
}

/// Names of the network's open extents, in the order of its inputs.
std::vector<std::string> open_extents(const networks::Graph& graph) {
    std::vector<std::string> open;
    for (const networks::Input& input : graph.inputs) {
        for (const networks::Extent& extent : input.shape) {
            const auto* name = std::get_if<std::string>(&extent);
            if (name != nullptr && std::ranges::find(open, *name) == open.end()) {
                open.push_back(*name);
            }
        }
    }
    return open;
}

/// The network's open extents as a list has them ("rows=64"); nothing if one is missing.
std::optional<OpenExtents> extents_among(const std::vector<std::string>& list, const networks::Graph& graph) {
    OpenExtents extents;
    for (const std::string& name : open_extents(graph)) {
        const auto found =
            std::ranges::find_if(list, [&](const std::string& one) { return one.starts_with(name + "="); });
        const std::optional<std::uint64_t> value =
            found == list.end() ? std::nullopt : number_after(*found, name + "=");
        if (!value || *value == 0) {
            return std::nullopt;
        }
        extents[name] = *value;
    }
    return extents;
}

/// The same as the row's shape names them ("heads 16 batch 4"), or lists them in the order of the network's
/// inputs ("64x1280").
std::optional<OpenExtents> extents_of(const SystemRow& row, const networks::Graph& graph) {
    const std::vector<std::string> open = open_extents(graph);
    const std::vector<std::uint64_t> listed = bare_numbers(row.shape);
    OpenExtents extents;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::optional<std::uint64_t> value =
            listed.size() == open.size() ? std::optional{listed[i]} : named_extent(row.shape, open[i]);
        if (!value || *value == 0) {
            return std::nullopt;
        }
        extents[open[i]] = *value;
    }
    return extents;
}

std::optional<OperatorMetric> metric_of_operator(const SystemRow& row) {
    constexpr std::array<std::pair<std::string_view, OperatorMetric>, 11> metrics{{
        {"task duration", OperatorMetric::fused},
        {"mean duration", OperatorMetric::fused},
        {"time", OperatorMetric::fused},
        {"fused time", OperatorMetric::fused},
        {"time after", OperatorMetric::fused},
        {"unfused time", OperatorMetric::apart},
        {"time before", OperatorMetric::apart},
        {"speedup", OperatorMetric::gain},
        {"gain", OperatorMetric::gain},
        {"unfused/fused", OperatorMetric::gain},
        {"before/after", OperatorMetric::gain},
    }};
    const auto found =
        std::ranges::find(metrics, lower(row.metric), &std::pair<std::string_view, OperatorMetric>::first);
    return found == metrics.end() ? std::nullopt : std::optional{found->second};
}

/// The element type that a row names; half if it names none.
isa::DataType type_of(const SystemRow& row) {
    for (const std::string& name : names_in(row.workload + " " + row.shape)) {
        if (name == "fp32" || name == "float32") {
            return isa::DataType::float32;
        }
        if (name == "bf16" || name == "bfloat16") {
            return isa::DataType::bfloat16;
        }
    }
    return isa::DataType::half;
}

/// The kernel of `<network>.toml`, whose knobs are extents by their names, or values.
std::optional<networks::Task> published_kernel(const fs::path& network,
                                               const OpenExtents& extents,
                                               isa::DataType type) {
    const fs::path file = fs::path{network}.replace_extension(".toml");
    if (std::error_code error; !fs::exists(file, error)) {
        return std::nullopt;
    }
    const TomlFile opened = TomlFile::open(file);
    TableReader table = opened.reader();
    networks::Task task{.kernel = table.get<std::string>("kernel"), .knobs = {}};
    for (const Node& name : table.require("shape").items()) {
        const auto extent = extents.find(name.as<std::string>());
        if (extent == extents.end()) {
            throw name.error("is no open extent of the network");
        }
        if (task.knobs.empty()) {
            task.knobs.emplace_back("shape", host::Shape{});
        }
        std::get<host::Shape>(task.knobs.front().second).push_back(extent->second);
    }
    task.knobs.emplace_back("dtype", std::string{isa::name(type)});
    table.finish();
    return task;
}

}  // namespace

std::variant<OperatorCase, WhyNot> operator_case(const SystemRow& row,
                                                 const toolchain::Installation& installation,
                                                 const std::optional<SourceStatement>& statement) {
    if (statement && !statement->refused.empty()) {
        return WhyNot{statement->refused};
    }
    const std::optional<OperatorMetric> metric = metric_of_operator(row);
    if (!metric) {
        return WhyNot{"no time of operators: a rate, or a time of a whole system"};
    }
    const bool fused_elsewhere = row.says("autofuse") && *metric != OperatorMetric::apart;
    if (row.says("triton") || row.says("tilelang") || fused_elsewhere) {
        return WhyNot{"written by a compiler whose code is not simulated"};
    }
    const std::set<fs::path> found = operators_in(row.workload, installation);
    if (found.size() != 1) {
        return WhyNot{found.empty() ? "no network of scenarios/networks/operators has this name"
                                    : "several operators, whose parts are not stated"};
    }
    const fs::path& file = *found.begin();
    const networks::Graph graph = networks::read_onnx(file);
    const std::optional<OpenExtents> stated =
        statement ? extents_among(statement->extents, graph) : std::nullopt;
    const std::optional<OpenExtents> extents = stated ? stated : extents_of(row, graph);
    if (!extents) {
        return WhyNot{"its shape does not state every extent of the operator"};
    }
    // A row that names its chip keeps it, and the clock of another one is not its clock.
    const std::optional<StatedChip> of_row = stated_chip(row);
    const bool open = !of_row || !of_row->assumed.empty();
    const bool chip_elsewhere = open && statement && !statement->chip.empty();
    const std::optional<StatedChip> chip = chip_elsewhere ? StatedChip{statement->chip, {}} : of_row;
    if (!chip) {
        return WhyNot{"no chip of this name is described"};
    }
    OperatorCase one{
        .network = {.file = file,
                    .extents = {},
                    .fuse = *metric == OperatorMetric::apart ? "none" : "all",
                    .precision = networks::Precision::as_stated,
                    .type = type_of(row)},
        .kernel = published_kernel(file, *extents, type_of(row)),
        .chip = chip->chip,
        .clock_ghz = statement && (chip_elsewhere || statement->chip.empty()) ? statement->clock_ghz : 0,
        .eager = statement && statement->eager && *metric == OperatorMetric::apart,
        .metric = *metric,
        .assumed = chip->assumed};
    if (stated || chip_elsewhere || one.clock_ghz > 0) {
        one.assumed += (one.assumed.empty() ? "" : "; ") + statement->why;
    }
    for (const auto& [name, value] : *extents) {
        one.network.extents.push_back(fmt::format("{}={}", name, value));
    }
    return one;
}

}  // namespace ascendsim::validation
