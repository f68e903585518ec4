// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/nn/call_operators.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scenario/library_list.hpp"
#include "app/scenario/library_operator.hpp"
#include "app/scenario/nn/call_headers.hpp"
#include "app/scenario/nn/operator_match.hpp"
#include "app/scenario/nn/recorded_match.hpp"
#include "app/scenario/nn/shipped_calls.hpp"
#include "app/scenario/nn/shipped_launches.hpp"
#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/build/own_code_build.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/project/operator_kernel.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;
using toolchain::LibraryOperator;

/// A name without the number of its version: AddRmsNormV2 -> AddRmsNorm.
std::string without_version(std::string letters) {
    std::size_t end = letters.size();
    while (end > 0 && std::isdigit(static_cast<unsigned char>(letters[end - 1])) != 0) {
        --end;
    }
    return end > 1 && end < letters.size() && letters[end - 1] == 'v' ? letters.substr(0, end - 1) : letters;
}

/// aclnnInplaceAdd: the names under which an operator may be found, the likeliest first.
std::vector<std::string> operator_names(const std::string& function) {
    std::string letters = toolchain::letters_of(function);
    letters.erase(0, letters.starts_with("aclnn") ? 5 : 0);
    std::vector<std::string> all{letters};
    for (const std::string_view part : {"inplace", "inner"}) {
        if (letters.starts_with(part)) {
            all.push_back(letters.substr(part.size()));
        }
    }
    for (const std::string& one : std::vector<std::string>{all}) {
        if (without_version(one) != one) {
            all.push_back(without_version(one));
        }
        all.push_back(one + "v2");
    }
    return all;
}

/// aclnn_scale_rows.h -> aclnnScaleRows.
std::string function_of(const std::string& header) {
    return "aclnn" + toolchain::camel_case(header.substr(6, header.size() - 8));
}

/// The function in the operator's own spelling, with its version: aclnn_mla_prolog_v2.h may stand for
/// aclnnMlaPrologV2 and for the second version of aclnnMlaProlog.
std::string written_as(const std::string& function, const std::string& type) {
    const std::string letters = toolchain::letters_of(function);
    const std::string own = "aclnn" + toolchain::letters_of(type);
    return letters.starts_with(own) && letters.size() > own.size() && letters[own.size()] == 'v'
               ? "aclnn" + type + "V" + letters.substr(own.size() + 1)
               : "aclnn" + type;
}

/// The folder of the operator to which a header belongs: the nearest one with op_host in it.
fs::path operator_folder(const fs::path& file) {
    for (fs::path folder = file.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
        if (fs::is_directory(folder / "op_host")) {
            return folder;
        }
    }
    return {};
}

/// The folders of operator projects around a program: with op_host in them, or in a folder of theirs.
std::vector<fs::path> projects_around(const fs::path& program) {
    constexpr int levels = 4;
    std::vector<fs::path> found;
    fs::path folder = fs::absolute(program).lexically_normal().parent_path();
    for (int i = 0; i < levels && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
        std::error_code error;
        bool holds = fs::is_directory(folder / "op_host");
        for (const fs::directory_entry& one : fs::directory_iterator{folder, error}) {
            holds = holds || fs::is_directory(one.path() / "op_host");
        }
        if (holds) {
            found.push_back(folder);
        }
    }
    return found;
}

/// A library with what has been read of it.
class Library {
public:
    explicit Library(fs::path folder) : folder_{std::move(folder)} {}

    [[nodiscard]] const fs::path& folder() const { return folder_; }

    [[nodiscard]] const std::vector<LibraryOperator>& operators() const {
        if (!operators_) {
            operators_ = toolchain::operators_in(folder_);
        }
        return *operators_;
    }

    [[nodiscard]] fs::path header(const std::string& name) const {
        if (!headers_) {
            headers_ = call_headers_in(folder_);
        }
        const auto found = headers_->find(name);
        return found == headers_->end() ? fs::path{} : found->second.front();
    }

    /// The library's own code that defines a function; empty if there is none.
    [[nodiscard]] fs::path own_source(const std::string& function) const {
        if (!own_) {
            own_ = toolchain::own_sources(folder_);
        }
        const auto found = own_->find(function);
        return found == own_->end() ? fs::path{} : found->second;
    }

    /// The operator of exactly this type; null if there is none for the chip.
    [[nodiscard]] const LibraryOperator* of_type(const std::string& type, const std::string& chip) const {
        const auto found = std::ranges::find_if(
            operators(), [&](const LibraryOperator& one) { return one.type == type && one.is_for(chip); });
        return found == operators().end() ? nullptr : &*found;
    }

    /// By name, else the operator of the folder that the function's header lies in.
    [[nodiscard]] const LibraryOperator* find(const std::string& function, const fs::path& header) const {
        for (const std::string& name : operator_names(function)) {
            for (const LibraryOperator& one : operators()) {
                if (toolchain::letters_of(one.type) == name) {
                    return &one;
                }
            }
        }
        const fs::path folder = header.empty() ? fs::path{} : operator_folder(header);
        const LibraryOperator* only = nullptr;
        for (const LibraryOperator& one : operators()) {
            if (!folder.empty() && one.folder == folder) {
                if (only != nullptr) {
                    return nullptr;
                }
                only = &one;
            }
        }
        return only;
    }

private:
    fs::path folder_;
    mutable std::optional<std::vector<LibraryOperator>> operators_;
    mutable std::optional<std::map<std::string, std::vector<fs::path>>> headers_;
    mutable std::optional<std::map<std::string, fs::path>> own_;
};

/// The first line of a message, and of what follows it the first error.
std::string in_short(const std::string& message) {
    const std::string first = message.substr(0, message.find('\n'));
    const std::size_t at = message.find(" error: ");
    if (at == std::string::npos || at < first.size()) {
        return first;
    }
    const std::size_t begin = message.rfind('\n', at) + 1;
    return first + ": " + message.substr(begin, message.find('\n', begin) - begin);
}

class CallOperators final : public runtime::OperatorSource {
public:
    CallOperators(const std::vector<fs::path>& libraries, ChipSpec chip, toolchain::Installation installation)
        : chip_{std::move(chip)}, installation_{std::move(installation)} {
        for (const fs::path& folder : libraries) {
            libraries_.emplace_back(folder);
        }
    }

    /// The text of a header that a program includes; empty if no operator of any library has it.
    [[nodiscard]] std::string header_text(const std::string& name) {
        for (const Library& library : libraries_) {
            const fs::path file = library.header(name);
            if (!file.empty()) {
                const std::vector<CallSignature> declared = signatures_in(process::text_of(file));
                for (const CallSignature& one : declared) {
                    headers_[one.function] = file;
                }
                return header_with_bodies(declared, file);
            }
        }
        const std::string function = function_of(name);
        if (const LibraryOperator* one = found(function)) {
            return header_with_bodies(
                {generated_signature(description(*one), written_as(function, one->type))}, {});
        }
        const std::vector<CallSignature> shipped = shipped_signatures(name);
        return shipped.empty() ? std::string{} : header_with_bodies(shipped, {});
    }

    [[nodiscard]] runtime::OperatorRun run_of(const program::OperatorAsk& ask) const override {
        if (!ask.type.empty()) {
            return recorded_run(ask);
        }
        const LibraryOperator* one = found(ask.function);
        std::string obstacle = fmt::format("no library has it ({})", fmt::join(nearest(ask.function), ", "));
        if (one != nullptr) {
            try {
                static_cast<void>(toolchain::operator_kernel(*one, {}));
                return by_library(ask, *one);
            } catch (const UserError& error) {
                obstacle = error.what();
            }
        }
        if (std::optional<runtime::OperatorRun> own = shipped_run(ask, chip_, installation_)) {
            own->origin = fmt::format("AscendSim's own kernel {}, as {}", own->run.kernel, obstacle);
            return std::move(*own);
        }
        throw UserError{"{}:{}: {}: {}", ask.site.file, ask.site.line, ask.function, obstacle};
    }

    [[nodiscard]] std::vector<program::CallTensor> shapes_of(const program::OperatorAsk& ask) const override {
        for (const Library& library : libraries_) {
            const LibraryOperator* one = library.of_type(ask.type, toolchain::library_chip(chip_.name));
            if (one == nullptr) {
                continue;
            }
            MatchedCall call = recorded_match(ask, description(*one), true);
            call.request.library = one->folder;
            std::vector<program::CallTensor> shapes;
            try {
                for (const tiling::SettledParameter& parameter :
                     library_shapes(call.request, chip_, installation_)) {
                    for (const tiling::SettledTensor& tensor : parameter.tensors) {
                        if (parameter.output) {
                            shapes.push_back({.shape = tensor.shape, .stored = tensor.stored});
                        }
                    }
                }
            } catch (const UserError& error) {
                throw runtime::OperatorRefusal{error.what()};
            }
            return shapes;
        }
        throw nobody_has(ask);
    }

    [[nodiscard]] program::OwnCode own_code(const std::string& function) const override {
        for (const Library& library : libraries_) {
            const fs::path source = library.own_source(function);
            if (source.empty()) {
                continue;
            }
            try {
                return loaded_code(function, source);
            } catch (const UserError& error) {
                return {.obstacle = in_short(error.what())};
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<std::string> nearest(const std::string& function) const {
        std::vector<std::string> names = shipped_calls();
        std::vector<std::string> folders;
        for (const Library& library : libraries_) {
            for (const LibraryOperator& one : library.operators()) {
                names.push_back("aclnn" + one.type);
            }
            folders.push_back(library.folder().string());
        }
        std::vector<std::string> words;
        words.push_back(libraries_.empty() ? "name one with --library DIR, or [compile] library"
                                           : fmt::format("searched: {}", fmt::join(folders, ", ")));
        if (const std::string hint = nearest_hint(function, names); !hint.empty()) {
            words.push_back(hint.substr(hint.find_first_not_of(" ,;")));
        }
        return words;
    }

private:
    [[nodiscard]] const LibraryOperator* found(const std::string& function) const {
        const auto header = headers_.find(function);
        for (const Library& library : libraries_) {
            const LibraryOperator* one =
                library.find(function, header == headers_.end() ? fs::path{} : header->second);
            if (one != nullptr) {
                return one;
            }
        }
        return nullptr;
    }

    /// A launch that a library's own code has recorded.
    [[nodiscard]] runtime::OperatorRun recorded_run(const program::OperatorAsk& ask) const {
        std::string obstacle;
        for (const Library& library : libraries_) {
            const LibraryOperator* one = library.of_type(ask.type, toolchain::library_chip(chip_.name));
            if (one == nullptr || !obstacle.empty()) {
                continue;
            }
            try {
                static_cast<void>(toolchain::operator_kernel(*one, {}));
                return run_by(*one, recorded_match(ask, description(*one), false));
            } catch (const UserError& error) {
                obstacle = error.what();
            }
        }
        if (std::optional<runtime::OperatorRun> own = shipped_launch(ask, chip_, installation_)) {
            return std::move(*own);
        }
        if (!obstacle.empty()) {
            throw UserError{"launches the operator {}: {}", ask.type, obstacle};
        }
        throw nobody_has(ask);
    }

    [[nodiscard]] UserError nobody_has(const program::OperatorAsk& ask) const {
        std::vector<std::string> folders;
        for (const Library& library : libraries_) {
            const std::string folder = library.folder().string();
            const bool within = std::ranges::any_of(libraries_, [&](const Library& other) {
                return folder.starts_with(other.folder().string() + "/");
            });
            if (!within) {
                folders.push_back(folder);
            }
        }
        return UserError{
            "launches the operator {}, for which neither {} nor AscendSim has a kernel for the {}; a further "
            "library can be named with another --library DIR",
            ask.type,
            fmt::join(folders, " nor "),
            chip_.name};
    }

    [[nodiscard]] program::OwnCode loaded_code(const std::string& function, const fs::path& source) const {
        void*& handle = loaded_[source];
        if (handle == nullptr) {
            std::vector<fs::path> folders;
            for (const Library& library : libraries_) {
                folders.push_back(library.folder());
            }
            const fs::path plugin = toolchain::build_own_code(
                source, folders, inner_bodies(source), {.installation = installation_});
            handle = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle == nullptr) {
                throw UserError{"{}: cannot be loaded: {}", source.string(), dlerror()};
            }
        }
        return {.first = dlsym(handle, (function + "GetWorkspaceSize").c_str()),
                .second = dlsym(handle, function.c_str())};
    }

    /// A source with the generated functions that own code calls.
    [[nodiscard]] std::string inner_bodies(const fs::path& source) const {
        std::vector<CallSignature> all;
        for (const std::string& function : toolchain::inner_functions(source)) {
            if (const LibraryOperator* one = found(function)) {
                all.push_back(generated_signature(description(*one), function));
            }
        }
        return all.empty() ? std::string{} : header_with_bodies(all, {});
    }

    [[nodiscard]] const tiling::DescribedOperator& description(const LibraryOperator& one) const {
        const std::string key = one.definition.string() + " " + one.type;
        const auto known = described_.find(key);
        return known != described_.end()
                   ? known->second
                   : described_.emplace(key, described_operator(one, chip_, installation_)).first->second;
    }

    [[nodiscard]] runtime::OperatorRun by_library(const program::OperatorAsk& ask,
                                                  const LibraryOperator& one) const {
        return run_by(one, matched(ask, description(one)));
    }

    [[nodiscard]] runtime::OperatorRun run_by(const LibraryOperator& one, MatchedCall call) const {
        call.request.library = one.folder;
        UserKernel kernel;
        try {
            kernel = library_kernel(call.request, chip_, installation_);
        } catch (const UserError& error) {
            throw runtime::OperatorRefusal{error.what()};
        }
        runtime::OperatorRun run;
        run.run = {.kernel = {},
                   .source = runtime::KernelSource{kernel.source, kernel.more_sources, kernel.flags},
                   .plan = std::move(kernel.plan),
                   .outputs = {},
                   .argument_bytes = {}};
        run.run.plan.launches.front().label = one.type;
        for (const AddressTable& table : kernel.tables) {
            run.lists.push_back({table.buffer, table.offset, table.members});
        }
        for (const host::Buffer& buffer : run.run.plan.buffers) {
            const auto place = call.places.find(buffer.name);
            if (place != call.places.end()) {
                run.places.insert(*place);
            }
        }
        run.brought = std::move(call.brought);
        run.zeroed.insert(kernel.zeroed.begin(), kernel.zeroed.end());
        run.origin = kernel.source.string();
        return run;
    }

    ChipSpec chip_;
    toolchain::Installation installation_;
    std::vector<Library> libraries_;
    std::map<std::string, fs::path> headers_;  // that declare functions
    mutable std::map<std::string, tiling::DescribedOperator> described_;
    mutable std::map<fs::path, void*> loaded_;  // own code, until the process ends: the program holds it
};

}  // namespace

void serve_operator_calls(runtime::HostProgram& program,
                          const std::vector<fs::path>& libraries,
                          const ChipSpec& chip,
                          const toolchain::Installation& installation) {
    const std::vector<std::string> headers = call_headers_of(program.sources, installation);
    if (headers.empty()) {
        return;
    }
    std::vector<fs::path> places = projects_around(program.sources.files.front());
    places.insert(places.end(), libraries.begin(), libraries.end());
    const fs::path root = toolchain::project_root(fs::absolute(program.sources.files.front()));
    if (!root.empty() && (fs::exists(root / ".git") || fs::exists(root / "LICENSE"))) {
        places.push_back(root);
    }
    std::vector<fs::path> unique;
    for (const fs::path& place : places) {
        const fs::path whole = fs::absolute(place).lexically_normal();
        if (std::ranges::find(unique, whole) == unique.end()) {
            unique.push_back(whole);
        }
    }
    const auto source = std::make_shared<CallOperators>(unique, chip, installation);
    process::Digest digest;
    std::map<std::string, std::string> texts;
    for (const std::string& name : headers) {
        texts[name] = source->header_text(name);
        if (texts[name].empty()) {
            throw UserError{"{}: includes {}: no operator of that name: {}",
                            program.sources.files.front().string(),
                            name,
                            fmt::join(source->nearest(function_of(name)), "; ")};
        }
        digest.add(name + texts[name]);
    }
    const fs::path folder = toolchain::made_cache_folder("operator_calls") / digest.hex();
    for (const auto& [name, text] : texts) {
        for (const char* place : {"", "aclnnop", "aclnnop/level2", "aclnn", "level2"}) {
            fs::create_directories(folder / place);
            toolchain::write_whole(folder / place / name, text);
        }
    }
    program.sources.flags.insert(program.sources.flags.begin(), "-I" + folder.string());
    program.operators = source;
}

}  // namespace ascendsim::scenario
