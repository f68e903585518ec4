// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/program_build.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "sim/process/in_parallel.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/build/chip_spelling.hpp"
#include "toolchain/build/precompiled_headers.hpp"
#include "toolchain/build/program_project.hpp"
#include "toolchain/build/sandbox_flags.hpp"
#include "toolchain/build/thread_calls.hpp"
#include "toolchain/build/warnings.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/kept_object.hpp"
#include "toolchain/installation/maker_lock.hpp"
#include "toolchain/project/cmake_project.hpp"
#include "toolchain/rewrite/program_text.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* launch_header = "runtime/acl/launch.hpp";  // from the root

constexpr std::string_view format_version = "program 9";  // of what the caches hold

/// What a check of the syntax writes, deleted when it is over.
struct Scratch {
    std::string base;

    ~Scratch() {
        std::error_code gone;
        fs::remove(base + ".ii", gone);
        fs::remove(base + ".d", gone);
    }
};

/// One file compiled in one pass.
struct Unit {
    fs::path source;
    Pass pass = Pass::host;
    fs::path object;
    std::size_t launches = 0;
    bool has_main = false;
    bool uses_gtest = false;
    bool fresh = false;
    std::vector<std::string> warnings{};
};

class Builder {
public:
    Builder(const ProgramSources& sources, const Toolchain& with)
        : sources_{sources},
          with_{with},
          folder_{cache_folder() / "programs"},
          project_{program_project(sources, with.installation, cache_folder() / "projects")} {
        make_cache_folder(folder_ / "launch");
        write_launch_headers();
        make_units();
    }

    BuiltProgram run() {
        // Behind the units, as one more: all passes link it.
        fs::path table;
        process::in_parallel(units_.size() + 1, [&](std::size_t i) {
            if (i < units_.size()) {
                build(units_[i]);
            } else {
                table = table_object();
            }
        });
        BuiltProgram program;
        const std::vector<Pass> passes = all_passes();
        std::vector<fs::path> plugins(passes.size());
        process::in_parallel(passes.size(), [&](std::size_t i) { plugins[i] = link(passes[i], table); });
        program.host = plugins[0];
        program.vector = project_.cube_only && !sources_.coupled ? fs::path{} : plugins[1];
        program.cube = passes.back() == Pass::aic ? plugins.back() : fs::path{};
        for (const Unit& unit : units_) {
            program.launches += unit.pass == Pass::host ? unit.launches : 0;
            program.compiled += unit.fresh ? 1U : 0U;
            add_warnings(program.warnings, warnings_of(unit.object));
            if (unit.pass == Pass::host) {
                program.host_objects.emplace_back(unit.source, unit.object);
            }
        }
        return program;
    }

    /// Compiles every file in every pass without making code.
    void check_syntax() {
        for (Unit& unit : units_) {
            process::Digest digest;
            digest.add(unit.source.string());
            const std::string base = (folder_ / fmt::format("{}.{}", digest.hex(), writer_tag())).string();
            const Scratch scratch{base};
            std::vector<std::string> command = rewritten(unit, flags_of(unit), base, {});
            command.insert(command.end(), {"-fsyntax-only", base + ".ii"});
            call(command, unit);
        }
    }

private:
    [[nodiscard]] std::vector<Pass> all_passes() const {
        if (sources_.coupled) {
            return {Pass::host, Pass::coupled};
        }
        std::vector<Pass> passes{Pass::host};
        if (!project_.cube_only) {
            passes.push_back(Pass::aiv);
        }
        if (!project_.vector_only) {
            passes.push_back(Pass::aic);
        }
        return passes;
    }

    void make_units() {
        for (const fs::path& source : project_.files) {
            for (const Pass pass : all_passes()) {
                units_.push_back({.source = source, .pass = pass, .object = {}});
            }
        }
    }

    /// The program's files, and the headers of its own that they include.
    [[nodiscard]] std::vector<fs::path> own_texts() const {
        std::vector<fs::path> folders;
        for (const std::string& flag : sources_.flags) {
            if (flag.starts_with("-I")) {
                folders.emplace_back(flag.substr(2));
            }
        }
        std::vector<fs::path> found;
        std::vector<fs::path> open{project_.files.rbegin(), project_.files.rend()};
        open.insert(open.begin(), sources_.forced.begin(), sources_.forced.end());
        std::set<fs::path> seen;
        while (!open.empty()) {
            const fs::path file = open.back();
            open.pop_back();
            if (!fs::is_regular_file(file) || !seen.insert(file.lexically_normal()).second) {
                continue;
            }
            found.push_back(file);
            for (const std::string& name : included_names(process::text_of(file))) {
                open.push_back(file.parent_path() / name);
                for (const fs::path& folder : folders) {
                    open.push_back(folder / name);
                }
            }
        }
        return found;
    }

    /// `aclrtlaunch_<kernel>.h` as the vendor's build generates it, for each kernel launched by name.
    void write_launch_headers() {
        for (const fs::path& source : own_texts()) {
            for (const std::string& name : kernels_launched_by_name(process::text_of(source))) {
                if (name.ends_with("_h") || std::ranges::find(named_, name) != named_.end()) {
                    continue;
                }
                named_.push_back(name);
                const std::string text = fmt::format(
                    "#pragma once\n#include \"acl/acl.h\"\ntemplate <class... A>\ninline uint32_t "
                    "aclrtlaunch_{0}(uint32_t blocks, aclrtStream stream, A... arguments) {{\n    return "
                    "ACLRT_LAUNCH_KERNEL({0})(blocks, stream, arguments...);\n}}\n",
                    name);
                const fs::path file = folder_ / "launch" / fmt::format("aclrtlaunch_{}.h", name);
                write_whole(file, text);
            }
        }
    }

    [[nodiscard]] std::vector<std::string> flags_of(const Unit& unit) const {
        Compilation what{
            .source = unit.source, .pass = unit.pass, .arch = sources_.arch, .entries = {}, .flags = {}};
        what.cube_host = project_.cube_only;
        std::ranges::remove_copy_if(sources_.flags, std::back_inserter(what.flags), is_core_option);
        what.flags.emplace_back(crash_line_flag);
        what.flags.push_back("-I" + with_.installation.host_headers().string());
        what.flags.push_back("-I" + (folder_ / "launch").string());
        // As the chip's compiler says it is; what it alone understands is blanked out behind the
        // preprocessor.
        what.flags.insert(what.flags.end(), {"-DASCENDSIM_PROGRAM", "-D__CCE__=1"});
        const std::vector<std::string>& more = project_.flags_of(unit.source);
        what.flags.insert(what.flags.end(), more.begin(), more.end());
        check_flags_in_sandbox(what.flags);
        if (project_.unit_test) {
            what.flags.emplace_back("-D__CCE_KT_TEST__=1");  // as the vendor's build of such tests
        }
        std::vector<std::string> flags = compile_flags(what, with_);
        flags.insert(flags.end(), {"-include", launch_header});
        for (const fs::path& header : sources_.forced) {
            flags.insert(flags.end(), {"-include", header.string()});
        }
        for (const fs::path& header : project_.headers_of(unit.source)) {
            flags.insert(flags.end(), {"-include", header.string()});
        }
        if (unit.pass != Pass::host) {
            // A core's pass holds the host's code too, but must never run it: constructors of its variables
            // go into a section that nobody reads.
            flags.emplace_back("-fno-use-init-array");
        } else {
            flags.push_back("-fpass-plugin=" + with_.installation.shared_values().string());
        }
        return flags;
    }

    void build(Unit& unit) const {
        const std::vector<std::string> flags = flags_of(unit);
        process::Digest digest;
        digest.add(fmt::format("{} {} {}", format_version, with_.compiler, unit.source.string()));
        for (const std::string& flag : flags) {
            digest.add(flag);
        }
        for (const std::string& name : named_) {
            digest.add(name);
        }
        digest.add(process::text_of(unit.pass == Pass::host ? with_.installation.shared_values()
                                                            : with_.installation.scalar_steps()));
        const std::string request = digest.hex();
        const fs::path known = folder_ / (request + ".d");
        if (recall_known(unit, request, known)) {
            return;
        }
        const MakerLock lock{folder_ / request};
        if (lock.held() && recall_known(unit, request, known)) {
            return;  // made by another meanwhile
        }
        const std::string base = (folder_ / fmt::format("{}.{}", request, writer_tag())).string();
        compile(unit, flags, base);
        const std::string key = content_key(request, process::text_of(base + ".d"), folder_);
        remember(unit, key, base);
        put_in_place(base + ".d", known);
    }

    [[nodiscard]] bool recall_known(Unit& unit, const std::string& request, const fs::path& known) const {
        const std::string text = process::text_of(known);
        const std::string key = text.empty() ? std::string{} : content_key(request, text, folder_);
        if (key.empty() || !recall(unit, key)) {
            return false;
        }
        mark_used(known);
        return true;
    }

    /// Takes object and findings out of the cache, if they are there.
    [[nodiscard]] bool recall(Unit& unit, const std::string& key) const {
        unit.object = kept_object(folder_ / key, ".o", ".notes");
        if (unit.object.empty()) {
            return false;
        }
        std::istringstream notes{process::text_of(fs::path{unit.object}.replace_extension(".notes"))};
        notes >> unit.launches >> unit.has_main >> unit.uses_gtest;
        mark_used_with_warnings(unit.object);
        return !notes.fail();
    }

    void remember(Unit& unit, const std::string& key, const std::string& base) const {
        write_whole(base + ".notes",
                    fmt::format("{} {:d} {:d}\n", unit.launches, unit.has_main, unit.uses_gtest));
        unit.object = keep_object(base + ".o", folder_ / key, ".o", base + ".notes");
        keep_warnings(unit.warnings, unit.object);
        unit.fresh = true;
    }

    void compile(Unit& unit, const std::vector<std::string>& flags, const std::string& base) const {
        const std::vector<std::string> files{"-c", base + ".ii", "-o", base + ".o"};
        const fs::path headers = parsed_headers(flags);
        bool done = false;
        if (!headers.empty()) {
            std::vector<std::string> command = rewritten(unit, flags, base, headers);
            command.insert(command.end(), files.begin(), files.end());
            process::Subprocess process{with_warnings(command)};
            done = process.finish() == 0;
            if (done) {
                unit.warnings = warnings_in(process.output(), unit.source, with_.installation);
            }
        }
        if (!done) {  // what is wrong is told by a compilation of the whole text
            const std::string messages = compile_whole(unit, flags, base, files);
            std::vector<std::string> qualified = flags;
            const std::vector<std::string> more = qualified_memory();
            qualified.insert(qualified.end(), more.begin(), more.end());
            if (!messages.empty() &&
                (!may_differ_in_memory(messages) || !compile_whole(unit, qualified, base, files).empty())) {
                throw UserError{"{}: does not compile for {}\n{}{}",
                                unit.source.string(),
                                name(unit.pass),
                                messages,
                                cmake_hint(unit.source, project_root(unit.source), flags)};
            }
        }
        fs::remove(base + ".ii");
    }

    /// Compiles with headers and all; what is wrong, or nothing. What the chip's compiler alone takes is put
    /// in the host's words.
    std::string compile_whole(Unit& unit,
                              const std::vector<std::string>& flags,
                              const std::string& base,
                              const std::vector<std::string>& files) const {
        const std::vector<std::string> start = rewritten(unit, flags, base, {});
        std::vector<std::string> command = start;
        command.insert(command.end(), files.begin(), files.end());
        process::Subprocess first{command};
        if (first.finish() == 0) {
            return {};
        }
        if (!is_chip_spelling(first.output())) {
            return first.output() + "\n";
        }
        write_whole(base + ".ii", in_host_spelling(process::text_of(base + ".ii"), start, base));
        process::Subprocess second{command};
        return second.finish() == 0 ? std::string{} : second.output() + "\n";
    }

    /// The headers that every file of a program is read behind, parsed before; empty where the user has more
    /// of them.
    [[nodiscard]] fs::path parsed_headers(const std::vector<std::string>& flags) const {
        ForcedHeaders headers;
        for (std::size_t i = 0; i < flags.size(); ++i) {
            if (flags[i] == "-include") {
                headers.names.push_back(flags[++i]);
            } else {
                headers.flags.push_back(flags[i]);
            }
        }
        if (headers.names != std::vector<std::string>{"kernel_operator.h", launch_header}) {
            return {};
        }
        const std::vector<std::string> found = header_flags(headers, with_.compiler, with_.installation);
        return found.front() == "-include-pch" ? fs::path{found.back()} : fs::path{};
    }

    /// A preprocessed text from where the headers in front of `source` have ended.
    [[nodiscard]] static std::string behind_headers(const std::string& text, const fs::path& source) {
        const std::string mark = fmt::format("\n# 1 \"{}\"", source.string());
        const std::size_t end = text.find(mark + " 2\n");
        return end == std::string::npos ? text : mark.substr(1) + text.substr(end + mark.size() + 2);
    }

    /// Preprocesses to `base`.ii, its launches rewritten; returns the command that compiles it, its output
    /// left open. Where `headers` names parsed ones, their text is left out.
    std::vector<std::string> rewritten(Unit& unit,
                                       const std::vector<std::string>& flags,
                                       const std::string& base,
                                       const fs::path& headers) const {
        std::vector<std::string> command{with_.compiler, "-x", "c++", "-E"};
        command.insert(command.end(), flags.begin(), flags.end());
        command.insert(
            command.end(),
            {"-MMD", "-MF", base + ".d", "-MT", "program", unit.source.string(), "-o", base + ".ii"});
        call(command, unit);
        const std::string whole = process::text_of(base + ".ii");
        const std::string text = without_repeated_templates(restore_aggregates(
            without_attribute(headers.empty() ? whole : behind_headers(whole, unit.source))));
        RewrittenText rewritten = rewrite_launches(text);
        unit.launches = rewritten.launches;
        unit.has_main = defines_main(text);
        unit.uses_gtest = text.find("gtest/gtest.h\"") != std::string::npos;
        rewritten.text += records(text, unit.pass);
        write_whole(base + ".ii", rewritten.text);
        command = {with_.compiler, "-x", "c++-cpp-output"};
        for (std::size_t i = 0; i < flags.size(); ++i) {
            if (flags[i] == "-include") {
                ++i;
            } else if (!flags[i].starts_with("-I") && (!flags[i].starts_with("-D") || !headers.empty())) {
                command.push_back(flags[i]);  // parsed headers must have been parsed with the same macros
            }
        }
        if (!headers.empty()) {
            command.insert(command.end(), {"-Xclang", "-include-pch", "-Xclang", headers.string()});
        }
        return command;
    }

    static void call(const std::vector<std::string>& command, const Unit& unit) {
        process::Subprocess process{command};
        if (process.finish() != 0) {
            throw UserError{
                "{}: does not compile for {}\n{}", unit.source.string(), name(unit.pass), process.output()};
        }
    }

    /// What a plug-in tells about its kernels: the cores they ask for, and how to call those launched by
    /// name.
    [[nodiscard]] std::string records(const std::string& preprocessed, Pass pass) const {
        std::string text = "\nnamespace {\n";
        std::size_t number = 0;
        const auto use = [&](const std::string& kernel, CoreUse cores, bool keyed, std::uint64_t key) {
            text += fmt::format(
                "[[gnu::section(\"ascendsim_uses\"), gnu::used]] const ::ascendsim::program::KernelUse "
                "ascendsim_use_{}{{\"{}\", ::ascendsim::CoreUse({}), {}, {}u}};\n",
                number++,
                kernel,
                static_cast<int>(cores),
                keyed,
                key);
        };
        for (const ProgramKernel& kernel : find_program_kernels(preprocessed)) {
            if (kernel.cores) {
                use(kernel.name, *kernel.cores, false, 0);
            }
            for (const auto& [key, cores] : kernel.by_key) {
                use(kernel.name, cores, true, key);
            }
            const bool named = std::ranges::find(named_, kernel.name) != named_.end();
            if (named && pass != Pass::host && kernel.has_body && !kernel.is_template && kernel.at_top) {
                text += fmt::format(
                    "[[gnu::section(\"ascendsim_calls\"), gnu::used]] constexpr "
                    "::ascendsim::program::KernelCall ascendsim_call_{1} = "
                    "::ascendsim::program::NamedRecord<&::{0}>::named(\"{0}\");\n",
                    kernel.name,
                    number++);
            }
        }
        return text + "}\n";
    }

    /// The object that exports the records of a plug-in.
    [[nodiscard]] fs::path table_object() const {
        const fs::path source = with_.installation.launch_table();
        process::Digest digest;
        digest.add(fmt::format("{} {}", format_version, with_.compiler));
        digest.add(process::text_of(source));
        digest.add(process::text_of(with_.installation.launch_header()));
        const fs::path stem = folder_ / digest.hex();
        fs::path object = kept_object(stem, ".o");
        if (object.empty()) {
            const fs::path fresh = fmt::format("{}.{}.fresh.o", stem.string(), writer_tag());
            const std::vector<std::string> command{with_.compiler,
                                                   "-std=gnu++20",
                                                   "-O2",
                                                   "-fPIC",
                                                   "-I" + with_.installation.root.string(),
                                                   "-c",
                                                   source.string(),
                                                   "-o",
                                                   fresh.string()};
            call(command, {.source = source, .object = {}});
            object = keep_object(fresh, stem, ".o");
        }
        mark_used(object);
        return object;
    }

    [[nodiscard]] fs::path link(Pass pass, const fs::path& table) const {
        const fs::path& libraries = with_.installation.libraries;
        std::vector<std::string> command{
            with_.compiler, "-shared", "-fuse-ld=lld", "-Wl,-Bsymbolic", "-Wl,-z,defs"};
        bool gtest = false;
        bool has_main = false;
        for (const Unit& unit : units_) {
            if (unit.pass == pass) {
                command.push_back(unit.object.string());
            }
            gtest = gtest || unit.uses_gtest;
            has_main = has_main || unit.has_main;
        }
        if (pass == Pass::host) {
            const std::vector<std::string> words = thread_call_words();
            command.insert(command.end(), words.begin(), words.end());
        }
        if (pass != Pass::host) {
            command.push_back(table.string());
        } else if (!has_main && !gtest) {
            throw UserError{"{}: none of the program's files has a main", sources_.files.front().string()};
        }
        check_flags_in_sandbox(sources_.link);
        command.insert(command.end(), sources_.link.begin(), sources_.link.end());
        if (gtest) {
            if (!has_main && pass == Pass::host) {
                command.insert(command.end(), {"-Wl,--undefined=main", "-lgtest_main"});
            }
            command.emplace_back("-lgtest");
        }
        for (const char* library : {"libruntime_acl.so", "libmodels_isa.so"}) {
            command.push_back((libraries / library).string());
        }
        command.push_back("-Wl,-rpath," + libraries.string());
        command.emplace_back("-lfmt");
        return linked(std::move(command), pass);
    }

    /// The plug-in that `command` links: from the cache, or fresh.
    [[nodiscard]] fs::path linked(std::vector<std::string> command, Pass pass) const {
        process::Digest digest;
        for (const std::string& word : command) {
            digest.add(word);
        }
        const fs::path stem = folder_ / fmt::format("{}.{}", digest.hex(), name(pass));
        fs::path plugin = kept_object(stem, ".so");
        if (plugin.empty()) {
            const fs::path fresh = fmt::format("{}.{}.tmp", stem.string(), writer_tag());
            command.insert(command.end(), {"-o", fresh.string()});
            call(command, {.source = sources_.files.front(), .pass = pass, .object = {}});
            plugin = keep_object(fresh, stem, ".so");
        }
        mark_used(plugin);
        return plugin;
    }

    const ProgramSources& sources_;
    const Toolchain& with_;
    fs::path folder_;
    std::vector<std::string> named_;  // kernels launched by name
    ProgramProject project_;
    std::vector<Unit> units_;
};

}  // namespace

void check_program_syntax(const ProgramSources& sources, const Toolchain& with) {
    check(!sources.files.empty(), "a program without files");
    Builder{sources, with}.check_syntax();
}

BuiltProgram build_program(const ProgramSources& sources, const Toolchain& with) {
    check(!sources.files.empty(), "a program without files");
    return Builder{sources, with}.run();
}

}  // namespace ascendsim::toolchain
