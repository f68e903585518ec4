// SPDX-License-Identifier: Apache-2.0
// Every kernel of the corpus is run under the checker: a wrong one must be named, a correct one must not.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "kernels/plan/plugin.hpp"
#include "models/core/machine.hpp"
#include "models/sanitize/checker.hpp"
#include "models/spec/chip_file.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"
#include "tests/sanitizer/corpus_case.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t elements = 16384;  // of an argument, as in corpus.h
constexpr std::size_t tile = 256;
constexpr std::size_t argument_count = 4;

std::vector<CorpusCase> corpus() {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{ASCENDSIM_CORPUS}) {
        if (entry.path().extension() == ".cpp") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<CorpusCase> cases;
    for (const fs::path& file : files) {
        const std::vector<CorpusCase> more = read_corpus(file);
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

/// The four arguments: two inputs, and an output and a workspace that hold nothing.
class Arguments {
public:
    Arguments(isa::GlobalMemory& memory, sanitize::Checker& checker) {
        constexpr std::array<const char*, argument_count> names{"x", "y", "z", "w"};
        for (std::size_t i = 0; i < argument_count; ++i) {
            std::byte* at = memory.allocate(names[i], elements * sizeof(float));
            addresses_[i] = at;
            pointers_[i] = &addresses_[i];
            for (std::size_t n = 0; i < 2 && n < elements; ++n) {
                values(i)[n] = static_cast<float>(n % 97 + i * 1000);
            }
            if (i >= 2) {
                checker.declare_unwritten(memory.offset_of(at), elements * sizeof(float));
            } else if (i == 1) {  // x also holds words that cores tell each other by
                checker.declare_read_only(memory.offset_of(at), elements * sizeof(float));
            }
        }
    }

    [[nodiscard]] float* values(std::size_t i) const { return reinterpret_cast<float*>(addresses_[i]); }

    [[nodiscard]] bool summed() const {
        for (std::size_t n = 0; n < tile; ++n) {
            if (values(2)[n] != values(0)[n] + values(1)[n]) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] Program program(const isa::Entry& entry) {
        return [this, invoke = entry.invoke] { invoke(pointers_.data()); };
    }

private:
    std::array<std::byte*, argument_count> addresses_{};
    std::array<void*, argument_count> pointers_{};
};

std::optional<host::DevicePlugin> plugin(const CorpusCase& one, std::string_view pass) {
    const bool vector = one.cores != "aic";
    const bool cube = one.cores != "aiv";
    if (pass == "aiv" ? !vector : !cube) {
        return std::nullopt;
    }
    return host::DevicePlugin{fs::path{ASCENDSIM_CORPUS_PLUGINS} / fmt::format("{}.{}.so", one.file, pass)};
}

/// What of a finding's side is not as the recording has it: its pipe must run its instruction, of its line,
/// at its cycle. Scalar operations have no spans of their own.
std::string untrue(const record::Recording& recording, const sanitize::Party& party) {
    if (!party.cycle) {
        return "no cycle";
    }
    for (const record::Lane& lane : recording.lanes()) {
        if (lane.path.core() != party.core || lane.path.pipe() != name(party.pipe)) {
            continue;
        }
        for (std::size_t i = 0; i < lane.size(); ++i) {
            if (lane.start[i] == *party.cycle && recording.name(lane.op[i]) == party.op &&
                recording.site(lane.site[i]).line == party.line && lane.complete[i] == party.end_cycle) {
                return {};
            }
        }
    }
    return party.pipe == Pipe::scalar ? "" : fmt::format("nothing at cycle {}", *party.cycle);
}

std::string untrue(const fs::path& file, const std::vector<sanitize::Finding>& findings) {
    const record::Recording recording{file};
    std::string text;
    for (const sanitize::Finding& finding : findings) {
        text += untrue(recording, finding.later);
        text += finding.earlier ? untrue(recording, *finding.earlier) : std::string{};
    }
    return text;
}

/// Runs a kernel on the whole machine and returns what was found, and whether the numbers are those of a sum.
ordered_json run(const CorpusCase& one) {
    const ChipSpec chip = load_chip("910b3", ASCENDSIM_CHIPS);
    const fs::path file = fs::temp_directory_path() / fmt::format("corpus-{}-{}.rec", one.kernel, getpid());
    record::Recorder recorder{file};
    sanitize::Checker checker{chip};
    Machine machine{chip,
                    recorder,
                    {.observer = &checker, .framework_folder = toolchain::Installation::framework_folder}};
    Arguments arguments{machine.memory(), checker};
    const std::optional<host::DevicePlugin> vector = plugin(one, "aiv");
    const std::optional<host::DevicePlugin> cube = plugin(one, "aic");
    const Launch launch{.name = one.kernel,
                        .kind = core_use_named(one.cores).value(),
                        .blocks = one.blocks,
                        .vector_program = vector ? arguments.program(vector->entry(one.kernel)) : Program{},
                        .cube_program = cube ? arguments.program(cube->entry(one.kernel)) : Program{}};
    std::string error;
    auto ending = sanitize::Checker::Ending::completed;
    try {
        machine.run([&launch](Machine& host) { static_cast<void>(host.launch(launch)); });
    } catch (const Deadlock& failure) {
        error = failure.what();
        ending = sanitize::Checker::Ending::stuck;
    } catch (const std::exception& failure) {
        error = failure.what();
        ending = sanitize::Checker::Ending::failed;
    }
    checker.finish(ending);
    recorder.finish({});
    const std::string wrong_times = error.empty() ? untrue(file, checker.findings()) : "";
    fs::remove(file);
    ordered_json findings = ordered_json::array();
    for (const sanitize::Finding& finding : checker.findings()) {
        findings.push_back(ordered_json(sanitize::to_json(finding)));
    }
    return {{"findings", findings},
            {"text", sanitize::to_text(checker.findings())},
            {"error", error},
            {"wrong_times", wrong_times},
            {"sum", arguments.summed()}};
}

bool is(const ordered_json& finding, const char* side, const ExpectedParty& party) {
    return finding.contains(side) && finding[side]["pipe"] == party.pipe &&
           (party.line == 0 || finding[side]["line"] == party.line);
}

bool matches(const ordered_json& finding, const Expected& expected) {
    const std::vector<ExpectedParty>& parties = expected.parties;
    if (finding["kind"] != expected.kind) {
        return false;
    }
    if (parties.size() < 2) {
        return parties.empty() || is(finding, "later", parties[0]);
    }
    const bool as_listed = is(finding, "earlier", parties[0]) && is(finding, "later", parties[1]);
    const bool turned = is(finding, "later", parties[0]) && is(finding, "earlier", parties[1]);
    return as_listed || (expected.kind == "core_race" && turned);
}

/// What came of a kernel.
struct Judgement {
    bool named = true;               // all that its comment expects was found, with line, pipe and both sides
    std::vector<std::string> wrong;  // what else is not as it should be
    std::string said;
};

Judgement judge(const CorpusCase& one, const runtime::IsolatedResult& child) {
    if (child.exit != 0) {
        return {.named = false, .wrong = {child.error}, .said = {}};
    }
    const ordered_json& result = child.value;
    Judgement judgement{.wrong = {},
                        .said = result["text"].get<std::string>() + result["error"].get<std::string>()};
    for (const Expected& expected : one.expected) {
        judgement.named =
            judgement.named && std::ranges::any_of(result["findings"], [&](const ordered_json& finding) {
                return matches(finding, expected);
            });
    }
    for (const ordered_json& finding : result["findings"]) {
        if (std::ranges::none_of(
                one.expected, [&](const Expected& expected) { return finding["kind"] == expected.kind; })) {
            judgement.wrong.push_back("false " + finding["kind"].get<std::string>());
        }
    }
    if (result["wrong_times"] != "") {
        judgement.wrong.push_back(result["wrong_times"].get<std::string>());
    }
    if (one.sum && !result["sum"].get<bool>()) {
        judgement.wrong.emplace_back("the numbers are wrong");
    }
    if (one.expected.empty() && result["error"] != "") {
        judgement.wrong.emplace_back("it did not come to its end");
    }
    return judgement;
}

/// All kernels, or those whose name holds ASCENDSIM_CORPUS_ONLY.
std::vector<CorpusCase> wanted() {
    std::vector<CorpusCase> cases = corpus();
    if (const char* only = std::getenv("ASCENDSIM_CORPUS_ONLY")) {
        std::erase_if(cases, [&](const CorpusCase& one) {
            return (one.file + "." + one.kernel).find(only) == std::string::npos;
        });
    }
    return cases;
}

std::string kinds_of(const CorpusCase& one) {
    std::vector<std::string> kinds;
    for (const Expected& expected : one.expected) {
        kinds.push_back(expected.kind);
    }
    return kinds.empty() ? "silent" : fmt::format("{}", fmt::join(kinds, ", "));
}

TEST(SanitizerCorpus, IsJudgedAsItsCommentsSay) {
    constexpr std::size_t jobs = 2;
    constexpr double least_named = 0.97;  // asked of the checker as a whole
    const std::vector<CorpusCase> cases = wanted();
    ASSERT_FALSE(cases.empty());
    std::vector<std::function<ordered_json()>> works;
    for (const CorpusCase& one : cases) {
        works.emplace_back([&one] { return run(one); });
    }
    const std::vector<runtime::IsolatedResult> results = runtime::run_isolated(works, jobs);
    std::size_t defects = 0;
    std::size_t named = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const CorpusCase& one = cases[i];
        const Judgement judgement = judge(one, results[i]);
        const bool twin = one.expected.empty();
        defects += twin ? 0 : 1;
        named += twin || !judgement.named ? 0 : 1;
        const char* verdict = !judgement.wrong.empty() ? "WRONG"
                              : !judgement.named       ? "MISSED"
                              : twin                   ? "silent"
                                                       : "named";
        fmt::print("{:7} {:17} {:40} {}\n", verdict, one.file, one.kernel, kinds_of(one));
        EXPECT_TRUE(judgement.wrong.empty())
            << one.kernel << ": " << fmt::format("{}", fmt::join(judgement.wrong, "; ")) << "\n"
            << judgement.said;
        EXPECT_EQ(judgement.named, !one.missed) << one.kernel << ": " << judgement.said;
    }
    fmt::print("{} of {} defects named, {} twins\n", named, defects, cases.size() - defects);
    EXPECT_GE(static_cast<double>(named), least_named * static_cast<double>(defects));
}

TEST(SanitizerCorpus, HoldsAtLeast150DefectsAnd80Twins) {
    const std::vector<CorpusCase> cases = corpus();
    const auto silent =
        std::ranges::count_if(cases, [](const CorpusCase& one) { return one.expected.empty(); });
    EXPECT_GE(std::ssize(cases) - silent, 150);
    EXPECT_GE(silent, 80);
}

}  // namespace
}  // namespace ascendsim::testing
