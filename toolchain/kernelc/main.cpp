// SPDX-License-Identifier: Apache-2.0
// ascendsim-kernelc: compiles one pass of an in-tree kernel while the project is built, with the flags of a
// run.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "toolchain/build/compile.hpp"
#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::toolchain {
namespace {

Pass pass_named(std::string_view text) {
    for (const Pass pass : {Pass::host, Pass::aiv, Pass::aic, Pass::coupled}) {
        if (name(pass) == text) {
            return pass;
        }
    }
    throw UserError{"'{}' is no pass", text};
}

using Options = std::map<std::string, std::string>;

const std::string& option(const Options& options, const std::string& name) {
    const auto found = options.find(name);
    if (found == options.end()) {
        throw UserError{
            "{} is missing: ascendsim-kernelc needs --source, --pass, --output, --depfile, --root, "
            "--libraries, --compiler and --cache, each with a value",
            name};
    }
    return found->second;
}

void run(const Options& options) {
    // Headers parsed once for all kernels of the build.
    setenv("XDG_CACHE_HOME", option(options, "--cache").c_str(), 1);
    const Toolchain toolchain{
        .compiler = option(options, "--compiler"),
        .installation = {.root = option(options, "--root"), .libraries = option(options, "--libraries")}};
    Compilation what{.source = option(options, "--source"),
                     .pass = pass_named(option(options, "--pass")),
                     .entries = {},
                     .flags = {}};
    if (what.pass != Pass::host) {
        what.entries = callable_entries(what.source);
    }
    compile(what, toolchain, option(options, "--output"), option(options, "--depfile"));
}

}  // namespace
}  // namespace ascendsim::toolchain

int main(int argc, char** argv) {
    try {
        std::map<std::string, std::string> options;
        for (int i = 1; i + 1 < argc; i += 2) {
            options[argv[i]] = argv[i + 1];
        }
        ascendsim::toolchain::run(options);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
