// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/compile.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include <fmt/ranges.h>

#include "models/port/entry.hpp"
#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/build/plain_compilation.hpp"
#include "toolchain/build/precompiled_headers.hpp"
#include "toolchain/build/sandbox_flags.hpp"
#include "toolchain/build/warnings.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/kept_object.hpp"
#include "toolchain/installation/maker_lock.hpp"
#include "toolchain/project/cmake_project.hpp"
#include "toolchain/project/operator_project.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// The macros that tell a kernel source what it is compiled for.
std::vector<std::string> pass_macros(const Compilation& what) {
    const bool cube_side = what.pass == Pass::aic || (what.pass == Pass::host && what.cube_host);
    const bool vector = !cube_side;
    const bool cube = cube_side || what.pass == Pass::coupled;
    std::vector<std::string> flags{fmt::format("-D__NPU_ARCH__={}", what.arch), "-DASCENDSIM"};
    if (what.pass == Pass::coupled) {
        flags.emplace_back(what.arch == "1001" ? "-D__CCE_AICORE__=100" : "-D__CCE_AICORE__=200");
        flags.emplace_back(what.arch == "1001" ? "-D__DAV_C100__" : "-D__DAV_M200__");
    } else {
        flags.emplace_back("-D__CCE_AICORE__=220");
        flags.emplace_back(vector ? "-D__DAV_C220_VEC__" : "-D__DAV_C220_CUBE__");
    }
    if (vector) {
        flags.emplace_back("-D__DAV_VEC__");
    }
    if (cube) {
        flags.emplace_back("-D__DAV_CUBE__");
    }
    if (what.pass == Pass::host) {
        flags.emplace_back("-DASCENDSIM_HOST");
    }
    return flags;
}

/// Lets a kernel count its scalar work. The chip's scalar unit has no lanes, so loops get none.
std::vector<std::string> step_flags(const Compilation& what, const Toolchain& with) {
    if (what.pass == Pass::host) {
        return {};
    }
    std::string uncounted;
    for (const fs::path& folder : with.installation.uncounted()) {
        uncounted += (uncounted.empty() ? "" : ":") + folder.string();
    }
    return {"-fno-vectorize",
            "-fno-slp-vectorize",
            fmt::format("-DASCENDSIM_UNCOUNTED=\"{}\"", uncounted),
            "-fpass-plugin=" + with.installation.scalar_steps().string()};
}

/// Kernels of the build are found by their place; those of a cache, which lies anywhere, name the libraries'.
std::vector<std::string> link_command(const Compilation& what,
                                      const Toolchain& with,
                                      const fs::path& output) {
    std::vector<std::string> command{
        with.compiler, "-shared", "-fuse-ld=lld", "-Wl,-Bsymbolic", "-Wl,-z,defs"};
    const fs::path& libraries = with.installation.libraries;
    const bool built = output.parent_path() == with.installation.plugins();
    command.push_back("-Wl,-rpath," + (built ? "$ORIGIN/../..:" : std::string{}) + libraries.string());
    command.push_back((libraries / "libmodels_isa.so").string());
    const std::string runtime = "-I" + with.installation.host_headers().string();
    if (std::ranges::find(what.flags, runtime) != what.flags.end()) {
        command.push_back((libraries / "libruntime_acl.so").string());
    }
    if (what.pass == Pass::host) {
        command.push_back((libraries / "libkernels_plan.so").string());
        command.emplace_back("-lfmt");
    }
    return command;
}

void run(const std::vector<std::string>& command, const Compilation& what) {
    process::Subprocess process{command};
    if (process.finish() != 0) {
        throw UserError{
            "{}: does not compile for {}\n{}", what.source.string(), name(what.pass), process.output()};
    }
}

std::string request_key(const Compilation& what, const Toolchain& with) {
    process::Digest digest;
    digest.add(fmt::format("{} {}", isa::entry_table_version, with.compiler));
    digest.add(wrapper_source(what));
    digest.add(what.warn ? "with warnings" : "");
    digest.add_file(with.installation.scalar_steps());
    for (const std::string& flag : compile_flags(what, with)) {
        digest.add(flag);
    }
    return digest.hex();
}

}  // namespace

namespace {

/// All but the headers read in front of the source.
std::vector<std::string> source_flags(const Compilation& what, const Toolchain& with) {
    const fs::path& root = with.installation.root;
    std::vector<std::string> flags{
        "-std=gnu++20",
        "-O2",
        "-fPIC",
        "-ffp-contract=off",
        "-fstack-clash-protection",
        "-fno-delete-null-pointer-checks",  // a null store is to be found, not optimised away
        "-fno-finite-loops",                // nor is a loop without end
        "-w",
        "-Wno-c++11-narrowing",  // an error of clang's; published kernels do it in braces
        "-ferror-limit=10",
        "-DFMT_SHARED"};
    for (const std::string& folder : {root.string(), with.installation.kernel_headers().string()}) {
        flags.push_back("-I" + folder);
    }
    // Recordings name shipped kernels by their path in the tree, wherever that lies.
    flags.push_back(fmt::format("-fmacro-prefix-map={0}/kernels/=kernels/", root.string()));
    const std::vector<std::string> macros = pass_macros(what);
    flags.insert(flags.end(), macros.begin(), macros.end());
    const std::vector<std::string> steps = step_flags(what, with);
    flags.insert(flags.end(), steps.begin(), steps.end());
    flags.insert(flags.end(), what.flags.begin(), what.flags.end());
    // Last, as every other -g asks for descriptions of all types and variables, which take longer than the
    // code.
    flags.emplace_back("-gline-tables-only");
    return flags;
}

}  // namespace

std::vector<std::string> compile_flags(const Compilation& what, const Toolchain& with) {
    std::vector<std::string> flags = source_flags(what, with);
    flags.insert(flags.end(), {"-include", "kernel_operator.h"});
    return flags;
}

std::string content_key(std::string_view request, std::string_view depfile, const fs::path& folder) {
    process::Digest digest;
    digest.add(request);
    for (const fs::path& file : dependencies(depfile)) {
        std::error_code error;
        if (file.parent_path() == folder) {
            continue;
        }
        if (!fs::is_regular_file(file, error)) {
            return {};
        }
        digest.add_file(file);
    }
    return digest.hex();
}

fs::path known_plugin(const std::string& request, const fs::path& folder) {
    const fs::path known = folder / (request + ".d");
    const std::string text = process::text_of(known);
    const std::string key = text.empty() ? std::string{} : content_key(request, text, folder);
    fs::path plugin = key.empty() ? fs::path{} : kept_object(folder / key, ".so");
    if (!plugin.empty()) {
        mark_used(known);
        mark_used_with_warnings(plugin);
    }
    return plugin;
}

std::string_view name(Pass pass) {
    static constexpr std::array<std::string_view, 4> names{"host", "aiv", "aic", "coupled"};
    return names[static_cast<std::size_t>(pass)];
}

/// True for functions of the C library, declared in every pass, that operators are named after.
bool is_library_function(std::string_view name) {
    static constexpr std::array<std::string_view, 42> names{
        "abs",       "acos",   "acosh", "asin",  "asinh",  "atan", "atan2", "atanh", "cbrt", "ceil", "cos",
        "cosh",      "div",    "erf",   "erfc",  "exp",    "exp2", "expm1", "floor", "fma",  "fmax", "fmin",
        "fmod",      "hypot",  "index", "ldexp", "lgamma", "log",  "log10", "log1p", "log2", "modf", "pow",
        "remainder", "remove", "rint",  "round", "select", "sin",  "sqrt",  "tan",   "trunc"};
    return std::ranges::find(names, name) != names.end();
}

/// Gives kernels that are named like functions of the C library other names, behind the headers that declare
/// those.
std::string renamed_entries(const Compilation& what) {
    std::string text;
    for (const std::string& entry : what.entries) {
        if (is_library_function(entry)) {
            text += fmt::format("#define {0} ascendsim_kernel_{0}\n", entry);
        }
    }
    return text.empty() ? text
                        : "#include <cmath>\n#include <cstdlib>\n#include \"kernel_operator.h\"\n" + text;
}

std::string wrapper_source(const Compilation& what) {
    std::string text = fmt::format("#include \"models/port/entry.hpp\"\n{}{}",
                                   what.pass == Pass::host ? std::string{} : renamed_entries(what),
                                   include_line(fs::absolute(what.source).string()));
    for (const fs::path& source : what.more_sources) {
        text += include_line(fs::absolute(source).string());
    }
    if (what.pass == Pass::host || what.entries.empty()) {
        return text;
    }
    text += "static constexpr ascendsim::isa::Entry ascendsim_entry_list[]{\n";
    for (const std::string& entry : what.entries) {
        text += fmt::format("    ascendsim::isa::EntryOf<&{0}>::named(\"{0}\"),\n", entry);
    }
    text += fmt::format(
        "}};\nextern \"C\" const ascendsim::isa::EntryTable {}{{{}, {}, ascendsim_entry_list}};\n",
        isa::entry_table_symbol,
        isa::entry_table_version,
        what.entries.size());
    return text;
}

std::vector<fs::path> dependencies(std::string_view depfile) {
    std::vector<fs::path> files;
    std::string word;
    const auto finish = [&] {
        if (!word.empty()) {
            files.emplace_back(word);
            word.clear();
        }
    };
    const auto colon = depfile.find(": ");
    for (std::size_t i = colon == std::string_view::npos ? depfile.size() : colon + 2; i < depfile.size();
         ++i) {
        const bool escape = depfile[i] == '\\' && i + 1 < depfile.size();
        if (escape && depfile[i + 1] == '\n') {
            ++i;
        } else if (escape && depfile[i + 1] == ' ') {
            word += depfile[++i];
        } else if (std::isspace(static_cast<unsigned char>(depfile[i])) != 0) {
            finish();
        } else {
            word += depfile[i];
        }
    }
    finish();
    return files;
}

namespace {

/// Lists more files in a depfile of one rule.
void add_dependencies(const fs::path& depfile, const std::vector<fs::path>& more) {
    std::string text = process::text_of(depfile);
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    for (const fs::path& file : more) {
        text += " \\\n  ";
        for (const char c : file.string()) {
            text += c == ' ' ? std::string{"\\ "} : std::string{c};
        }
    }
    std::ofstream{depfile, std::ios::binary} << text << '\n';
}

/// Compiles with the headers parsed before. False if that fails for any reason: then it is done anew in the
/// plain way, whose messages are the user's.
bool compiles_with_parsed_headers(const Compilation& what,
                                  const Toolchain& with,
                                  const std::vector<std::string>& files,
                                  const fs::path& output,
                                  const fs::path& depfile) {
    const std::vector<std::string> flags = source_flags(what, with);
    const std::vector<std::string> headers =
        header_flags({.names = {"kernel_operator.h"}, .flags = flags, .make = what.parse_headers_ahead},
                     with.compiler,
                     with.installation);
    if (headers.front() != "-include-pch") {
        return false;
    }
    std::vector<std::string> command{with.compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), headers.begin(), headers.end());
    command.insert(command.end(), files.begin(), files.end());
    process::Subprocess process{what.warn ? with_warnings(command) : command};
    if (process.finish() != 0) {
        return false;
    }
    if (what.warn) {
        keep_warnings(warnings_in(process.output(), what.source, with.installation), output);
    }
    add_dependencies(depfile,
                     dependencies(process::text_of(fs::path{headers.back()}.replace_extension(".d"))));
    return true;
}

}  // namespace

void compile(const Compilation& what,
             const Toolchain& with,
             const fs::path& output,
             const fs::path& depfile) {
    check(what.pass == Pass::host || !what.entries.empty(), "{}: no entry to export", what.source.string());
    fs::path base = output;
    base += "." + writer_tag();  // several runs may compile the same kernel at once
    const fs::path wrapper = output.parent_path() / (output.stem().string() + ".cpp");
    const fs::path object = base.string() + ".o";
    const fs::path library = base.string() + ".tmp";
    write_whole(wrapper, wrapper_source(what));
    const std::vector<std::string> notes{"-MMD", "-MF", depfile.string(), "-MT", output.string()};
    const std::vector<std::string> outcome{"-c", "-o", object.string()};
    std::vector<std::string> files = notes;
    files.insert(files.end(), outcome.begin(), outcome.end());
    files.push_back(wrapper.string());
    if (!compiles_with_parsed_headers(what, with, files, output, depfile)) {
        compile_plainly(what, {.with = with, .wrapper = wrapper, .notes = notes, .outcome = outcome});
    }
    std::vector<std::string> command = link_command(what, with, output);
    command.insert(command.begin() + 1, {object.string(), "-o", library.string()});
    run(command, what);
    fs::remove(object);
    fs::rename(library, output);
}

namespace {

/// What the user asks for, with what the source's project adds.
Compilation completed(Compilation what, const Toolchain& with) {
    what.warn = true;
    what.flags.emplace_back(crash_line_flag);
    what.flags.emplace_back("-D__CCE__=1");  // as the chip's compiler says it is
    if (!fs::is_regular_file(what.source)) {
        throw UserError{"{}: no such kernel source", what.source.string()};
    }
    const std::vector<std::string> noted =
        cmake_notes(what.source, project_root(what.source), what.flags).flags;
    what.flags.insert(what.flags.end(), noted.begin(), noted.end());
    const std::vector<std::string> found =
        project_flags(what.source, with.installation, cache_folder() / "projects");
    what.flags.insert(what.flags.end(), found.begin(), found.end());
    const bool keyed = std::ranges::any_of(
        what.flags, [](const std::string& flag) { return flag.starts_with("-DTILING_KEY_VAR"); });
    if (const std::string key = keyed ? std::string{} : first_tiling_key(process::text_of(what.source));
        !key.empty()) {
        what.flags.push_back("-DTILING_KEY_VAR=" + key);
    }
    check_flags_in_sandbox(what.flags);
    return what;
}

}  // namespace

void check_syntax(const Compilation& request_of_user, const Toolchain& with) {
    const Compilation what = completed(request_of_user, with);
    const fs::path folder = made_cache_folder("kernels");
    const std::string key = request_key(what, with);
    const fs::path wrapper = folder / fmt::format("{}.{}.syntax.cpp", key, writer_tag());
    write_whole(wrapper, wrapper_source(what));
    const auto remove = [&wrapper] { fs::remove(wrapper); };
    try {
        compile_plainly(what, {.with = with, .wrapper = wrapper, .notes = {}, .outcome = {"-fsyntax-only"}});
    } catch (const UserError& error) {
        remove();
        throw UserError{"{}{}", error.what(), cmake_hint(what.source, project_root(what.source), what.flags)};
    }
    remove();
}

fs::path compile_cached(const Compilation& request_of_user, const Toolchain& with) {
    const Compilation what = completed(request_of_user, with);
    try {
        return compile_shipped(what, with);
    } catch (const UserError& error) {
        const std::string words = error.what();
        const bool is_code = words.find("does not compile") != std::string::npos;
        throw UserError{
            "{}{}",
            words,
            is_code ? cmake_hint(what.source, project_root(what.source), what.flags) : std::string{}};
    }
}

fs::path compile_shipped(const Compilation& what, const Toolchain& with) {
    const fs::path folder = made_cache_folder("kernels");
    const std::string request = request_key(what, with);
    const fs::path known = folder / (request + ".d");
    if (fs::path plugin = known_plugin(request, folder); !plugin.empty()) {
        return plugin;
    }
    const MakerLock lock{folder / request};
    if (fs::path plugin = known_plugin(request, folder); lock.held() && !plugin.empty()) {
        return plugin;  // made by another meanwhile
    }
    const fs::path fresh = folder / fmt::format("{}.{}.so", request, writer_tag());
    const fs::path depfile = folder / fmt::format("{}.{}.d", request, writer_tag());
    compile(what, with, fresh, depfile);
    const std::string key = content_key(request, process::text_of(depfile), folder);
    fs::remove(fs::path{fresh}.replace_extension(".cpp"));
    const std::vector<std::string> warnings = warnings_of(fresh);
    fs::remove(fs::path{fresh}.replace_extension(".warnings"));
    fs::path plugin = keep_object(fresh, folder / key, ".so");
    keep_warnings(warnings, plugin);
    put_in_place(depfile, known);
    return plugin;
}

}  // namespace ascendsim::toolchain
