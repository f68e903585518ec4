// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/tiling_scan.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "sim/base/lower_case.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

bool is_header(const fs::path& file) {
    return file.extension() == ".h" || file.extension() == ".hpp";
}

/// The folders that may hold the operator's tiling headers, nearest first; the first with definitions counts.
std::vector<fs::path> tiling_folders(const fs::path& source, const fs::path& root) {
    std::vector<fs::path> folders;
    fs::path folder = source.parent_path();
    for (int i = 0; i < 4; ++i) {
        for (const char* name : {"op_host", "tiling", "op_kernel"}) {
            if (fs::is_directory(folder / name)) {
                folders.push_back(folder / name);
            }
        }
        if (folder == root || !folder.has_parent_path()) {
            break;
        }
        folder = folder.parent_path();
    }
    return folders;
}

std::vector<fs::path> headers_in(const fs::path& folder) {
    std::vector<fs::path> headers;
    std::error_code error;
    for (fs::recursive_directory_iterator walk{folder, error}, end; !error && walk != end;
         walk.increment(error)) {
        if (is_header(walk->path())) {
            headers.push_back(walk->path());
        }
    }
    std::ranges::sort(headers);
    return headers;
}

bool is_one_of(std::string_view name, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& other) { return same_letters(name, other); });
}

/// What the operator of a kernel may be registered as: named after the file, its functions, its folder.
std::vector<std::string> operator_names_of(const fs::path& source, const std::string& text) {
    std::vector<std::string> names{camel_case(source.stem().string())};
    for (const ScannedEntry& entry : scan_entries(text)) {
        names.push_back(camel_case(entry.name));
    }
    if (source.parent_path().filename() == "op_kernel") {
        names.push_back(camel_case(source.parent_path().parent_path().filename().string()));
    }
    return names;
}

/// True if a text registers a tiling struct for one of the operators.
bool registers(const std::string& text, const std::vector<std::string>& operator_names) {
    for (Call call = find_call(text, "REGISTER_TILING_DATA_CLASS"); call.end != std::string::npos;
         call = find_call(text, "REGISTER_TILING_DATA_CLASS", call.end)) {
        if (!call.arguments.empty() && is_one_of(call.arguments[0], operator_names)) {
            return true;
        }
    }
    return false;
}

struct Definition {
    std::string name;
    std::string text;
};

/// Structs, constants and registrations of tiling headers.
class Definitions {
public:
    explicit Definitions(SourceClosure& closure) : closure_{closure} {
        for (const auto& [file, text] : closure_.texts()) {
            opens_host_side_ = opens_host_side_ || text.find("using namespace optiling") != std::string::npos;
        }
    }

    /// Reads a header and what it includes of that kind; true if it defines anything.
    bool read(const fs::path& header) {
        if (!seen_.insert(header).second) {
            return false;
        }
        const std::string text = without_dead_code(without_comments(process::text_of(header)));
        if (closure_.texts().contains(header) && !is_of_the_host_side(text)) {
            return false;
        }
        if (text.find("define BEGIN_TILING_DATA_DEF") != std::string::npos) {
            return false;
        }
        bool any = false;
        for (const std::string& name : included_names(text)) {
            if (name.find("tiling") == std::string::npos) {
                continue;
            }
            fs::path other = (header.parent_path() / name).lexically_normal();
            if (!fs::is_regular_file(other)) {
                std::string_view tail = name;
                while (tail.starts_with("../")) {
                    tail.remove_prefix(3);
                }
                other = closure_.nearest(tail, header);
            }
            any = (!other.empty() && read(other)) || any;
        }
        read_structs(text);
        read_constants(text);
        return any || text.find("BEGIN_TILING_DATA_DEF") != std::string::npos;
    }

    /// The structs in an order in which each comes behind those it names.
    std::string written() {
        // What the kernel's own files define stays theirs.
        for (const auto& [file, text] : closure_.texts()) {
            const std::string plain = without_comments(text);
            read_exports(plain);
            if (is_of_the_host_side(plain)) {
                continue;
            }
            std::string_view before;
            each_word(plain, [&](std::string_view word, std::size_t behind) {
                const std::size_t next = plain.find_first_not_of(" \t\n", behind);
                const bool opens = next != std::string::npos && (plain[next] == '{' || plain[next] == ':');
                if (word == "alignas" || std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
                    return;  // struct alignas(8) Name
                }
                if (((before == "struct" || before == "class") && opens) || before == "define" ||
                    before == "BEGIN_TILING_DATA_DEF") {
                    done_.emplace(word);
                }
                before = word;
            });
        }
        std::string result;
        for (const Definition& block : structs_) {
            write(block, result);
        }
        return result;
    }

    /// The struct registered for the operator, or for a tiling key of it; empty if there is none.
    [[nodiscard]] std::string registered(const std::vector<std::string>& operator_names) const {
        for (const bool with_key : {false, true}) {
            for (const Definition& one : registrations_) {
                const std::string name = with_key ? one.name.substr(0, one.name.find('_')) : one.name;
                if (is_one_of(name, operator_names)) {
                    return one.text;
                }
            }
        }
        return {};
    }

    [[nodiscard]] std::string first_registered() const {
        return registrations_.empty() ? std::string{} : registrations_.front().text;
    }

private:
    /// Unit tests may include the host's header beside the struct made for the kernel, which has no
    /// namespace.
    [[nodiscard]] bool is_of_the_host_side(const std::string& text) const {
        return !opens_host_side_ && text.find("namespace optiling") != std::string::npos &&
               text.find("BEGIN_TILING_DATA_DEF") != std::string::npos;
    }

    void read_structs(const std::string& text) {
        for (std::size_t at = 0;;) {
            const Call begin = find_call(text, "BEGIN_TILING_DATA_DEF", at);
            const std::size_t end =
                begin.end == std::string::npos ? begin.end : text.find("END_TILING_DATA_DEF", begin.end);
            if (end == std::string::npos || begin.arguments.empty()) {
                break;
            }
            at = end + std::string_view{"END_TILING_DATA_DEF"}.size();
            structs_.push_back({begin.arguments[0], text.substr(begin.begin, at - begin.begin) + ";\n"});
        }
        for (Call call = find_call(text, "REGISTER_TILING_DATA_CLASS"); call.end != std::string::npos;
             call = find_call(text, "REGISTER_TILING_DATA_CLASS", call.end)) {
            if (call.arguments.size() == 2) {
                const std::string& type = call.arguments[1];
                const std::size_t colon = type.rfind(':');
                registrations_.push_back(
                    {call.arguments[0], colon == std::string::npos ? type : type.substr(colon + 1)});
            }
        }
    }

    /// `using optiling::NAME;`: a header of both sides, which the kernel includes, gives it the name itself.
    void read_exports(const std::string& text) {
        constexpr std::string_view start = "using optiling::";
        for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
            at += start.size();
            done_.emplace(text.substr(at, text.find(';', at) - at));
        }
    }

    /// Lines `constexpr <type> NAME = value;` and `#define NAME value`.
    void read_constants(const std::string& text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string line = text.substr(at, end - at);
            at = end + 1;
            const std::size_t first = line.find_first_not_of(" \t");
            if (first == std::string::npos) {
                continue;
            }
            std::vector<std::string> words;
            std::size_t behind_name = 0;
            const std::size_t equals = line.find('=');
            each_word(std::string_view{line}.substr(0, line[first] == '#' ? line.size() : equals),
                      [&](std::string_view word, std::size_t behind) {
                          words.emplace_back(word);
                          behind_name = words.size() == 2 ? behind : behind_name;
                      });
            if (line[first] == '#' && words.size() >= 2 && words[0] == "define" && line[behind_name] == ' ') {
                constants_.push_back({words[1], line.substr(behind_name)});
            } else if (equals != std::string::npos && line.find(';') != std::string::npos &&
                       words.size() > 2 &&
                       (std::ranges::find(words, "constexpr") != words.end() ||
                        std::ranges::find(words, "const") != words.end())) {
                constants_.push_back({words.back(), line.substr(equals + 1, line.find(';') - equals - 1)});
            }
        }
    }

    void write(const Definition& block, std::string& result) {
        if (!done_.insert(block.name).second) {
            return;
        }
        each_word(block.text, [&](std::string_view word, std::size_t) {
            const auto other = std::ranges::find(structs_, word, &Definition::name);
            if (other != structs_.end() && other->name != block.name) {
                write(*other, result);
            }
        });
        std::string text = block.text;
        for (Call field = find_call(text, "TILING_DATA_FIELD_DEF_ARR"); field.end != std::string::npos;
             field = find_call(text, "TILING_DATA_FIELD_DEF_ARR", field.begin + 1)) {
            if (field.arguments.size() == 3) {
                text.replace(field.begin,
                             field.end - field.begin,
                             "TILING_DATA_FIELD_DEF_ARR(" + field.arguments[0] + ", " +
                                 expanded(field.arguments[1], 0) + ", " + field.arguments[2] + ")");
            }
        }
        result += text;
    }

    /// The text with constants replaced by their values: the kernel may have some of the same name.
    [[nodiscard]] std::string expanded(const std::string& text, int depth) const {
        constexpr int deepest = 8;
        std::string result;
        std::size_t copied = 0;
        each_word(text, [&](std::string_view word, std::size_t behind) {
            const auto constant = std::ranges::find(constants_, word, &Definition::name);
            if (constant != constants_.end() && depth < deepest) {
                result += text.substr(copied, behind - word.size() - copied);
                result += "(" + expanded(constant->text, depth + 1) + ")";
                copied = behind;
            }
        });
        return result + text.substr(copied);
    }

    SourceClosure& closure_;
    bool opens_host_side_ = false;
    std::set<fs::path> seen_;
    std::set<std::string> done_;
    std::vector<Definition> structs_;
    std::vector<Definition> constants_;
    std::vector<Definition> registrations_;
};

// Reads the headers of the nearest folder that holds definitions.
void read_nearest(Definitions& definitions, const fs::path& source, const fs::path& root) {
    for (const fs::path& folder : tiling_folders(fs::absolute(source), root)) {
        bool any = false;
        // Headers named after the kernel come first: their registration counts.
        std::vector<fs::path> headers = headers_in(folder);
        const std::string stem = source.stem().string();
        std::stable_partition(headers.begin(), headers.end(), [&](const fs::path& header) {
            return header.stem().string().starts_with(stem);
        });
        for (const fs::path& header : headers) {
            any = definitions.read(header) || any;
        }
        if (any) {
            break;
        }
    }
}

// Reads the header that a family of operators shares and that lies with one of them.
void read_of_family(Definitions& definitions, const std::vector<std::string>& names, SourceClosure& closure) {
    for (const fs::path& header : closure.headers_named("")) {
        const bool likely = header.filename().string().find("tiling") != std::string::npos ||
                            header.string().find("/op_host/") != std::string::npos;
        if (likely && registers(process::text_of(header), names)) {
            definitions.read(header);
            break;
        }
    }
}

}  // namespace

std::string tiling_definitions(const fs::path& source, SourceClosure& closure) {
    std::string kernel;
    for (const auto& [file, text] : closure.texts()) {
        kernel += without_comments(text);
    }
    if (kernel.find("GET_TILING_DATA") == std::string::npos &&
        kernel.find("TilingData") == std::string::npos) {
        return {};
    }
    Definitions definitions{closure};
    read_nearest(definitions, source, closure.root());
    const fs::path whole = fs::absolute(source);
    const std::vector<std::string> names = operator_names_of(whole, process::text_of(whole));
    const bool named = kernel.find("REGISTER_TILING_DEFAULT") != std::string::npos;
    if (!named && definitions.registered(names).empty()) {
        read_of_family(definitions, names, closure);
    }
    std::string result = definitions.written();
    std::string chosen = definitions.registered(names);
    if (chosen.empty()) {
        chosen = definitions.first_registered();
    }
    if (result.find("BEGIN_TILING_DATA_DEF(" + chosen + ")") != std::string::npos) {
        result += "using AscendSimDefaultTiling = " + chosen + ";\n";
    } else if (!chosen.empty() && !named) {
        // The kernel's own files define it, behind this header.
        result += "#define AscendSimDefaultTiling " + chosen + "\n";
    }
    return result;
}

}  // namespace ascendsim::toolchain
