// SPDX-License-Identifier: Apache-2.0
#include "app/skeleton/argument_scan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/skeleton/argument_text.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::skeleton {
namespace {

using Words = std::vector<std::string_view>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, word) != list.end();
}

/// What the text does with the global tensors made of a parameter.
struct Traffic {
    std::string read_by;     // "DataCopy reads xGm"
    std::string written_by;  // "DataCopy writes zGm"
    std::string type;
    std::set<std::string> types;  // of all tensors made of it; "" where the text does not tell
};

class Scan {
public:
    Scan(const toolchain::ScannedEntry& entry, std::string_view source) : entry_{entry}, text_{source} {}

    [[nodiscard]] ScannedArgument argument(const std::string& written) const {
        const Words words = words_of(written);
        ScannedArgument result{.written = written,
                               .name = words.empty() ? written : std::string{words.back()},
                               .type = {},
                               .struct_name = {},
                               .fields = {},
                               .unlisted = {},
                               .reason = {}};
        const bool pointer = std::ranges::count(words, "*") + std::ranges::count(words, "GM_ADDR") > 0;
        pointer ? address(result, words) : by_value(result, words);
        return result;
    }

private:
    void by_value(ScannedArgument& result, const Words& words) const {
        if (std::string type = value_type(words); !type.empty()) {
            result.use = ArgumentUse::value;
            result.type = std::move(type);
            return;
        }
        for (const std::string_view word : words) {
            if (word != words.back() && structure(result, std::string{word})) {
                result.use = ArgumentUse::structure;
                result.reason = fmt::format("struct {}, by value", result.struct_name);
                return;
            }
        }
        // An enumeration or an alias: a number all the same.
        result.use = ArgumentUse::value;
        result.type = "uint32";
        result.unlisted = "its type is not known here; make it the right one";
    }

    /// Lists the members of struct `name`, if the text defines it.
    [[nodiscard]] bool structure(ScannedArgument& result, const std::string& name) const {
        const std::optional<StructText> found = text_.structure(name);
        if (!found) {
            return false;
        }
        result.struct_name = name;
        result.fields = found->fields;
        const bool biased =
            std::ranges::find(text_.calls(), "SetBias", &CallText::name) != text_.calls().end();
        for (ScannedField& field : result.fields) {
            if (biased && name == "TCubeTiling" && field.name == "isBias") {
                field.value = 1;  // the object asks for it
            }
        }
        result.unlisted = found->unlisted;
        return true;
    }

    void address(ScannedArgument& result, const Words& words) const {
        const std::set<std::string> names = names_of(result.name);
        for (const std::string_view word : words) {
            result.type = result.type.empty() && word != words.back() && word != "GM_ADDR"
                              ? element_type(word)
                              : result.type;
        }
        if (tiling(result, names, words)) {
            return;
        }
        const Traffic traffic = traffic_of(names);
        result.type = result.type.empty() ? traffic.type : result.type;
        result.one_type = traffic.types == std::set<std::string>{result.type};
        const std::string plain = lower(result.name);
        if (plain.find("workspace") != std::string::npos || plain == "ws") {
            result.use = ArgumentUse::workspace;
            result.reason = "by its name";
        } else if (!traffic.written_by.empty()) {
            result.use = traffic.read_by.empty() ? ArgumentUse::output : ArgumentUse::in_out;
            result.reason = traffic.written_by + (traffic.read_by.empty() ? "" : ", " + traffic.read_by);
        } else if (!traffic.read_by.empty()) {
            result.reason = traffic.read_by;
        } else if (std::ranges::find(words, "const") != words.end()) {
            result.reason = "it is const";
        } else {
            result.use = sounds_like_output(plain) ? ArgumentUse::output : ArgumentUse::input;
            result.reason = "by its name alone: the text does not show what becomes of it";
        }
    }

    /// Names of outputs as kernels spell them: z, out, y_out, dstGm.
    static bool sounds_like_output(const std::string& name) {
        for (const std::string_view part : {"out", "dst", "result", "res_"}) {
            if (name.find(part) != std::string::npos) {
                return true;
            }
        }
        return is_one_of(name, {"z", "y", "c", "zgm", "ygm", "cgm"});
    }

    /// The parameter's own name, and those that functions it is handed to as it is give it.
    [[nodiscard]] std::set<std::string> names_of(const std::string& name) const {
        std::set<std::string> names{name};
        for (const CallText& call : text_.calls_in(entry_.name)) {
            for (std::size_t i = 0; i < call.arguments.size(); ++i) {
                const Words& argument = call.arguments[i];
                if (argument.size() != 1 || argument.front() != name) {
                    continue;
                }
                for (const std::string& inner : text_.parameter_names(call.name, call.arguments.size(), i)) {
                    names.insert(inner);
                }
            }
        }
        // A name that another of the entry's parameters has means that one.
        for (const std::string& other : entry_.parameters) {
            const Words words = words_of(other);
            if (!words.empty() && words.back() != name) {
                names.erase(std::string{words.back()});
            }
        }
        return names;
    }

    [[nodiscard]] bool tiling(ScannedArgument& result,
                              const std::set<std::string>& names,
                              const Words& words) const {
        std::string struct_name;
        bool found = lower(result.name).find("tiling") != std::string::npos;
        result.reason = "by its name";
        for (const CallText& call : text_.calls()) {
            const bool copies = call.name.starts_with("GET_TILING_DATA") && !call.arguments.empty() &&
                                call.arguments.back().size() == 1 &&
                                names.contains(std::string{call.arguments.back()[0]});
            if (copies) {
                found = true;
                result.reason = std::string{call.name} + " copies it";
                struct_name = call.arguments.size() == 3 ? joined(call.arguments[0]) : struct_name;
            }
            if (call.name == "REGISTER_TILING_DEFAULT" && struct_name.empty() && !call.arguments.empty()) {
                struct_name = joined(call.arguments[0]);
            }
        }
        if (!found) {
            return false;
        }
        result.use = ArgumentUse::tiling;
        Words candidates = words;
        for (const std::string& name : names) {
            const Words cast = text_.cast_of(name);
            candidates.insert(candidates.end(), cast.begin(), cast.end());
        }
        const bool is_cast = candidates.size() > words.size();
        // A helper of the kernel's own that copies it: CopyTiling(TCubeTiling* tiling, GM_ADDR tilingGm).
        for (const CallText& call : text_.calls()) {
            const bool takes =
                call.name != entry_.name && std::ranges::any_of(call.arguments, [&](const Words& argument) {
                    return argument.size() > 1 && names.contains(std::string{argument.back()});
                });
            for (std::size_t i = 0; takes && i < call.arguments.size(); ++i) {
                // What else it takes may be a struct, too.
                std::ranges::copy_if(call.arguments[i],
                                     std::back_inserter(candidates),
                                     [](std::string_view word) { return word.find("Tiling") != word.npos; });
            }
        }
        // A loop over the words of the parameter that fills as many bytes as the struct has.
        for (const CallText& call : text_.calls()) {
            if (is_cast && call.name == "sizeof" && call.arguments.size() == 1 &&
                call.arguments[0].size() == 1) {
                candidates.push_back(call.arguments[0][0]);
            }
        }
        if (!struct_name.empty()) {
            candidates.insert(candidates.begin(), struct_name);
        }
        const bool listed = std::ranges::any_of(
            candidates, [&](std::string_view word) { return structure(result, std::string{word}); });
        if (!listed) {
            result.unlisted =
                struct_name.empty()
                    ? "its struct is not known here; list its members"
                    : fmt::format("struct {} is not in these files; list its members", struct_name);
        }
        return true;
    }

    [[nodiscard]] Traffic traffic_of(const std::set<std::string>& names) const {
        Traffic traffic;
        std::set<std::string> tensors;
        for (const CallText& call : text_.calls()) {
            if (call.name != "SetGlobalBuffer" || call.arguments.empty() || call.object.empty()) {
                continue;
            }
            const bool ours = std::ranges::any_of(
                call.arguments[0], [&](std::string_view word) { return names.contains(std::string{word}); });
            if (ours) {
                tensors.insert(std::string{call.object});
                const std::string type = buffer_type(call);
                traffic.type = traffic.type.empty() ? type : traffic.type;
                traffic.types.insert(type);
            }
        }
        for (const CallText& call : text_.calls()) {
            note(traffic, call, tensors);
        }
        return traffic;
    }

    /// The type of elements that a SetGlobalBuffer takes its pointer for.
    [[nodiscard]] std::string buffer_type(const CallText& call) const {
        for (const std::string_view word : call.arguments[0]) {
            if (std::string type = element_type(word); !type.empty()) {
                return type;
            }
        }
        return text_.tensor_type(call.object);
    }

    /// Who copies to and from the tensors. What a call writes stands first in it.
    static void note(Traffic& traffic, const CallText& call, const std::set<std::string>& tensors) {
        const auto is_ours = [&tensors](std::string_view word) {
            return tensors.contains(std::string{word});
        };
        if (is_ours(call.object)) {
            const bool stores = call.name == "SetValue";
            if (stores || call.name == "GetValue") {
                std::string& by = stores ? traffic.written_by : traffic.read_by;
                by = by.empty() ? fmt::format("{} {} {}", call.name, stores ? "writes" : "reads", call.object)
                                : by;
            }
            return;
        }
        const bool writes_first = is_one_of(call.name,
                                            {"DataCopy",
                                             "DataCopyPad",
                                             "Fixpipe",
                                             "InitGlobalMemory",
                                             "InitOutput",
                                             "IterateAll",
                                             "GetTensorC",
                                             "IterateBatch",
                                             "DataCopyScatter"});
        const bool reads =
            is_one_of(call.name, {"SetTensorA", "SetTensorB", "SetBias", "LoadData", "SetQuantVector"});
        if (!writes_first && !reads) {
            return;
        }
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            const Words& argument = call.arguments[i];
            if (argument.empty() || !is_ours(argument.front())) {
                continue;
            }
            const bool writes = writes_first && i == 0;
            std::string& by = writes ? traffic.written_by : traffic.read_by;
            by = by.empty()
                     ? fmt::format("{} {} {}", call.name, writes ? "writes" : "reads", argument.front())
                     : by;
        }
    }

    const toolchain::ScannedEntry& entry_;
    ArgumentText text_;
};

}  // namespace

std::string_view name(ArgumentUse use) {
    constexpr std::array<std::string_view, 7> names{
        "input", "output", "in_out", "workspace", "tiling", "value", "struct"};
    return names[static_cast<std::size_t>(use)];
}

std::vector<ScannedArgument> scan_arguments(const toolchain::ScannedEntry& entry, std::string_view source) {
    const Scan scan{entry, source};
    std::vector<ScannedArgument> result;
    for (const std::string& parameter : entry.parameters) {
        result.push_back(scan.argument(parameter));
    }
    return result;
}

}  // namespace ascendsim::skeleton
