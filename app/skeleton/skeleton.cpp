// SPDX-License-Identifier: Apache-2.0
#include "app/skeleton/skeleton.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/skeleton/argument_scan.hpp"
#include "app/skeleton/argument_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "toolchain/build/tiling_build.hpp"
#include "toolchain/project/operator_project.hpp"
#include "toolchain/scan/core_scan.hpp"
#include "toolchain/scan/operator_types.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"
#include "toolchain/scan/tiling_scan.hpp"

namespace ascendsim::skeleton {
namespace {

namespace fs = std::filesystem;

/// The source and the headers of its own that it includes, in one text.
std::string with_headers(const fs::path& source) {
    std::string all;
    std::set<fs::path> seen;
    std::vector<fs::path> open{source};
    while (!open.empty()) {
        const fs::path file = open.back();
        open.pop_back();
        if (!fs::is_regular_file(file) || !seen.insert(file.lexically_normal()).second) {
            continue;
        }
        const std::string text = process::text_of(file);
        all += text + "\n";
        for (const std::string& name : toolchain::included_names(text)) {
            open.push_back(file.parent_path() / name);
        }
    }
    return all;
}

/// The tiling structs of the operator's host side, which the kernel is compiled with, and a word on which one
/// it takes.
std::string host_tiling(const fs::path& source, const toolchain::Installation& installation) {
    toolchain::SourceClosure closure{
        source, toolchain::provided_folders(installation), toolchain::cache_folder() / "new"};
    const std::string text = toolchain::tiling_definitions(source, closure);
    constexpr std::string_view taken = "using AscendSimDefaultTiling = ";
    const std::size_t at = text.find(taken);
    if (at == std::string::npos) {
        return text;
    }
    const std::size_t begin = at + taken.size();
    return fmt::format(
        "{}REGISTER_TILING_DEFAULT({});\n", text, text.substr(begin, text.find(';', begin) - begin));
}

const toolchain::ScannedEntry& chosen(const std::vector<toolchain::ScannedEntry>& entries,
                                      const fs::path& source,
                                      const std::string& name) {
    std::vector<std::string> names;
    for (const toolchain::ScannedEntry& entry : entries) {
        names.push_back(entry.name);
    }
    if (entries.empty()) {
        throw UserError{"{}: has no __global__ function", source.string()};
    }
    if (name.empty() && entries.size() == 1) {
        return entries.front();
    }
    if (name.empty()) {
        throw UserError{"{}: has {} kernels; choose one with --entry: {}",
                        source.string(),
                        names.size(),
                        fmt::join(names, ", ")};
    }
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        throw UserError{"{}: --entry {}: no such kernel{} (it has: {})",
                        source.string(),
                        name,
                        nearest_hint(name, names),
                        fmt::join(names, ", ")};
    }
    return entries[static_cast<std::size_t>(found - names.begin())];
}

/// What a name says of the shape [8, 2048] that tensors get; none for other names.
std::optional<std::uint64_t> extent_of(std::string name) {
    constexpr std::uint64_t rows = 8;
    constexpr std::uint64_t columns = 2048;
    std::erase(name, '_');
    name = lower(name);
    const auto is_one_of = [&name](std::initializer_list<std::string_view> words) {
        return std::ranges::find(words, name) != words.end();
    };
    if (is_one_of(
            {"total", "totallength", "totalsize", "totalnum", "length", "n", "size", "count", "numel"})) {
        return rows * columns;
    }
    return is_one_of({"rows", "rownum", "numrows"})                       ? std::optional{rows}
           : is_one_of({"cols", "columns", "colnum", "numcols", "width"}) ? std::optional{columns}
                                                                          : std::nullopt;
}

/// What the source or a name tells; "?" for the rest, which the run asks for.
std::string value_of(const ScannedField& field) {
    const bool real = field.type.starts_with("float") || field.type == "bfloat16";
    std::string one = "\"?\"";
    if (field.value) {
        one = fmt::format("{}", *field.value);
    } else if (const auto extent = extent_of(field.name);
               field.count == 1 && !real && field.type != "bool" && extent) {
        one = fmt::format("{}", *extent);
    }
    return field.count == 1 || one.front() == '"'
               ? one
               : fmt::format("[{}]", fmt::join(std::vector<std::string>(field.count, one), ", "));
}

std::string_view value_words(const std::string& value) {
    return value.front() == '"' ? "the value that the host would give"
                                : "as its name says: of shape [8, 2048]";
}

std::string fields_text(const ScannedArgument& argument) {
    std::string text = "fields = [    # \"?\": fill in the value that the host would give\n";
    for (const ScannedField& field : argument.fields) {
        const std::string value = value_of(field);
        text += fmt::format(
            "    {{ name = \"{}\", type = \"{}\", value = {} }},{}\n",
            field.name,
            field.type,
            value,
            field.count > 1 && value.front() == '"' ? fmt::format("    # a list of {}", field.count) : "");
    }
    if (argument.fields.empty()) {
        text +=
            "    { name = \"n\", type = \"uint32\", value = \"?\" },    # the source does not tell its "
            "members\n";
    }
    return text + "]\n";
}

/// A tiling that the operator's own host side fills in.
std::string host_text(const fs::path& source, const fs::path& host) {
    return fmt::format(
        "host = \"{}\"    # its tiling function fills it in, and says blocks, workspace and tiling key\n"
        "# attributes = {{ }}    # those that differ from the operator's defaults\n",
        fs::relative(host, fs::absolute(source).parent_path()).string());
}

/// `shape`: what tensors get to begin with.
std::string body(const ScannedArgument& argument, const std::string& shape) {
    switch (argument.use) {
        case ArgumentUse::value: {
            const std::string value = value_of({.name = argument.name, .type = argument.type});
            return fmt::format(
                "type = \"{}\"\nvalue = {}    # {}\n", argument.type, value, value_words(value));
        }
        case ArgumentUse::structure:
        case ArgumentUse::tiling:
            return fields_text(argument);
        case ArgumentUse::workspace:
            return "bytes = 16777216    # the system's 16 MiB; add what the kernel itself uses\n";
        case ArgumentUse::input:
        case ArgumentUse::output:
        case ArgumentUse::in_out:
            break;
    }
    const std::string type = argument.type.empty() ? "type = \"float16\"    # not told by the source\n"
                                                   : fmt::format("type = \"{}\"\n", argument.type);
    const std::string_view file =
        argument.use == ArgumentUse::output
            ? "# expect = \"golden.npy\"    # what it should be; tolerance = { relative = 1e-3 }\n"
            : "# file = \"x.npy\"    # data of your own; or fill = \"ones\", { uniform = [-1, 1] } …\n";
    return fmt::format("{}shape = {}\n{}", type, shape, file);
}

/// True for a kernel of the Matmul object, whose tiling is given for one product on one core.
bool has_cube_tiling(const std::vector<ScannedArgument>& arguments) {
    return std::ranges::find(arguments, std::string_view{"TCubeTiling"}, &ScannedArgument::struct_name) !=
           arguments.end();
}

/// The shape that a tensor gets to begin with; of a product's operands that of its tiling.
std::string shape_of(const ScannedArgument& argument, bool of_product) {
    return !of_product                              ? "[8, 2048]    # give the right one"
           : argument.reason.starts_with("SetBias") ? "[128]    # as the tiling says"
                                                    : "[128, 128]    # as the tiling says";
}

std::string argument_text(const ScannedArgument& argument, const std::string& host, bool of_product) {
    std::string text = fmt::format("\n[[args]]    # {}\nname = \"{}\"\nrole = \"{}\"",
                                   argument.written,
                                   argument.name,
                                   name(argument.use));
    text += argument.reason.empty() ? "\n" : fmt::format("    # {}\n", argument.reason);
    if (argument.use == ArgumentUse::tiling && !host.empty()) {
        return text + host;
    }
    text += argument.unlisted.empty() ? "" : fmt::format("# {}\n", argument.unlisted);
    return text + body(argument, shape_of(argument, of_product));
}

bool is_tensor(const ScannedArgument& argument) {
    return argument.use == ArgumentUse::input || argument.use == ArgumentUse::output ||
           argument.use == ArgumentUse::in_out;
}

/// A kernel takes its operator's inputs and outputs in the order of the definition, which also names their
/// types.
void take_definition(std::vector<ScannedArgument>& arguments, const fs::path& source) {
    const std::vector<toolchain::DefinedTensor> tensors = toolchain::defined_tensors(source);
    const auto count = static_cast<std::size_t>(std::ranges::count_if(arguments, is_tensor));
    if (tensors.empty() || count != tensors.size()) {
        return;
    }
    auto tensor = tensors.begin();
    for (ScannedArgument& argument : arguments) {
        if (!is_tensor(argument)) {
            continue;
        }
        const bool both = argument.use == ArgumentUse::in_out && tensor->output;
        argument.use = both ? ArgumentUse::in_out : tensor->output ? ArgumentUse::output : ArgumentUse::input;
        argument.type = element_type(tensor->type);
        argument.reason = fmt::format("{} of the operator's definition", tensor->name);
        ++tensor;
    }
}

std::vector<ScannedArgument> arguments_of(const toolchain::ScannedEntry& entry,
                                          const std::string& text,
                                          const fs::path& source) {
    std::vector<ScannedArgument> arguments = scan_arguments(entry, text);
    take_definition(arguments, source);
    return arguments;
}

}  // namespace

std::vector<KernelSignature> signatures(const fs::path& source, const toolchain::Installation& installation) {
    const std::string text = with_headers(source);
    const std::string known = text + host_tiling(source, installation);
    std::vector<KernelSignature> found;
    for (const toolchain::ScannedEntry& entry : toolchain::scan_entries(process::text_of(source))) {
        const std::optional<CoreUse> by_calls = toolchain::cores_by_calls(text, entry.name);
        found.push_back({.entry = entry.name,
                         .is_template = entry.is_template,
                         .cores = entry.cores.value_or(by_calls.value_or(CoreUse::aiv)),
                         .arguments = arguments_of(entry, known, source)});
    }
    return found;
}

std::string scenario_skeleton(const fs::path& source,
                              const std::string& name,
                              const toolchain::Installation& installation) {
    const std::vector<toolchain::ScannedEntry> entries = toolchain::scan_entries(process::text_of(source));
    const toolchain::ScannedEntry& entry = chosen(entries, source, name);
    const std::string known = with_headers(source) + host_tiling(source, installation);
    const std::optional<CoreUse> cores = entry.cores;
    const std::optional<CoreUse> by_calls = toolchain::cores_by_calls(with_headers(source), entry.name);
    const fs::path tiling = toolchain::tiling_source_of(source);
    const std::string from_host = tiling.empty() ? std::string{} : host_text(source, tiling);
    const std::vector<ScannedArgument> arguments = arguments_of(entry, known, source);
    const bool of_product = tiling.empty() && has_cube_tiling(arguments);
    std::string text = fmt::format(
        "# Written for {0}: a start, read off its text. Check each role, give shapes and what is \"?\", "
        "then: ascendsim run {0}\n"
        "[scenario]\ntitle = \"{1}\"\nchip = \"910b3\"\n\n[launch]\nentry = \"{2}{3}\"\n{6}cores = "
        "\"{4}\"    # {5}\n",
        source.filename().string(),
        source.stem().string(),
        entry.name,
        entry.is_template ? "<half>" : "",
        ascendsim::name(cores.value_or(by_calls.value_or(CoreUse::aiv))),
        cores      ? "as the source says"
        : by_calls ? "by its cube calls; \"aic\": cube cores, \"mix_1_1\" or \"mix_1_2\": with one or two "
                     "vector cores each"
                   : "vector cores; \"aic\", \"mix_1_1\" or \"mix_1_2\" where the kernel has cube work",
        !tiling.empty() ? ""
        : of_product    ? "blocks = 1\n"
                        : "blocks = 8\n");
    std::string values;
    for (const ScannedArgument& argument : arguments) {
        text += argument_text(argument, from_host, of_product);
        if (argument.use == ArgumentUse::value && !extent_of(argument.name)) {
            values += fmt::format("# \"args.{}.value\" = [512, 1024, 2048]\n", argument.name);
        }
    }
    text += fmt::format(
        "\n# [expect]                # what 'ascendsim check {0}' holds it to\n# \"numerics.passed\" = "
        "true\n# races = "
        "\"none\"\n\n# [tune]                  # what 'ascendsim tune {0}' may choose\n# \"launch.blocks\" = "
        "[8, 16, "
        "32]\n{1}",
        fs::path{source}.replace_extension(".toml").filename().string(),
        values);
    return text;
}

}  // namespace ascendsim::skeleton
