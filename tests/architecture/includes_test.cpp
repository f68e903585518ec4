// SPDX-License-Identifier: Apache-2.0
// The structure of the tree, as a test: dependencies point left, SystemC stays in the machine, files stay
// small.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ascendsim {
namespace {

namespace fs = std::filesystem;

/// Each folder may use those before it.
const std::vector<std::string> folders{
    "sim", "models", "toolchain", "kernels", "runtime", "networks", "app", "gui", "python"};

struct Line {
    fs::path file;  // from the root
    int number = 0;
    std::string text;
};

std::vector<fs::path> sources() {
    const fs::path root{ASCENDSIM_SOURCE_DIR};
    std::vector<fs::path> found;
    for (const std::string& folder : folders) {
        if (!fs::is_directory(root / folder)) {
            continue;  // networks is still to come
        }
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root / folder}) {
            const std::string extension = entry.path().extension().string();
            if (extension == ".hpp" || extension == ".cpp" || extension == ".h") {
                found.push_back(fs::relative(entry.path(), root));
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

std::vector<Line> lines_of(const fs::path& file) {
    std::ifstream stream{fs::path{ASCENDSIM_SOURCE_DIR} / file};
    std::vector<Line> lines;
    for (std::string text; std::getline(stream, text);) {
        lines.push_back({file, static_cast<int>(lines.size()) + 1, text});
    }
    return lines;
}

std::size_t rank_of(const fs::path& path) {
    return static_cast<std::size_t>(std::ranges::find(folders, path.begin()->string()) - folders.begin());
}

std::string first_folders(const fs::path& path, std::size_t count) {
    std::string prefix;
    for (const fs::path& part : path) {
        if (count-- == 0) {
            break;
        }
        prefix += part.string() + "/";
    }
    return prefix;
}

/// Calls f(line, included path) for every #include of one of our files.
template <class F>
void for_each_include(F&& f) {
    const std::regex include{R"(^\s*#\s*include\s+"([^"]+)\")"};
    for (const fs::path& file : sources()) {
        for (const Line& line : lines_of(file)) {
            if (std::smatch match; std::regex_search(line.text, match, include)) {
                f(line, fs::path{match[1].str()});
            }
        }
    }
}

}  // namespace

TEST(Architecture, SourcesAreFound) {
    EXPECT_GT(sources().size(), 50U);
}

TEST(Architecture, DependenciesPointLeft) {
    for_each_include([](const Line& line, const fs::path& included) {
        if (rank_of(included) < folders.size()) {
            EXPECT_LE(rank_of(included), rank_of(line.file))
                << fmt::format("{}:{} includes {}, which lies to its right",
                               line.file.string(),
                               line.number,
                               included.string());
        }
    });
}

TEST(Architecture, FoldersOfTheModelsPointLeft) {
    const std::vector<std::string> order{
        "spec", "node", "numbers", "port", "isa", "memory", "core", "sanitize"};
    const auto rank = [&order](const fs::path& file) {
        const std::string folder = *file.begin() == "models" ? (++file.begin())->string() : std::string{};
        return std::ranges::find(order, folder) - order.begin();
    };
    const auto none = static_cast<std::ptrdiff_t>(order.size());
    for_each_include([&](const Line& line, const fs::path& included) {
        if (rank(line.file) < none && rank(included) < none) {
            EXPECT_LE(rank(included), rank(line.file))
                << fmt::format("{}:{} includes {}", line.file.string(), line.number, included.string());
        }
    });
}

/// The namespace of each folder: `ascendsim` itself for the words that all of them use. Left out are the
/// dialect, the operators (each has a namespace of its own) and runtime/acl, which define the vendor's names.
const std::map<std::string, std::string> namespaces{{"sim/base", ""},
                                                    {"sim/config", ""},
                                                    {"sim/engine", ""},
                                                    {"sim/process", "process"},
                                                    {"sim/record", "record"},
                                                    {"models/spec", ""},
                                                    {"models/node", "node"},
                                                    {"models/numbers", ""},
                                                    {"models/memory", ""},
                                                    {"models/timeline", ""},
                                                    {"models/core", ""},
                                                    {"models/isa", "isa"},
                                                    {"models/sanitize", "sanitize"},
                                                    {"toolchain", "toolchain"},
                                                    {"kernels/plan", "host"},
                                                    {"kernels/shared", "host"},
                                                    {"runtime/session", "runtime"},
                                                    {"runtime/launches", "runtime"},
                                                    {"runtime/front", "front"},
                                                    {"runtime/ranks", "runtime"},
                                                    {"runtime/crashes", "runtime"},
                                                    {"networks", "networks"},
                                                    {"app/analysis", "analysis"},
                                                    {"app/benchmark", "benchmark"},
                                                    {"app/cli", "cli"},
                                                    {"app/doctor", "doctor"},
                                                    {"app/lessons", "lessons"},
                                                    {"app/networks", "report"},
                                                    {"app/profile", "profile"},
                                                    {"app/report", "report"},
                                                    {"app/scenario", "scenario"},
                                                    {"app/skeleton", "skeleton"},
                                                    {"app/steps", "steps"},
                                                    {"app/training", "training"},
                                                    {"app/studies", "study"},
                                                    {"app/validation", "validation"},
                                                    {"gui", "gui"},
                                                    {"python", "python"}};

TEST(Architecture, EachFolderHasOneNamespace) {
    for (const fs::path& file : sources()) {
        const auto of_folder = std::ranges::find_if(namespaces, [&file](const auto& folder) {
            return file.string().starts_with(folder.first + "/");
        });
        if (of_folder == namespaces.end() || file.extension() == ".h") {
            continue;
        }
        const std::string wanted = "ascendsim" + (of_folder->second.empty() ? "" : "::" + of_folder->second);
        for (const Line& line : lines_of(file)) {
            if (line.text.starts_with("namespace ascendsim") && line.text.ends_with("{")) {
                const std::string found = line.text.substr(10, line.text.size() - 12);
                EXPECT_TRUE(found == wanted || found.starts_with(wanted + "::") || found.ends_with("testing"))
                    << fmt::format("{}:{} opens {}, not {}", file.string(), line.number, found, wanted);
            }
        }
    }
}

TEST(Architecture, IncludesNameExistingFilesFromTheRoot) {
    for_each_include([](const Line& line, const fs::path& included) {
        const bool ascend_c =
            line.file.string().starts_with("kernels/") ||
            line.file.string().starts_with("runtime/acl/");  // the dialect has include paths of its own
        const bool exists = fs::exists(fs::path{ASCENDSIM_SOURCE_DIR} / included);
        EXPECT_TRUE(exists || ascend_c)
            << fmt::format("{}:{}: {}", line.file.string(), line.number, included.string());
    });
}

TEST(Architecture, SystemCStaysInTheMachine) {
    const std::regex systemc{R"(^\s*#\s*include\s+[<"](systemc|tlm))"};
    for (const fs::path& file : sources()) {
        const std::string place = first_folders(file, 2);
        if (place == "sim/engine/" || place == "models/memory/" || place == "models/core/") {
            continue;
        }
        for (const Line& line : lines_of(file)) {
            EXPECT_FALSE(std::regex_search(line.text, systemc))
                << fmt::format("{}:{}: {}", file.string(), line.number, line.text);
        }
    }
}

bool is_of_a_test(const fs::path& file) {
    return file.string().ends_with("_test.cpp") || file.string().find("/testing/") != std::string::npos;
}

/// Every line of our programs that holds one of `words`, but in files of tests and in `allowed`.
std::vector<std::string> lines_with(const std::vector<std::string>& words,
                                    const std::string& folder,
                                    const std::vector<std::string>& allowed) {
    std::vector<std::string> found;
    for (const fs::path& file : sources()) {
        if (is_of_a_test(file) || !file.string().starts_with(folder) ||
            std::ranges::find(allowed, file.string()) != allowed.end()) {
            continue;
        }
        for (const Line& line : lines_of(file)) {
            const bool comment = line.text.find_first_not_of(' ') == line.text.find("//");
            if (!comment && std::ranges::any_of(words, [&](const std::string& word) {
                    return line.text.find(word) != std::string::npos;
                })) {
                found.push_back(fmt::format("{}:{}: {}", file.string(), line.number, line.text));
            }
        }
    }
    return found;
}

// std::regex calls itself for each letter: a line of 36 KB overflows the stack. sim/base/pattern.hpp does
// not.
TEST(Architecture, NoTextIsGivenToTheRegexOfTheStandardLibrary) {
    EXPECT_THAT(lines_with({"std::regex", "<regex>"}, "", {}), testing::IsEmpty());
}

// Names and messages of others must not command a CI service: say() and complain() see to that.
TEST(Architecture, TheCommandLinePrintsInOnePlace) {
    const std::vector<std::string> ways{"fmt::print",
                                        "std::cout",
                                        "std::cerr",
                                        "std::printf",
                                        "std::puts",
                                        "std::fputs",
                                        "std::fprintf",
                                        "std::fwrite",
                                        "std::putchar"};
    EXPECT_THAT(lines_with(ways, "app/cli/", {"app/cli/text_output.cpp"}), testing::IsEmpty());
}

// A reader sees a file whole or not at all; what must grow in place says so here.
TEST(Architecture, FilesAreWrittenWhole) {
    EXPECT_THAT(
        lines_with({"std::ofstream", "std::fopen"},
                   "",
                   {"app/cli/commands/check.cpp",  // appends to a CI service's summary
                    "python/ascendsim/standin/include/ascendsim_aclnn.hpp",  // read behind its program's end
                    "toolchain/build/compile.cpp",               // beside a compiler's temporary files
                    "toolchain/build/tiling_build.cpp",          // a compiler's temporary file
                    "toolchain/installation/cache_files.cpp"}),  // its own way: renames within the cache
        testing::IsEmpty());
}

TEST(Architecture, TheDashboardNeverSeesTheMachine) {
    for_each_include([](const Line& line, const fs::path& included) {
        const std::string place = first_folders(included, 2);
        const bool machine = place == "models/core/" || place == "models/timeline/" ||
                             place == "models/memory/" || place == "sim/engine/";
        EXPECT_FALSE(*line.file.begin() == "gui" && machine)
            << fmt::format("{}:{} includes {}", line.file.string(), line.number, included.string());
    });
}

// A panel is a file of gui/panels, further files whose names begin alike, and a folder of its name.
std::string panel_of(const fs::path& file) {
    const std::string below = file.lexically_relative("gui/panels").begin()->stem().string();
    return below.substr(0, below.find('_'));
}

TEST(Architecture, PanelsDoNotSeeEachOther) {
    for_each_include([](const Line& line, const fs::path& included) {
        const bool panels =
            first_folders(line.file, 2) == "gui/panels/" && first_folders(included, 2) == "gui/panels/";
        const bool test = line.file.stem().string().ends_with("_test") || panel_of(line.file) == "testing";
        const bool list = included.filename() == "panel_list.hpp";
        EXPECT_FALSE(panels && !test && !list && panel_of(line.file) != panel_of(included))
            << fmt::format("{}:{} includes {}", line.file.string(), line.number, included.string());
    });
}

TEST(Architecture, FoldersStaySmall) {
    constexpr int most_files = 45;  // about 40: what a reader takes in
    std::map<fs::path, int> files;
    for (const fs::path& file : sources()) {
        ++files[file.parent_path()];
    }
    for (const auto& [folder, count] : files) {
        EXPECT_LE(count, most_files) << folder.string();
    }
}

TEST(Architecture, ScenariosAreData) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{fs::path{ASCENDSIM_SOURCE_DIR} / "scenarios"}) {
        const std::string extension = entry.path().extension().string();
        EXPECT_TRUE(extension != ".cpp" && extension != ".hpp" && extension != ".h") << entry.path();
    }
}

TEST(Architecture, FilesStaySmall) {
    constexpr std::size_t most_lines = 600;  // 400 is the aim; a class is not cut in the middle
    for (const fs::path& file : sources()) {
        EXPECT_LE(lines_of(file).size(), most_lines) << file.string();
    }
}

TEST(Architecture, EveryFileNamesItsLicence) {
    for (const fs::path& file : sources()) {
        const std::vector<Line> lines = lines_of(file);
        ASSERT_FALSE(lines.empty()) << file.string();
        EXPECT_TRUE(lines.front().text.find("SPDX-License-Identifier: Apache-2.0") != std::string::npos)
            << file.string();
    }
}

}  // namespace ascendsim
