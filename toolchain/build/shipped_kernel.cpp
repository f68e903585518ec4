// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/shipped_kernel.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/process/in_parallel.hpp"
#include "toolchain/build/precompiled_headers.hpp"
#include "toolchain/scan/entry_scan.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

fs::path prebuilt(const std::string& kernel, Pass pass, const Toolchain& with) {
    return with.installation.plugins() / fmt::format("{}.{}.so", kernel, name(pass));
}

/// True if the build or the package made the plug-in and nothing of it has changed since. A package keeps no
/// list of what it was made of: nothing changes there.
bool is_ready(const std::string& kernel, Pass pass, const Toolchain& with) {
    const fs::path plugin = prebuilt(kernel, pass, with);
    return pass != Pass::coupled && is_current(plugin, plugin.string() + ".d");
}

/// KERNEL_TASK_TYPE_DEFAULT and the like say so of one that runs on cube cores.
bool has_cube_entries(const std::string& text) {
    return text.find("KERNEL_TYPE_AIC") != std::string::npos ||
           text.find("KERNEL_TYPE_MIX") != std::string::npos;
}

/// The passes of a kernel that a run on the same kind of chip takes: its plan, and its cores.
std::vector<Pass> passes_beside(Pass pass, const std::string& text) {
    if (pass == Pass::coupled) {
        return {Pass::host, Pass::coupled};
    }
    return has_cube_entries(text) ? std::vector{Pass::host, Pass::aiv, Pass::aic}
                                  : std::vector{Pass::host, Pass::aiv};
}

Compilation compilation(const fs::path& source, Pass pass, const std::string& arch) {
    // Nobody edits these, and who runs the first kernel of a fresh installation waits for it.
    Compilation what{
        .source = source, .pass = pass, .entries = {}, .flags = {}, .parse_headers_ahead = false};
    if (pass == Pass::coupled && !arch.empty()) {
        what.arch = arch;
    }
    if (pass != Pass::host) {
        what.entries = callable_entries(source);
    }
    return what;
}

}  // namespace

fs::path shipped_plugin(const std::string& kernel,
                        Pass pass,
                        const std::string& arch,
                        const Toolchain& with) {
    if (is_ready(kernel, pass, with)) {
        return prebuilt(kernel, pass, with);
    }
    const fs::path source = with.installation.kernel_source(kernel);
    if (source.empty()) {
        throw UserError{
            "'{}': no such kernel below {}", kernel, (with.installation.root / "kernels/ops").string()};
    }
    std::vector<Pass> passes = passes_beside(pass, process::text_of(source));
    std::erase_if(passes, [&](Pass other) { return is_ready(kernel, other, with); });
    std::vector<fs::path> plugins(passes.size());
    process::in_parallel(passes.size(), [&](std::size_t i) {
        plugins[i] = compile_shipped(compilation(source, passes[i], arch), with);
    });
    return plugins[static_cast<std::size_t>(std::ranges::find(passes, pass) - passes.begin())];
}

}  // namespace ascendsim::toolchain
