// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/host_build.hpp"

#include <set>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/in_parallel.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/build/precompiled_headers.hpp"
#include "toolchain/build/warnings.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/kept_object.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// Compiles the sources one by one and links them.
class HostBuild {
public:
    HostBuild(const HostSources& what, const Toolchain& with)
        : what_{what}, sources_{what.sources}, flags_{what.flags}, with_{with} {
        process::Digest digest;
        digest.add("operator 3 " + with.compiler);
        for (const fs::path& source : sources_) {
            digest.add(source.string());
            for (const std::string& flag : more_flags(source)) {
                digest.add(flag);
            }
        }
        for (const std::vector<std::string>* part : {&flags_, &what.link_flags, &what.forced_headers}) {
            for (const std::string& flag : *part) {
                digest.add(flag);
            }
        }
        request_ = digest.hex();
    }

    [[nodiscard]] fs::path plugin() const {
        const fs::path folder = made_cache_folder("kernels");
        if (fs::path known = known_plugin(request_, folder); !known.empty()) {
            return known;
        }
        const std::string base = (folder / fmt::format("{}.{}", request_, writer_tag())).string();
        const std::vector<std::string> headers = header_flags(
            {.names = what_.forced_headers, .flags = flags_}, with_.compiler, with_.installation);
        std::vector<std::string> objects(sources_.size());
        std::vector<std::string> left_out(sources_.size());
        process::in_parallel(
            sources_.size(), [&](std::size_t i) { objects[i] = object(i, base, headers, left_out[i]); }, 2);
        std::erase(objects, std::string{});
        std::erase(left_out, std::string{});
        link(objects, base);
        std::string notes = "plugin:";
        for (const fs::path& source : sources_) {  // those left out, too
            notes += " \\\n  " + escaped(source.string());
        }
        if (headers.front() == "-include-pch") {
            const fs::path parsed = fs::path{headers.back()}.replace_extension(".d");
            for (const fs::path& file : dependencies(process::text_of(parsed))) {
                notes += " \\\n  " + escaped(file.string());
            }
        }
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const std::string one = object_file(base, i);
            for (const fs::path& file : dependencies(process::text_of(one + ".d"))) {
                if (!fs::exists(file)) {  // what a source that is left out misses
                    continue;
                }
                notes += " \\\n  " + escaped(file.string());
            }
            fs::remove(one + ".d");
            fs::remove(one);
        }
        write_whole(base + ".d", notes + "\n");
        const std::string key = content_key(request_, notes, folder);
        fs::path plugin = keep_object(base + ".so", folder / key, ".so");
        keep_warnings(left_out, plugin);
        put_in_place(base + ".d", folder / (request_ + ".d"));
        return plugin;
    }

private:
    static std::string escaped(const std::string& path) {
        std::string text;
        for (const char letter : path) {
            text += letter == ' ' ? std::string{"\\ "} : std::string{letter};
        }
        return text;
    }

    [[nodiscard]] std::vector<std::string> plain_headers() const {
        std::vector<std::string> flags;
        for (const std::string& name : what_.forced_headers) {
            flags.insert(flags.end(), {"-include", name});
        }
        return flags;
    }

    [[nodiscard]] std::vector<std::string> more_flags(const fs::path& source) const {
        const auto found = what_.more_flags.find(source);
        return found == what_.more_flags.end() ? std::vector<std::string>{} : found->second;
    }

    /// The command of one source, without what it is to make.
    [[nodiscard]] std::vector<std::string> command_of(std::size_t i,
                                                      const std::vector<std::string>& headers) const {
        std::vector<std::string> command{with_.compiler};
        for (const std::vector<std::string>& part : {flags_, more_flags(sources_[i]), headers}) {
            command.insert(command.end(), part.begin(), part.end());
        }
        return command;
    }

    [[nodiscard]] bool compile_one(std::size_t i,
                                   const std::string& object,
                                   const std::vector<std::string>& headers,
                                   std::string& words) const {
        std::vector<std::string> command = command_of(i, headers);
        command.insert(
            command.end(),
            {"-MMD", "-MF", object + ".d", "-MT", "plugin", "-c", sources_[i].string(), "-o", object});
        process::Subprocess process{command};
        const int exit = process.finish();
        words = process.output();
        return exit == 0;
    }

    static std::string object_file(const std::string& base, std::size_t i) {
        return fmt::format("{}.{}.o", base, i);
    }

    /// What a source includes, as far as it is there, that does not compile: it may once one of these has
    /// changed.
    void note_headers(std::size_t i, const std::string& object) const {
        std::vector<std::string> command = command_of(i, plain_headers());
        command.insert(command.end(),
                       {"-MM", "-MG", "-MF", object + ".d", "-MT", "plugin", sources_[i].string()});
        process::Subprocess process{command};
        static_cast<void>(process.finish());
    }

    /// The compiler's line of it, which begins with the place; its first, if it says no error.
    [[nodiscard]] static std::string first_error(const std::string& words) {
        const std::size_t at = words.find(" error: ");
        const std::size_t begin = at == std::string::npos ? 0 : words.rfind('\n', at) + 1;
        return words.substr(begin, words.find('\n', begin) - begin);
    }

    /// Empty for a source that does not compile and is not the definition: libraries hold variants for other
    /// generations among those for this one. The compiler's words go to `left_out`.
    [[nodiscard]] std::string object(std::size_t i,
                                     const std::string& base,
                                     const std::vector<std::string>& headers,
                                     std::string& left_out) const {
        const std::string file = object_file(base, i);
        std::string words;
        bool compiles = compile_one(i, file, headers, words);
        if (!compiles &&
            words.find("precompiled header") != std::string::npos) {  // it is not of use any more
            compiles = compile_one(i, file, plain_headers(), words);
        }
        if (!compiles && sources_[i] == what_.required) {
            throw UserError{"{}: does not compile for the host\n{}", sources_[i].string(), words};
        }
        if (!compiles) {
            note_headers(i, file);
            left_out = fmt::format("{}: left out, as it does not compile for the host: {}",
                                   sources_[i].string(),
                                   first_error(words));
            return {};
        }
        return file;
    }

    /// What the sources name and none of them has is replaced by functions that say so when they are called:
    /// most of it belongs to variants for another generation.
    void link(const std::vector<std::string>& objects, const std::string& base) const {
        process::Subprocess whole{link_command(objects, base, {"-Wl,-z,defs", "-Wl,--error-limit=0"})};
        if (whole.finish() == 0) {
            return;
        }
        const std::string source = base + ".missing.c";
        write_whole(source, missing_functions(whole.output()));
        process::Subprocess rest{link_command(objects, base, {"-fexceptions", "-x", "c", source})};
        const int exit = rest.finish();
        fs::remove(source);
        if (exit != 0) {
            throw UserError{"{}: its host sources do not link\n{}", sources_.front().string(), rest.output()};
        }
    }

    [[nodiscard]] std::vector<std::string> link_command(const std::vector<std::string>& objects,
                                                        const std::string& base,
                                                        const std::vector<std::string>& more) const {
        const std::string libraries = with_.installation.libraries.string();
        std::vector<std::string> command{
            with_.compiler, "-w", "-shared", "-fPIC", "-fuse-ld=lld", "-Wl,--no-demangle"};
        command.insert(command.end(), objects.begin(), objects.end());
        command.insert(command.end(),
                       {"-o",
                        base + ".so",
                        libraries + "/libruntime_acl.so",
                        libraries + "/libmodels_isa.so",
                        "-Wl,-rpath," + libraries,
                        "-lfmt"});
        command.insert(command.end(), what_.link_flags.begin(), what_.link_flags.end());
        command.insert(command.end(), more.begin(), more.end());
        return command;
    }

    /// C source for the symbols that the linker misses: functions by their mangled names, tables of virtual
    /// functions full of them.
    static std::string missing_functions(const std::string& words) {
        constexpr std::string_view mark = "undefined symbol: ";
        std::set<std::string> names;
        for (std::size_t at = words.find(mark); at != std::string::npos; at = words.find(mark, at + 1)) {
            const std::size_t begin = at + mark.size();
            names.insert(words.substr(begin, words.find_first_of(" \n", begin) - begin));
        }
        std::string text = "void ascendsim_misses(const char* name);\n";
        for (const std::string& name : names) {
            const bool table =
                name.starts_with("_ZTV") || name.starts_with("_ZTI") || name.starts_with("_ZTT");
            const std::string function = table ? "ascendsim_of_" + name : name;
            text += fmt::format("{0}void {1}(void) {{ ascendsim_misses(\"{2}\"); }}\n",
                                table ? "static " : "",
                                function,
                                name);
            text +=
                table ? fmt::format("void* {0}[64] = {{[2 ... 63] = (void*)&{1}}};\n", name, function) : "";
        }
        return text;
    }

    const HostSources& what_;
    const std::vector<fs::path>& sources_;
    const std::vector<std::string>& flags_;
    const Toolchain& with_;
    std::string request_;
};

}  // namespace

std::vector<fs::path> host_folders(const Installation& installation) {
    return {installation.host_headers(), installation.root, installation.kernel_headers()};
}

fs::path source_of_header(const fs::path& header) {
    const fs::path beside = fs::path{header}.replace_extension(".cpp");
    if (fs::is_regular_file(beside)) {
        return beside;
    }
    for (const std::string_view apart : {"/inc/", "/include/"}) {
        std::string path = beside.string();
        const std::size_t at = path.rfind(apart);
        if (at != std::string::npos && fs::is_regular_file(path.replace(at, apart.size(), "/src/"))) {
            return path;
        }
    }
    return {};
}

std::vector<std::string> host_flags(const Installation& installation) {
    std::vector<std::string> flags{"-std=gnu++20",
                                   "-O0",
                                   "-fPIC",
                                   "-w",
                                   "-Wno-c++11-narrowing",
                                   "-ferror-limit=5",
                                   "-fno-delete-null-pointer-checks",
                                   "-DFMT_SHARED",
                                   "-DASCENDSIM",
                                   "-DASCENDSIM_HOST",
                                   // As the libraries' own CMake files define for a build apart from the
                                   // vendor's package: what that would bring is looked for when it is called.
                                   "-DDISABLE_COMPILE_V1",
                                   "-DNN_ENABLE_DLOPEN_LEGACY"};
    for (const fs::path& provided : host_folders(installation)) {
        flags.push_back("-I" + provided.string());
    }
    return flags;
}

fs::path build_host(const HostSources& what, const Toolchain& with) {
    return HostBuild{what, with}.plugin();
}

}  // namespace ascendsim::toolchain
