// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/program_project.hpp"

#include <algorithm>
#include <string_view>

#include "sim/base/error.hpp"
#include "toolchain/project/cmake_project.hpp"
#include "toolchain/project/operator_project.hpp"
#include "toolchain/project/unit_test_project.hpp"
#include "toolchain/scan/source_closure.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

class Finder {
public:
    Finder(const ProgramSources& sources, const Installation& installation, const fs::path& folder)
        : sources_{sources}, installation_{installation}, folder_{folder} {}

    ProgramProject run() {
        for (const fs::path& source : sources_.files) {
            if (!fs::is_regular_file(source)) {
                throw UserError{"{}: no such source", source.string()};
            }
            add(fs::absolute(source).lexically_normal());
        }
        for (const fs::path& source :
             sources_.alone ? std::vector<fs::path>{} : std::vector{project_.files}) {
            add_what_cmake_says(source);
        }
        for (const fs::path& source : std::vector{project_.files}) {
            const bool unit_test = process::text_of(source).find("ICPU_RUN_KF") != std::string::npos;
            project_.unit_test = project_.unit_test || unit_test;
            const auto test =
                unit_test ? unit_test_project(
                                source, sources_.arch, provided_folders(installation_), folder_ / "tests")
                          : std::nullopt;
            if (test) {
                add_test(source, *test);
            } else {
                const ProjectPlace place{.kernel = {}, .provided = {}, .with_launches = true};
                take(source, project_flags(source, installation_, folder_, place), false);
            }
        }
        project_.vector_only = says_only_vector_cores() || has_core_option("-vec");
        project_.cube_only = !project_.vector_only && has_core_option("-cube");
        return std::move(project_);
    }

private:
    bool add(const fs::path& file) {
        const bool fresh = std::ranges::find(project_.files, file) == project_.files.end();
        if (fresh) {
            project_.files.push_back(file);
        }
        return fresh;
    }

    /// The other sources of a sample, its include folders and definitions.
    void add_what_cmake_says(const fs::path& source) {
        const CmakeNotes notes = cmake_notes(source, project_root(source), sources_.flags);
        project_.flags.insert(project_.flags.end(), notes.flags.begin(), notes.flags.end());
        for (const fs::path& file : notes.sources) {
            add(file);
        }
    }

    /// Takes flags for all files; headers made for this file only where `with_headers`.
    void take(const fs::path& source, const std::vector<std::string>& flags, bool with_headers) {
        for (std::size_t i = 0; i < flags.size(); ++i) {
            if (flags[i] != "-include") {
                project_.flags.push_back(flags[i]);
                continue;
            }
            ++i;
            if (with_headers) {
                project_.headers[source].emplace_back(flags[i]);
            }
        }
    }

    void add_test(const fs::path& source, const UnitTestProject& test) {
        for (const fs::path& include : test.includes) {
            project_.flags.push_back("-I" + include.string());
        }
        for (const std::string& definition : test.definitions) {
            if (!is_given(definition)) {
                project_.flags.push_back(definition);
            }
        }
        // As the build of the libraries does; a chip of the generation stands for all.
        project_.flags.insert(project_.flags.end(), {"-DKERNELUT=1", "-DUT_SOC_VERSION=\"Ascend910B1\""});
        const bool own_headers = sources_.forced.empty();
        const ProjectPlace place{.kernel = test.kernel,
                                 .provided = test.includes,
                                 .with_tiling = test.header.empty(),
                                 .with_launches = true};
        std::vector<fs::path> with_header{source};
        if (test.kernel_apart) {
            add(test.kernel);
            with_header.push_back(test.kernel);
        }
        for (const fs::path& file : with_header) {
            if (own_headers && !test.header.empty()) {
                project_.headers[file].push_back(test.header);
            }
            take(file, project_flags(file, installation_, folder_, place), own_headers);
        }
        for (const fs::path& helper : test.helpers) {
            if (add(helper)) {
                project_.helpers.push_back(helper);
            }
        }
        // Behind the first, which is the test's own.
        for (std::size_t i = 1; i < test.includes.size(); ++i) {
            project_.helper_flags.push_back("-I" + test.includes[i].string());
        }
    }

    /// True if the vendor's option for the cores, --cce-aicore-arch=dav-c220-vec or -cube, ends so; the last
    /// one counts, as for a compiler.
    [[nodiscard]] bool has_core_option(std::string_view ending) const {
        const auto last = std::find_if(sources_.flags.rbegin(),
                                       sources_.flags.rend(),
                                       [](const std::string& flag) { return is_core_option(flag); });
        return last != sources_.flags.rend() && last->ends_with(ending);
    }

    [[nodiscard]] bool says_only_vector_cores() const {
        bool any = false;
        for (const fs::path& file : project_.files) {
            const std::string text = without_comments(process::text_of(file));
            for (Call call = find_call(text, "SetKernelMode"); call.end != std::string::npos;
                 call = find_call(text, "SetKernelMode", call.end)) {
                any = true;
                if (call.arguments.size() != 1 || !call.arguments[0].ends_with("AIV_MODE")) {
                    return false;
                }
            }
        }
        return any;
    }

    /// True if the user defines the name of `definition` (-DNAME=VALUE).
    [[nodiscard]] bool is_given(std::string_view definition) const {
        const std::string_view name = definition.substr(0, definition.find('='));
        return std::ranges::any_of(
            sources_.flags, [&](std::string_view flag) { return flag.substr(0, flag.find('=')) == name; });
    }

    const ProgramSources& sources_;
    const Installation& installation_;
    fs::path folder_;
    ProgramProject project_;
};

}  // namespace

ProgramProject program_project(const ProgramSources& sources,
                               const Installation& installation,
                               const fs::path& folder) {
    return Finder{sources, installation, folder}.run();
}

}  // namespace ascendsim::toolchain
