// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/nn/call_headers.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/process/file_text.hpp"
#include "toolchain/build/program_project.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_phase = "GetWorkspaceSize";

bool is_name_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string trimmed(std::string text) {
    const auto space = [](unsigned char letter) { return std::isspace(letter) != 0; };
    while (!text.empty() && space(static_cast<unsigned char>(text.back()))) {
        text.pop_back();
    }
    const auto first = std::ranges::find_if_not(text, space);
    return {first, text.end()};
}

/// "const aclTensor *x" as type and name.
CallSignature::Parameter parameter_of(const std::string& text) {
    std::string declared = trimmed(text.substr(0, text.find('=')));
    std::size_t begin = declared.size();
    while (begin > 0 && is_name_letter(declared[begin - 1])) {
        --begin;
    }
    return {.type = trimmed(declared.substr(0, begin)), .name = declared.substr(begin)};
}

bool is_end(const CallSignature::Parameter& one) {
    return one.type.find("aclOpExecutor") != std::string::npos ||
           (one.type.find("uint64_t") != std::string::npos && one.type.find('*') != std::string::npos);
}

/// epsilon_value -> epsilonValue.
std::string lower_camel_case(const std::string& name) {
    std::string result;
    bool raise = false;
    for (const char letter : name) {
        if (letter == '_') {
            raise = !result.empty();
            continue;
        }
        result += raise ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
        raise = false;
    }
    return result;
}

std::string attribute_type(const std::string& kind) {
    static const std::map<std::string, std::string> types{{"a Bool", "bool"},
                                                          {"a Float", "double"},
                                                          {"a String", "char*"},
                                                          {"a ListInt", "const aclIntArray*"},
                                                          {"a ListFloat", "const aclFloatArray*"},
                                                          {"a ListBool", "const aclBoolArray*"}};
    const auto found = types.find(kind);
    return found == types.end() ? "int64_t" : found->second;
}

/// Inputs whose values the host reads come as arrays.
std::string tensor_type(const tiling::DescribedParameter& one) {
    constexpr std::int32_t float32 = 0;
    constexpr std::int32_t boolean = 12;
    if (one.value_depends && !one.types.empty()) {
        const std::int32_t type = one.types.front();
        return type == float32   ? "const aclFloatArray*"
               : type == boolean ? "const aclBoolArray*"
                                 : "const aclIntArray*";
    }
    return one.kind == "list" ? "const aclTensorList*" : "const aclTensor*";
}

/// aclnnSwiGluQuantV2 of SwiGluQuant: 2. A type may end in a version of its own.
std::uint32_t version_of(const std::string& function, const std::string& type) {
    const std::size_t at = function.rfind('V');
    const bool numbered = at != std::string::npos && at + 1 < function.size() && !function.ends_with(type) &&
                          function.find_first_not_of("0123456789", at + 1) == std::string::npos &&
                          function.size() - at < 4;
    return numbered ? static_cast<std::uint32_t>(std::stoul(function.substr(at + 1))) : 1;
}

void add_headers(const std::string& text, std::set<std::string>& names) {
    for (const std::string& name : toolchain::included_names(text)) {
        const std::string file = fs::path{name}.filename().string();
        if (file.starts_with("aclnn_") && file.ends_with(".h") && file != "aclnn_util.h" &&
            file != "aclnn_base.h") {
            names.insert(file);
        }
    }
}

}  // namespace

std::vector<CallSignature> signatures_in(const std::string& text) {
    const std::string code = toolchain::without_comments(text);
    std::vector<CallSignature> all;
    for (std::size_t at = code.find(first_phase); at != std::string::npos;
         at = code.find(first_phase, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && is_name_letter(code[begin - 1])) {
            --begin;
        }
        const std::string function = code.substr(begin, at - begin);
        const toolchain::Call call = toolchain::find_call(code, function + std::string{first_phase}, begin);
        if (!function.starts_with("aclnn") || call.begin != begin) {
            continue;
        }
        CallSignature one{.function = function, .parameters = {}};
        for (const std::string& argument : call.arguments) {
            CallSignature::Parameter parameter = parameter_of(argument);
            if (!parameter.name.empty() && !is_end(parameter)) {
                one.parameters.push_back(std::move(parameter));
            }
        }
        all.push_back(std::move(one));
    }
    return all;
}

CallSignature generated_signature(const tiling::DescribedOperator& one, const std::string& function) {
    CallSignature result{.function = function, .parameters = {}};
    const std::uint32_t version = version_of(function, one.type);
    const auto add_tensors = [&](bool outputs) {
        for (const tiling::DescribedParameter& parameter : one.parameters) {
            if (parameter.output == outputs && parameter.since <= version) {
                const std::string optional = parameter.kind == "optional" ? "Optional" : "";
                // Where an input has the name, the output is it.
                const bool twice =
                    std::ranges::count(one.parameters, parameter.name, &tiling::DescribedParameter::name) > 1;
                if (twice && outputs) {
                    continue;
                }
                result.parameters.push_back({tensor_type(parameter),
                                             lower_camel_case(parameter.name) + (twice ? "Ref" : "") +
                                                 optional + (outputs ? "Out" : "")});
            }
        }
    };
    add_tensors(false);
    for (std::size_t i = 0; i < one.attributes.size(); ++i) {
        const auto& [name, kind] = one.attributes[i];
        if (one.attributes_since.at(i) <= version) {
            result.parameters.push_back({attribute_type(kind), lower_camel_case(name)});
        }
    }
    add_tensors(true);
    return result;
}

std::vector<std::string> call_headers_of(const toolchain::ProgramSources& sources,
                                         const toolchain::Installation& installation) {
    const toolchain::ProgramProject project =
        toolchain::program_project(sources, installation, toolchain::made_cache_folder("projects"));
    std::vector<fs::path> folders;
    for (const auto* flags : {&sources.flags, &project.flags}) {
        for (const std::string& flag : *flags) {
            if (flag.starts_with("-I")) {
                folders.emplace_back(flag.substr(2));
            }
        }
    }
    std::set<std::string> names;
    std::set<fs::path> seen;
    std::vector<fs::path> open{project.files.begin(), project.files.end()};
    open.insert(open.end(), sources.forced.begin(), sources.forced.end());
    while (!open.empty()) {
        const fs::path file = open.back().lexically_normal();
        open.pop_back();
        if (!seen.insert(file).second || !fs::is_regular_file(file)) {
            continue;
        }
        const std::string text = process::text_of(file);
        add_headers(text, names);
        for (const std::string& name : toolchain::included_names(text)) {
            open.push_back(file.parent_path() / name);
            for (const fs::path& folder : folders) {
                open.push_back(folder / name);
            }
        }
    }
    return {names.begin(), names.end()};
}

std::map<std::string, std::vector<fs::path>> call_headers_in(const fs::path& library) {
    std::map<std::string, std::vector<fs::path>> all;
    std::error_code error;
    fs::recursive_directory_iterator walk{library, fs::directory_options::skip_permission_denied, error};
    for (; !error && walk != fs::recursive_directory_iterator{}; walk.increment(error)) {
        const std::string name = walk->path().filename().string();
        if (walk->is_directory(error)) {
            if (toolchain::is_aside(walk->path()) || name == "experimental") {
                walk.disable_recursion_pending();
            }
        } else if (name.starts_with("aclnn_") && name.ends_with(".h")) {
            all[name].push_back(walk->path());
        }
    }
    for (auto& [name, paths] : all) {
        std::ranges::sort(paths);
    }
    return all;
}

std::string header_with_bodies(const std::vector<CallSignature>& signatures, const fs::path& declared) {
    std::string text =
        "#pragma once\n#include \"aclnn/aclnn_base.h\"\n#include \"runtime/acl/nn/nn_call.hpp\"\n";
    if (!declared.empty()) {
        text += fmt::format("#include \"{}\"\n", declared.string());
    }
    text += "extern \"C\" {\n";
    for (const CallSignature& one : signatures) {
        std::vector<std::string> parameters;
        std::vector<std::string> arguments;
        std::vector<std::string> names;
        for (const CallSignature::Parameter& parameter : one.parameters) {
            parameters.push_back(parameter.type + " " + parameter.name);
            names.push_back(parameter.name);
            arguments.push_back(fmt::format("::ascendsim::nn::argument(\"{0}\", {0})", parameter.name));
        }
        names.emplace_back("ascendsim_workspace");
        names.emplace_back("ascendsim_executor");
        parameters.emplace_back("uint64_t* ascendsim_workspace");
        parameters.emplace_back("aclOpExecutor** ascendsim_executor");
        arguments.emplace_back("::ascendsim::nn::argument(\"\", 0)");
        text += fmt::format(
            "[[gnu::weak]] aclnnStatus {0}GetWorkspaceSize({1}) {{\n"
            "    const ::ascendsim::nn::Argument all[]{{{2}}};\n"
            "    aclnnStatus own_status = 0;\n"
            "    if (::ascendsim::nn::by_own_code(\"{0}\", all, {3}, own_status, [&](void* own) {{\n"
            "            return reinterpret_cast<decltype(&{0}GetWorkspaceSize)>(own)({4}); }})) {{\n"
            "        return own_status;\n"
            "    }}\n"
            "    return ::ascendsim::nn::prepare(\"{0}\", all, {3}, ascendsim_workspace, "
            "ascendsim_executor);\n"
            "}}\n"
            "[[gnu::weak]] aclnnStatus {0}(void* workspace, uint64_t bytes, aclOpExecutor* executor, "
            "aclrtStream "
            "stream) {{\n"
            "    if (void* own = ::ascendsim::nn::own_second_phase(\"{0}\", executor)) {{\n"
            "        return reinterpret_cast<decltype(&{0})>(own)(workspace, bytes, executor, stream);\n"
            "    }}\n"
            "    return ::ascendsim::nn::start(\"{0}\", workspace, bytes, executor, stream);\n"
            "}}\n",
            one.function,
            fmt::join(parameters, ", "),
            fmt::join(arguments, ", "),
            one.parameters.size(),
            fmt::join(names, ", "));
    }
    text += "}\n";
    for (const CallSignature& one : signatures) {  // they note where they are called
        for (const std::string& name : {one.function + std::string{first_phase}, one.function}) {
            text += fmt::format(
                "#define {0}(...) (::ascendsim::nn::at(::ascendsim::Site::here()), {0}(__VA_ARGS__))\n",
                name);
        }
    }
    return text;
}

}  // namespace ascendsim::scenario
