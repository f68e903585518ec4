// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/operator_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> types{{
    {"DT_FLOAT", "float"},
    {"DT_FLOAT16", "half"},
    {"DT_BF16", "bfloat16_t"},
    {"DT_INT8", "int8_t"},
    {"DT_UINT8", "uint8_t"},
    {"DT_INT16", "int16_t"},
    {"DT_UINT16", "uint16_t"},
    {"DT_INT32", "int32_t"},
    {"DT_UINT32", "uint32_t"},
    {"DT_INT64", "int64_t"},
    {"DT_UINT64", "uint64_t"},
    {"DT_BOOL", "bool"},
    {"DT_DOUBLE", "double"},
    {"DT_INT4", "int4b_t"},
}};

std::string upper(std::string_view name) {
    std::string result{name};
    std::ranges::transform(
        result, result.begin(), [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return result;
}

/// op_host/<stem>_def.cpp in the folders above the source.
fs::path definition_of(const fs::path& source, const fs::path& root) {
    const std::string stem = source.stem().string();
    fs::path folder = source.parent_path();
    for (int i = 0; i < 4; ++i) {
        for (const std::string& name : {stem + "_def.cpp", stem + ".cpp"}) {
            if (fs::is_regular_file(folder / "op_host" / name)) {
                return folder / "op_host" / name;
            }
        }
        if (folder == root || !folder.has_parent_path()) {
            break;
        }
        folder = folder.parent_path();
    }
    return {};
}

/// The first word in `text` that starts with `prefix`.
std::string first_word(std::string_view text, std::string_view prefix) {
    std::string found;
    each_word(text, [&](std::string_view word, std::size_t) {
        if (found.empty() && word.starts_with(prefix)) {
            found = word;
        }
    });
    return found;
}

/// First type and format of each input and output, by upper-case name.
class OperatorDefinition {
public:
    explicit OperatorDefinition(const fs::path& file) : text_{without_comments(process::text_of(file))} {
        for (const char* call : {"Input", "Output"}) {
            for (Call at = find_call(text_, call); at.end != std::string::npos;
                 at = find_call(text_, call, at.end)) {
                if (at.arguments.size() == 1 && at.arguments[0].size() > 2 && at.arguments[0][0] == '"') {
                    const std::string& quoted = at.arguments[0];
                    const std::string name = quoted.substr(1, quoted.size() - 2);
                    tensors_.push_back({.name = name, .output = call[0] == 'O', .type = {}});
                    read(upper(name), at.end);
                }
            }
        }
    }

    [[nodiscard]] std::string type(const std::string& name) const {
        const auto known = types_.find(name);
        return known == types_.end() ? std::string{"DT_FLOAT16"} : known->second;
    }

    [[nodiscard]] std::string format(const std::string& name) const {
        const auto known = formats_.find(name);
        return known == formats_.end() ? std::string{} : known->second;
    }

    [[nodiscard]] const std::vector<DefinedTensor>& tensors() const { return tensors_; }

private:
    void read(const std::string& name, std::size_t from) {
        const std::size_t end = text_.find(';', from);
        const std::string chain = text_.substr(from, end == std::string::npos ? end : end - from);
        for (const char* call : {"DataType", "DataTypeList"}) {
            if (const Call list = find_call(chain, call); !list.arguments.empty()) {
                types_.try_emplace(name, named(list.arguments[0], "DT_"));
            }
        }
        if (const Call list = find_call(chain, "Format"); !list.arguments.empty()) {
            formats_.try_emplace(name, named(list.arguments[0], "FORMAT_"));
        }
    }

    /// The first entry of a list, which may stand elsewhere under a name.
    [[nodiscard]] std::string named(const std::string& argument, std::string_view prefix) const {
        std::string word = first_word(argument, prefix);
        if (word.empty()) {
            const std::size_t list = text_.find(argument + " = {");
            word =
                list == std::string::npos ? word : first_word(std::string_view{text_}.substr(list), prefix);
        }
        return word;
    }

    std::string text_;
    std::vector<DefinedTensor> tensors_;
    std::map<std::string, std::string> types_;
    std::map<std::string, std::string> formats_;
};

std::string type_of(const std::string& number) {
    const auto known =
        std::ranges::find(types, number, &std::pair<std::string_view, std::string_view>::first);
    return std::string{known == types.end() ? "half" : known->second};
}

}  // namespace

std::string type_macros(const fs::path& source, const SourceClosure& closure) {
    std::set<std::string> used;
    std::set<std::string> own;  // constants of the kernel
    for (const auto& [file, text] : closure.texts()) {
        const std::string plain = without_comments(text);
        std::string_view before;
        each_word(plain, [&](std::string_view word, std::size_t behind) {
            if (word.starts_with("DTYPE_") || word.starts_with("ORIG_DTYPE_") ||
                word.starts_with("FORMAT_")) {
                const bool parameter = before == "typename" || before == "class";  // of a template
                (parameter || is_given_a_value(plain, behind) ? own : used).emplace(word);
            }
            before = word;
        });
    }
    std::erase_if(used, [&](const std::string& word) { return own.contains(word); });
    const bool typed = std::ranges::any_of(used, [](const std::string& word) { return word[0] != 'F'; });
    if (!typed) {
        return {};
    }
    const OperatorDefinition definition{definition_of(fs::absolute(source), closure.root())};
    // The numbers of types are macros there, which would break the enumerators of the graph engine's header.
    const bool numbered = std::ranges::any_of(used, [](const std::string& word) { return word[0] != 'D'; });
    std::string result = numbered ? "#include \"kernels/ascendc/ascendc/operator_types.h\"\n" : "";
    for (const std::string& word : used) {
        const bool original = word.starts_with("ORIG_");
        const std::string name = word.substr(original ? 11 : word[0] == 'F' ? 7 : 6);
        std::string value = word[0] == 'F' ? definition.format(name)
                            : original     ? definition.type(name)
                                           : type_of(definition.type(name));
        if (value.empty() && (used.contains("DTYPE_" + name) || used.contains("ORIG_DTYPE_" + name))) {
            value = "FORMAT_ND";  // of a tensor that the definition does not have
        }
        if (!value.empty() && value != word) {
            result += "#ifndef " + word + "\n#define " + word + " " + value + "\n#endif\n";
        }
    }
    return result;
}

std::vector<DefinedTensor> defined_tensors(const fs::path& source) {
    const fs::path file = definition_of(fs::absolute(source), {});
    if (file.empty()) {
        return {};
    }
    const OperatorDefinition definition{file};
    std::vector<DefinedTensor> tensors = definition.tensors();
    for (DefinedTensor& tensor : tensors) {
        tensor.type = type_of(definition.type(upper(tensor.name)));
    }
    return tensors;
}

}  // namespace ascendsim::toolchain
