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

void run(const std::map<std::string, std::string>& options) {
    // Headers parsed once for all kernels of the build.
    setenv("XDG_CACHE_HOME", options.at("--cache").c_str(), 1);
    const Toolchain toolchain{
        .compiler = options.at("--compiler"),
        .installation = {.root = options.at("--root"), .libraries = options.at("--libraries")}};
    Compilation what{.source = options.at("--source"),
                     .pass = pass_named(options.at("--pass")),
                     .entries = {},
                     .flags = {}};
    if (what.pass != Pass::host) {
        what.entries = callable_entries(what.source);
    }
    compile(what, toolchain, options.at("--output"), options.at("--depfile"));
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
