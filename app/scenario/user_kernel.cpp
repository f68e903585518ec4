// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/user_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <variant>

#include <fmt/ranges.h>

#include "app/scenario/argument_fill.hpp"
#include "app/scenario/argument_types.hpp"
#include "app/scenario/compile_table.hpp"
#include "app/scenario/packed_fields.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/formula.hpp"
#include "kernels/plan/npy.hpp"
#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/template_choice.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;
using host::Buffer;
using host::Role;

constexpr double max_extent = 1099511627776.0;  // 2^40
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 42U;

/// Reads the arguments of a scenario one by one.
class ArgumentReader {
public:
    ArgumentReader(UserKernel& kernel, fs::path folder) : kernel_{kernel}, folder_{std::move(folder)} {}

    void read(TableReader table) {
        const Node name_node = table.require("name");
        const auto name = name_node.as<std::string>();
        if (name.empty() || arguments.contains(name)) {
            throw name_node.error(name.empty() ? "must not be empty"
                                               : fmt::format("'{}' is there twice", name));
        }
        const std::string role =
            table.choice("role", {"input", "output", "in_out", "workspace", "tiling", "value", "struct"});
        if (role == "value") {
            const Node type = table.require("type");
            const Node value = table.require("value");
            value_types[name] = host::parse_type(type.as<std::string>(), type.place());
            if (const std::optional<double> number = number_of(value)) {
                numbers[name] = *number;
                TomlValue computed = value.value();
                if (*number == std::trunc(*number) && std::abs(*number) < 0x1p53) {
                    computed.data = static_cast<std::int64_t>(*number);
                } else {
                    computed.data = *number;
                }
                arguments[name] = {.buffer = {},
                                   .value = pack_value(type, Node{value.file(), computed, value.path()})};
            } else {
                arguments[name] = {.buffer = {}, .value = pack_value(type, value)};
            }
        } else if (role == "struct") {
            arguments[name] = {.buffer = {}, .value = pack_fields(table.require("fields"))};
        } else {
            kernel_.plan.buffers.push_back(buffer(table, name, role));
            arguments[name] = host::Argument::address(name);
        }
        order.push_back(name);
        table.finish();
    }

    /// Takes the numbers that an argument by value has, before any is read: shapes may stand before them.
    void take_number(TableReader table) {
        const std::optional<Node> role = table.find("role");
        const std::optional<Node> value = table.find("value");
        if (role && role->is_string() && role->as<std::string>() == "value" && value && is_number(*value)) {
            numbers[table.get<std::string>("name")] = value->as<double>();
        }
    }

    std::map<std::string, double> numbers;  // of arguments by value, and by name
    std::map<std::string, host::Argument> arguments;
    std::map<std::string, isa::DataType> value_types;  // of arguments by value
    std::vector<std::string> order;
    std::map<std::string, fs::path> expected;       // by output
    std::map<std::string, host::Formula> formulas;  // by output: of its expected elements
    std::map<std::string, Node> formula_places;

private:
    Buffer buffer(TableReader& table, const std::string& name, const std::string& role) {
        if (role == "workspace") {
            return Buffer::workspace(name, table.get<std::uint64_t>("bytes", {0, 1e12}));
        }
        if (role == "tiling") {
            Buffer tiling{.name = name,
                          .type = isa::DataType::uint8,
                          .shape = {},
                          .role = Role::tiling,
                          .control = true};
            if (const std::optional<Node> host = table.find("host")) {
                kernel_.tiling = read_tiling_question(table, *host, name);
                return tiling;
            }
            std::vector<std::byte> bytes = pack_fields(table.require("fields"));
            tiling.shape = {bytes.size()};
            tiling.fill = host::fill::Content{std::move(bytes)};
            return tiling;
        }
        Buffer tensor{.name = name, .shape = {}};
        tensor.role = role == "input" ? Role::input : role == "output" ? Role::output : Role::in_out;
        content(table, tensor);
        check_size(table, tensor);
        tensor.control = table.get_or<bool>("control", false);
        if (tensor.role != Role::input) {
            output(table, tensor);
        }
        return tensor;
    }

    /// Type, shape and fill; a file tells type and shape itself.
    void content(TableReader& table, Buffer& tensor) {
        const std::optional<Node> type = table.find("type");
        const std::optional<Node> shape = table.find("shape");
        const std::optional<Node> file = tensor.role == Role::output ? std::nullopt : table.find("file");
        if (file) {
            const fs::path path = folder_ / file->as<std::string>();
            const host::NpyArray array = read_array(path, *file);
            tensor.type = array.type;
            tensor.shape = array.shape;
            tensor.fill = host::fill::Npy{path};
        }
        if (type || !file) {
            const Node node = type ? *type : table.require("type");
            tensor.type = host::parse_type(node.as<std::string>(), node.place());
        }
        if (shape || !file) {
            tensor.shape.clear();
            const Node extents = shape ? *shape : table.require("shape");
            for (const Node& extent : extents.items()) {
                tensor.shape.push_back(extent.is_string() ? whole_number(extent)
                                                          : extent.as<std::uint64_t>());
            }
        }
        if (const std::optional<Node> fill = table.find("fill")) {
            // A file given for one run replaces the fill of the scenario.
            const bool replaced = file && file->line() == 0 && fill->line() != 0;
            if (replaced) {
                return;
            }
            if (file || tensor.role == Role::output) {
                throw fill->error(file ? "the file fills it already"
                                       : "an output is not filled; use role = \"in_out\"");
            }
            tensor.fill = read_fill(*fill);
        } else if (!file && tensor.role != Role::output) {
            tensor.fill = host::fill::Uniform{};
        }
    }

    static bool is_number(const Node& node) {
        return std::holds_alternative<std::int64_t>(node.value().data) ||
               std::holds_alternative<double>(node.value().data);
    }

    /// What a formula of other arguments' values comes to; none for a value that is no text.
    [[nodiscard]] std::optional<double> number_of(const Node& node) const {
        if (!node.is_string()) {
            return std::nullopt;
        }
        const host::Formula formula{node.as<std::string>(), fmt::format("{}: {}", node.place(), node.path())};
        std::vector<double> values;
        for (const std::string& name : formula.names()) {
            const auto known = numbers.find(name);
            if (known == numbers.end()) {
                std::vector<std::string> all;
                for (const auto& [one, number] : numbers) {
                    all.push_back(one);
                }
                throw node.error(
                    fmt::format("'{}' is neither a number nor an argument by value that stands before{} ({})",
                                name,
                                nearest_hint(name, all),
                                all.empty() ? std::string{"there is none"}
                                            : fmt::format("there are: {}", fmt::join(all, ", "))));
            }
            values.push_back(known->second);
        }
        return formula.value(values);
    }

    /// An extent that a formula gives.
    [[nodiscard]] std::uint64_t whole_number(const Node& node) const {
        const double number = *number_of(node);
        if (!(number >= 0) || number != std::trunc(number) || number > max_extent) {
            throw node.error(fmt::format("comes to {:g}, which is no extent", number));
        }
        return static_cast<std::uint64_t>(number);
    }

    /// `node` names the file.
    static host::NpyArray read_array(const fs::path& file, const Node& node) {
        if (node.as<std::string>().empty()) {
            throw node.error("names no file");
        }
        return host::read_npy(file, fmt::format("{}: {}", node.place(), node.path()));
    }

    static void check_size(const TableReader& table, const Buffer& tensor) {
        double count = 1;
        for (const std::uint64_t extent : tensor.shape) {
            count *= static_cast<double>(extent);
        }
        if (count > max_extent) {
            throw table.error("shape",
                              fmt::format("{} has more than 2^40 elements", host::text(tensor.shape)));
        }
    }

    void output(TableReader& table, const Buffer& tensor) {
        if (tensor.role == Role::output) {
            if (const std::optional<Node> file = table.find("file")) {
                kernel_.outputs.push_back({tensor.name, folder_ / file->as<std::string>()});
            }
        } else if (const std::optional<Node> file = table.find("save")) {
            kernel_.outputs.push_back({tensor.name, folder_ / file->as<std::string>()});
        }
        const std::optional<Node> expect = table.find("expect");
        host::Tolerance tolerance{.output = tensor.name};
        if (std::optional<TableReader> limits = table.find_table("tolerance")) {
            tolerance.absolute =
                limits->get_or<double>("absolute", 0, {0, std::numeric_limits<double>::max()});
            tolerance.relative =
                limits->get_or<double>("relative", 0, {0, std::numeric_limits<double>::max()});
            tolerance.ulp = limits->get_or<std::uint32_t>("ulp", 0);
            limits->finish();
        }
        if (expect && fs::path{expect->as<std::string>()}.extension() != ".npy") {
            formulas.emplace(tensor.name,
                             host::Formula{expect->as<std::string>(),
                                           fmt::format("{}: {}", expect->place(), expect->path())});
            formula_places.emplace(tensor.name, *expect);
            kernel_.plan.tolerances.push_back(tolerance);
        } else if (expect) {
            const fs::path file = folder_ / expect->as<std::string>();
            const host::NpyArray array = read_array(file, *expect);
            if (host::elements(array.shape) != tensor.count()) {
                throw expect->error(fmt::format("its shape {} has {} elements, the output's {} has {}",
                                                host::text(array.shape),
                                                host::elements(array.shape),
                                                host::text(tensor.shape),
                                                tensor.count()));
            }
            expected[tensor.name] = file;
            kernel_.plan.tolerances.push_back(tolerance);
        }
    }

    UserKernel& kernel_;
    fs::path folder_;
};

/// A kernel's source, and the functions found in it.
struct Source {
    explicit Source(const fs::path& file) {
        text = process::text_of(file);
        entries = toolchain::scan_entries(text);
        for (toolchain::ScannedEntry& made : toolchain::made_entries(text)) {
            if (std::ranges::find(entries, made.name, &toolchain::ScannedEntry::name) == entries.end()) {
                made_by_macros.push_back(std::move(made));
            }
        }
    }

    /// A function by its name, however it comes about; null if none is found.
    [[nodiscard]] const toolchain::ScannedEntry* find(const std::string& name) const {
        for (const auto* all : {&entries, &made_by_macros}) {
            const auto found = std::ranges::find(*all, name, &toolchain::ScannedEntry::name);
            if (found != all->end()) {
                return &*found;
            }
        }
        return nullptr;
    }

    std::string text;
    std::vector<toolchain::ScannedEntry> entries;
    std::vector<toolchain::ScannedEntry> made_by_macros;  // beside the others
};

/// A template's name with the first arguments that its project declares for it; other names as they are.
std::string instance_of(const std::string& name, const UserKernel& kernel, const Source& source) {
    const toolchain::ScannedEntry* const entry = source.find(name);
    if (entry == nullptr || !entry->is_template) {
        return name;
    }
    const std::string arguments = toolchain::first_template_arguments(kernel.source);
    return arguments.empty() ? name : fmt::format("{}<{}>", name, arguments);
}

/// The function a launch names, or the only one there is.
std::string entry_name(TableReader& table, const UserKernel& kernel, const Source& source) {
    std::vector<std::string> names;
    for (const toolchain::ScannedEntry& entry : source.entries) {
        names.push_back(entry.name);
    }
    const std::optional<Node> given = table.find("entry");
    if (!given && names.size() == 1) {
        return instance_of(names.front(), kernel, source);
    }
    if (!given) {
        throw table.error("entry",
                          fmt::format("must name a kernel function of {} (it has: {})",
                                      kernel.source.filename().string(),
                                      fmt::join(names, ", ")));
    }
    const auto name = given->as<std::string>();
    const std::string base = name.substr(0, name.find('<'));
    // A macro of a header may make functions that the scan does not see; then the compiler has the last word.
    const bool mentioned = source.text.find(base) != std::string::npos && base.find(':') == std::string::npos;
    if (!mentioned && source.find(name) == nullptr && source.find(base) == nullptr) {
        std::ranges::transform(
            source.made_by_macros, std::back_inserter(names), &toolchain::ScannedEntry::name);
        if (names.empty()) {
            throw given->error(fmt::format(
                "'{}' is no kernel function of {}: its text holds none (__global__), nor do macros "
                "of its own make one; the name of one that a header's macro makes must stand in "
                "the source, if only in a comment",
                name,
                kernel.source.filename().string()));
        }
        throw given->error(fmt::format("'{}' is no kernel function of {}{} (it has: {})",
                                       name,
                                       kernel.source.filename().string(),
                                       nearest_hint(base, names),
                                       fmt::join(names, ", ")));
    }
    return instance_of(name, kernel, source);
}

host::Launch read_launch(TableReader table,
                         const UserKernel& kernel,
                         const ArgumentReader& given,
                         const Source& source) {
    host::Launch launch{
        .entry = entry_name(table, kernel, source), .arguments = {}, .label = {}, .kernel = {}};
    const toolchain::ScannedEntry* const scanned =
        source.find(launch.entry.substr(0, launch.entry.find('<')));
    launch.blocks = table.get_or<std::uint32_t>("blocks", kernel.tiling ? 0 : 1, {1, 65535});
    if (const std::optional<Node> cores = table.find("cores")) {
        launch.cores = read_core_use(*cores);
    } else if (scanned != nullptr) {
        launch.cores = scanned->cores.value_or(CoreUse::aiv);
    }
    launch.label = table.get_or<std::string>("label", {});
    std::vector<std::string> names = given.order;
    const std::optional<Node> listed = table.find("arguments");
    if (listed) {
        names = listed->list<std::string>();
    }
    std::vector<GivenArgument> types;
    for (const std::string& name : names) {
        const auto found = given.arguments.find(name);
        if (found == given.arguments.end()) {
            throw listed->error(fmt::format("'{}' is no argument{}", name, nearest_hint(name, given.order)));
        }
        launch.arguments.push_back(found->second);
        const auto value = given.value_types.find(name);
        types.push_back(
            {.name = name,
             .value = value == given.value_types.end() ? std::nullopt : std::optional{value->second},
             .address = !found->second.buffer.empty()});
    }
    table.finish();
    if (const std::string wrong = scanned == nullptr
                                      ? std::string{}
                                      : wrong_type(*scanned, source.text, types, kernel.plan.buffers);
        !wrong.empty()) {
        throw table.node().error(wrong);
    }
    return launch;
}

void read_work(TableReader& root, host::Plan& plan) {
    for (const Buffer& buffer : plan.buffers) {
        const bool twice = buffer.role == Role::in_out;
        plan.work.gm_bytes += buffer.role == Role::workspace ? 0 : buffer.bytes() * (twice ? 2 : 1);
    }
    const auto is_type = [](isa::DataType type) {
        return [type](const Buffer& buffer) { return buffer.type == type; };
    };
    if (std::ranges::any_of(plan.buffers, is_type(isa::DataType::float32)) &&
        std::ranges::none_of(plan.buffers, is_type(isa::DataType::half)) &&
        std::ranges::none_of(plan.buffers, is_type(isa::DataType::bfloat16))) {
        plan.work.vector_type = isa::DataType::float32;
    }
    if (std::optional<TableReader> work = root.find_table("work")) {
        constexpr Limits any{0, 1e30};
        plan.work.cube_flops = work->get_or<double>("cube_flops", 0, any);
        plan.work.vector_flops = work->get_or<double>("vector_flops", 0, any);
        plan.work.gm_bytes = work->get_or<std::uint64_t>("gm_bytes", plan.work.gm_bytes);
        for (auto [key, type] :
             {std::pair{"cube_type", &plan.work.cube_type}, {"vector_type", &plan.work.vector_type}}) {
            if (const std::optional<Node> node = work->find(key)) {
                *type = host::parse_type(node->as<std::string>(), node->place());
            }
        }
        work->finish();
    }
}

void set_compilation(UserKernel& kernel, CompileChoice choice) {
    if (!choice.arguments.empty()) {
        throw UserError{
            "{}: a kernel takes its arguments from [[args]]; only host programs have words behind '--'",
            kernel.source.string()};
    }
    kernel.flags = std::move(choice.flags);
    for (const fs::path& header : choice.headers) {
        kernel.flags.insert(kernel.flags.end(), {"-include", header.string()});
    }
    kernel.more_sources = std::move(choice.sources);
}

/// Reads the table [launch], or all of several.
void read_launches(TableReader& root, UserKernel& kernel, const ArgumentReader& arguments) {
    const Source text{kernel.source};
    const std::optional<Node> launch = root.find("launch");
    if (!launch) {
        static_cast<void>(root.find("work"));
        root.finish();  // a misspelt table tells more than that one is missing
        throw root.error("launch", "must say how to start the kernel: [launch] entry, blocks, cores");
    }
    for (const Node& node : launch->is_array() ? launch->items() : std::vector<Node>{*launch}) {
        kernel.plan.launches.push_back(read_launch(node.table(), kernel, arguments, text));
    }
    if (kernel.plan.launches.empty()) {
        throw launch->error("must name at least one launch");
    }
}

/// The names of a formula must be inputs of as many elements as the output, or of one, or arguments by value.
void check_formulas(const host::Plan& plan, const ArgumentReader& arguments) {
    const auto find = [&plan](const std::string& name) {
        return std::ranges::find(plan.buffers, name, &Buffer::name);
    };
    for (const auto& [output, formula] : arguments.formulas) {
        for (const std::string& name : formula.names()) {
            const auto input = find(name);
            const Node& place = arguments.formula_places.at(output);
            if (input == plan.buffers.end() && !arguments.numbers.contains(name)) {
                throw place.error(
                    fmt::format("'{}' is neither a file (.npy) nor an argument of the kernel", name));
            }
            if (input != plan.buffers.end() && input->count() != 1 &&
                input->count() != find(output)->count()) {
                throw place.error(fmt::format(
                    "{} has {} elements, {} has {}", name, input->count(), output, find(output)->count()));
            }
        }
    }
}

void compute_expected(std::vector<double>& values,
                      const host::Formula& formula,
                      const std::map<std::string, double>& numbers,
                      host::ReferenceData& data) {
    std::vector<const std::vector<float>*> tensors;
    std::vector<double> operands;
    for (const std::string& name : formula.names()) {
        const auto number = numbers.find(name);
        tensors.push_back(number == numbers.end() ? &data.floats(name) : nullptr);
        operands.push_back(number == numbers.end() ? 0 : number->second);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t operand = 0; operand < operands.size(); ++operand) {
            if (const std::vector<float>* const tensor = tensors[operand]) {
                operands[operand] = (*tensor)[tensor->size() == 1 ? 0 : i];
            }
        }
        values[i] = formula.value(operands);
    }
}

void read_expected(std::vector<double>& values, const fs::path& file) {
    const host::NpyArray array = host::read_npy(file);
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        values[i] = host::read_element(array.type, array.bytes, i);
    }
}

}  // namespace

UserKernel read_user_kernel(TableReader& root, const fs::path& source) {
    UserKernel kernel{
        .source = source, .more_sources = {}, .flags = {}, .plan = {}, .outputs = {}, .tiling = {}};
    const fs::path folder = root.node().file().folder();
    ArgumentReader arguments{kernel, folder};
    std::uint64_t total = 0;
    for (TableReader& table : root.tables("args")) {
        arguments.take_number(table);
    }
    for (TableReader& table : root.tables("args")) {
        arguments.read(table);
        total += kernel.plan.buffers.empty() ? 0 : kernel.plan.buffers.back().bytes();
        if (total > max_bytes) {
            throw table.error("shape", "the arguments take more than 4 TiB");
        }
    }
    set_compilation(kernel, read_compile(root));
    read_launches(root, kernel, arguments);
    read_work(root, kernel.plan);
    kernel.plan.problem = source.filename().string();
    check_formulas(kernel.plan, arguments);
    if (!arguments.expected.empty() || !arguments.formulas.empty()) {
        kernel.plan.reference = [expected = arguments.expected,
                                 formulas = arguments.formulas,
                                 numbers = arguments.numbers](host::ReferenceData& data) {
            for (const auto& [output, file] : expected) {
                read_expected(data.expected(output), file);
            }
            for (const auto& [output, formula] : formulas) {
                compute_expected(data.expected(output), formula, numbers, data);
            }
        };
    }
    return kernel;
}

}  // namespace ascendsim::scenario
