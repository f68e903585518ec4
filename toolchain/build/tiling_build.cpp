// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/tiling_build.hpp"

#include <fstream>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/process/digest.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/kept_object.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

std::string wrapper_of(const fs::path& source) {
    return fmt::format(
        "#include \"register/op_def_registry.h\"\n{}extern \"C\" void ascendsim_tiling(const "
        "ascendsim::tiling::Request& request, ascendsim::tiling::Answer& answer) {{\n    "
        "ascendsim::tiling::answer_request(request, answer);\n}}\n",
        include_line(source.string()));
}

std::vector<std::string> command_of(const fs::path& source, const fs::path& folder, const Toolchain& with) {
    std::vector<std::string> command{with.compiler,
                                     "-std=gnu++20",
                                     "-O1",
                                     "-fPIC",
                                     "-shared",
                                     "-fuse-ld=lld",
                                     "-w",
                                     "-g1",
                                     "-ferror-limit=10",
                                     "-DFMT_SHARED",
                                     "-DASCENDSIM",
                                     "-DASCENDSIM_HOST"};
    const std::vector<fs::path> provided{
        with.installation.host_headers(), with.installation.root, with.installation.kernel_headers()};
    const SourceClosure closure{source, provided, folder / "include"};
    for (const auto* folders : {&provided, &closure.folders()}) {
        for (const fs::path& include : *folders) {
            command.push_back("-I" + include.string());
        }
    }
    return command;
}

}  // namespace

fs::path build_tiling(const fs::path& file, const Toolchain& with) {
    if (!fs::is_regular_file(file)) {
        throw UserError{"{}: no such source of an operator's host side", file.string()};
    }
    const fs::path source = fs::absolute(file).lexically_normal();
    const fs::path folder = made_cache_folder("kernels");
    std::vector<std::string> command = command_of(source, folder, with);
    process::Digest digest;
    digest.add(wrapper_of(source));
    for (const std::string& word : command) {
        digest.add(word);
    }
    const std::string request = digest.hex();
    if (fs::path plugin = known_plugin(request, folder); !plugin.empty()) {
        return plugin;
    }
    const std::string base = (folder / fmt::format("{}.{}", request, writer_tag())).string();
    std::ofstream{base + ".cpp"} << wrapper_of(source);
    const std::string libraries = with.installation.libraries.string();
    command.insert(command.end(),
                   {"-MMD",
                    "-MF",
                    base + ".d",
                    "-MT",
                    "tiling",
                    base + ".cpp",
                    "-o",
                    base + ".so",
                    libraries + "/libruntime_acl.so",
                    libraries + "/libmodels_isa.so",
                    "-Wl,-rpath," + libraries,
                    "-lfmt"});
    process::Subprocess process{command};
    const int exit = process.finish();
    fs::remove(base + ".cpp");
    if (exit != 0) {
        throw UserError{"{}: does not compile for the host\n{}", source.string(), process.output()};
    }
    const std::string key = content_key(request, process::text_of(base + ".d"), folder);
    fs::path plugin = keep_object(base + ".so", folder / key, ".so");
    put_in_place(base + ".d", folder / (request + ".d"));
    return plugin;
}

fs::path tiling_source_of(const fs::path& kernel) {
    const fs::path whole = fs::absolute(kernel).lexically_normal();
    const fs::path folder = whole.parent_path().parent_path() / "op_host";
    if (whole.parent_path().filename() != "op_kernel" || !fs::is_directory(folder)) {
        return {};
    }
    const fs::path source = folder / (whole.stem().string() + ".cpp");
    const std::string code = without_comments(process::text_of(source));
    const bool defines =
        code.find("OP_ADD") != std::string::npos && code.find("SetTiling(") != std::string::npos;
    return defines ? source : fs::path{};
}

}  // namespace ascendsim::toolchain
