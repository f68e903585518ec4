// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <pugixml.hpp>

#include "app/analysis/testing/small_run.hpp"
#include "app/studies/check_report.hpp"
#include "app/studies/check_run.hpp"
#include "app/studies/failure_cause.hpp"
#include "app/studies/failure_page.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

namespace fs = std::filesystem;
using analysis::testing::SmallRun;
using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

ordered_json figures(double cycles) {
    return {{"scenario", "small"},
            {"outcome", "complete"},
            {"cycles", cycles},
            {"time_us", cycles / 1000},
            {"pipes", {{"cube", {{"busy_cycles", 600}, {"instructions", 6}}}}},
            {"waits", {{"flag_data", cycles - 600}, {"barrier", 0}}},
            {"memory", {{"gm_read_bytes", 4096}, {"hbm_read_bytes", 4096}}},
            {"numerics", {{"checked", true}, {"max_abs_error", 0.5}, {"max_rel_error", 0.25}}},
            {"hazards", ordered_json::array()}};
}

scenario::Scenario limited(std::optional<double> most) {
    scenario::Scenario scenario;
    scenario.name = "small";
    scenario.file = "small.toml";
    scenario.expectations.push_back(
        {.path = "cycles", .min = {}, .max = most, .word = {}, .when = {}, .place = "small.toml:7"});
    return scenario;
}

CheckedRun judged(double most, BatchResult result) {
    result.label = "small";
    return judge(limited(most), {}, result);
}

TEST(Check, PassesWithinItsLimits) {
    const CheckedRun run = judged(1000, {.json = figures(1000), .seen = {}});
    EXPECT_TRUE(run.passed());
    ASSERT_EQ(run.lines.size(), 2U);
    EXPECT_EQ(run.lines[0].text, "1.00 us, numbers right");
}

TEST(Check, FailsBeyondThemAtTheLineOfTheLimit) {
    const CheckedRun run = judged(999, {.json = figures(1000), .seen = {}});
    EXPECT_FALSE(run.passed());
    EXPECT_EQ(run.lines[1].text, "cycles is 1000, at most 999 expected");
    EXPECT_EQ(run.lines[1].file, "small.toml");
    EXPECT_EQ(run.lines[1].line, 7U);
}

TEST(Check, FailsWhileTheGoalOfALessonIsMissed) {
    lessons::Lesson lesson;
    lesson.name = "1_small";
    lesson.goals = {{.path = "waits.flag_data", .min = {}, .max = 400, .words = "Waits little"}};
    CheckedRun missed = judged(1e9, {.json = figures(1001), .seen = {}});  // 401 of 1001 cycles are waits
    judge_goals(missed, lesson);
    EXPECT_FALSE(missed.passed());
    EXPECT_EQ(missed.lines.back().name, "goal waits.flag_data");
    EXPECT_EQ(missed.lines.back().text, "Waits little: it is 401; 'ascendsim lesson 1_small --hint' helps");
    CheckedRun reached = judged(1e9, {.json = figures(1000), .seen = {}});
    judge_goals(reached, lesson);
    EXPECT_TRUE(reached.passed());
    EXPECT_EQ(reached.lines.back().text, "Waits little: it is 400");
    CheckedRun broken = judged(1e9, {.exit = 3, .error = "deadlock", .json = {}, .seen = {}});
    judge_goals(broken, lesson);
    EXPECT_EQ(broken.lines.size(), 1U) << "one fault is one failure";
}

// What a run that broke off has no figure of is no failure of its own.
TEST(Check, CountsAFaultOnceWhateverWasExpectedOfTheRun) {
    scenario::Scenario scenario = limited(1e9);
    for (const char* path : {"races", "numerics.passed"}) {
        scenario.expectations.push_back(
            {.path = path, .min = 1, .max = 1, .word = {}, .when = {}, .place = "small.toml:8"});
    }
    const std::string error =
        "/p/bad.cpp: does not compile for aiv\n/p/bad.cpp:20:7: error: no member 'SetValu'\n1 error.\n";
    const CheckedRun run = judge(scenario, {}, {.exit = 2, .error = error, .json = {}, .seen = {}});
    ASSERT_EQ(run.lines.size(), 1U);
    EXPECT_TRUE(run.mistake);
    EXPECT_EQ(run.lines[0].text, error);
    EXPECT_EQ(github_annotations({run}),
              "::error file=/p/bad.cpp,line=20,title=%3A runs::no member 'SetValu'\n");
}

TEST(Check, FindsTheUsersMistakeInErrorsOfWhatWasAskedAlone) {
    EXPECT_TRUE(judged(1e9, {.exit = 2, .error = "too large", .json = {}, .seen = {}}).mistake);
    EXPECT_FALSE(judged(1e9, {.exit = 3, .error = "deadlock", .json = {}, .seen = {}}).mistake);
    EXPECT_FALSE(judged(1, {.json = figures(2), .seen = {}}).mistake);
    EXPECT_TRUE(unreadable("x", "x.toml", "x.toml:3: unknown key").mistake);
}

TEST(Check, FailsForWrongNumbersHazardsAndErrors) {
    EXPECT_THAT(judged(1e9, {.exit = 1, .json = figures(1), .seen = {}}).lines[0].text,
                HasSubstr("largest absolute error 0.5, relative 0.25"));
    ordered_json racy = figures(1);
    racy["hazards"].push_back({{"kind", "race"}, {"severity", "error"}, {"message", "two writers"}});
    EXPECT_EQ(judged(1e9, {.exit = 3, .json = racy, .seen = {}}).lines[0].text, "1 hazard: two writers");
    EXPECT_FALSE(judged(1e9, {.exit = 3, .error = "deadlock", .json = figures(1), .seen = {}}).passed());
}

TEST(Check, AcceptsTheErrorThatIsExpectedAndNoOther) {
    scenario::Scenario scenario = limited(1e9);
    scenario.expectations = {
        {.path = "error", .min = {}, .max = {}, .word = "deadlock", .when = {}, .place = "s:1"}};
    const auto passed = [&](const BatchResult& result) { return judge(scenario, {}, result).passed(); };
    EXPECT_TRUE(passed({.exit = 3, .error = "a deadlock at cycle 9", .json = {}, .seen = {}}));
    EXPECT_FALSE(passed({.exit = 3, .error = "out of bounds", .json = {}, .seen = {}}));
    EXPECT_FALSE(passed({.json = figures(1), .seen = {}}));
}

TEST(Baseline, SurvivesItsFileAndIsTheSameBytes) {
    const fs::path folder = fs::path{testing::TempDir()} / "baseline_survives";
    fs::create_directories(folder);
    const Baseline written = baseline_of(figures(1234));
    std::ofstream{folder / "small.json"} << text_of(written);
    const std::optional<Baseline> read = read_baseline(folder, "small");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->figures, written.figures);
    EXPECT_EQ(text_of(*read), text_of(written));
    EXPECT_EQ(read->find("waits.flag_data"), 634);
    EXPECT_EQ(read->find("waits.barrier"), std::nullopt);  // nothing waited for one
    std::ofstream{folder / "small.json"} << "{\"figures\": {\"cycles\": \"many\"}}";
    EXPECT_THROW(static_cast<void>(read_baseline(folder, "small")), UserError);
    fs::remove_all(folder);
}

TEST(Baseline, LetsARunBeSlowerByItsToleranceAlone) {
    const auto against = [](double before, double now) {
        CheckedRun run = judged(1e9, {.json = figures(now), .seen = {}});
        judge_baseline(run, baseline_of(figures(before)), {.tolerance = 0.01, .of = {}});
        return run;
    };
    EXPECT_TRUE(against(1000, 1010).passed());
    EXPECT_FALSE(against(1000, 1011).passed());
    EXPECT_TRUE(against(1000, 500).passed());
    EXPECT_THAT(against(1000, 500).lines.back().text, HasSubstr("better; --update keeps it"));
    EXPECT_THAT(against(1000, 1100).lines.back().text, HasSubstr("+10.00 %, at most +1.00 % allowed"));
}

TEST(CheckRuns, ALimitOfTheCommandLineIsShownAtTheScenario) {
    CheckedRun run;
    run.label = "small";
    run.file = "small.toml";
    run.lines.push_back({.name = "expect cycles", .passed = false, .text = "too many", .file = "--set"});
    EXPECT_THAT(github_annotations({run}), HasSubstr("::error file=small.toml,"));
    EXPECT_THAT(junit_xml({run}), HasSubstr("file=\"small.toml\""));
}

TEST(CheckRuns, ABaselineOfAnotherScenarioIsSaidToBeOne) {
    CheckedRun run;
    run.json = figures(1000);
    Baseline other = baseline_of(figures(1000));
    other.scenario = "another";
    judge_baseline(run, other, {});
    ASSERT_FALSE(run.lines.empty());
    EXPECT_THAT(run.lines.front().text, HasSubstr("is of 'another', and this run of '"));
    EXPECT_TRUE(run.passed());
}

TEST(Baseline, TellsWhatMovedMost) {
    const std::vector<Drift> all = drifts(baseline_of(figures(1000)), baseline_of(figures(1300)), {});
    EXPECT_EQ(all[0].path, "cycles");
    const auto first = std::ranges::find(all, false, &Drift::judged);
    EXPECT_EQ(first->path, "waits.flag_data");
    EXPECT_EQ(first->now - first->before, 300);
}

TEST(Baseline, ReadsTolerancesByFigure) {
    const BaselineLimits limits = read_limits(
        TomlFile::parse("[baseline]\ntolerance = 0.02\n\"memory.gm_read_bytes\" = 0.5\n", "limits.toml"));
    EXPECT_EQ(limits.limit("cycles"), 0.02);
    EXPECT_EQ(limits.limit("memory.gm_read_bytes"), 0.5);
}

TEST(CheckReport, JunitHoldsACaseForEachCheck) {
    const std::vector<CheckedRun> runs{judged(999, {.json = figures(1000), .seen = {}}),
                                       judged(1000, {.json = figures(1000), .seen = {}})};
    pugi::xml_document document;
    ASSERT_TRUE(document.load_string(junit_xml(runs).c_str()));
    const pugi::xml_node suites = document.child("testsuites");
    EXPECT_EQ(suites.attribute("tests").as_int(), 4);
    EXPECT_EQ(suites.attribute("failures").as_int(), 1);
    const pugi::xml_node failed =
        suites.child("testsuite").find_child_by_attribute("testcase", "name", "expect cycles");
    EXPECT_STREQ(failed.child("failure").attribute("message").as_string(),
                 "cycles is 1000, at most 999 expected");
}

TEST(CheckReport, AnnotationsNameFileAndLineOfFailuresAlone) {
    const std::vector<CheckedRun> runs{judged(999, {.json = figures(1000), .seen = {}})};
    EXPECT_EQ(github_annotations(runs),
              "::error file=small.toml,line=7,title=small%3A expect cycles::cycles is 1000, at most 999 "
              "expected\n");
}

TEST(CheckReport, NamesOfOthersAreHarmlessInXmlAndAnnotations) {
    std::vector<CheckedRun> runs{judged(999, {.json = figures(1000), .seen = {}})};
    runs[0].label = "a\x1b[31m\xff##[error]";
    pugi::xml_document document;
    const std::string xml = junit_xml(runs);
    ASSERT_TRUE(document.load_string(xml.c_str()));
    EXPECT_STREQ(document.child("testsuites").child("testsuite").attribute("name").as_string(),
                 "a?[31m\xEF\xBF\xBD# #[error]");
    EXPECT_EQ(xml.find('\x1b'), std::string::npos);
    const std::string annotations = github_annotations(runs);
    EXPECT_EQ(annotations.find("##["), std::string::npos);
    EXPECT_EQ(annotations.find('\x1b'), std::string::npos);
}

TEST(CheckReport, MarkdownAndTextCountFailures) {
    const std::vector<CheckedRun> runs{judged(999, {.json = figures(1000), .seen = {}})};
    EXPECT_THAT(check_markdown(runs), HasSubstr("1 of 2 checks failed"));
    EXPECT_THAT(check_text(runs, {}), HasSubstr("FAIL  expect cycles"));
    EXPECT_THAT(check_text(runs, {}), HasSubstr("1 run, 2 checks, 1 failed"));
}

record::Recording recording_of(SmallRun& run, std::uint64_t copy) {
    run.recorder().metadata({{"chip", SmallRun::chip()}});
    const std::uint32_t scalar = run.lane("aic0", "scalar");
    const std::uint32_t load = run.lane("aic0", "mte2");
    run.busy(scalar, 0, 0, 5);
    std::uint64_t now = 5;
    for (int i = 0; i < 20; ++i) {
        const std::uint64_t cycles = i == 10 ? copy : 20;
        run.busy(load, 5, now, now + cycles, "copy<0>", 3);
        now += cycles;
    }
    return run.finish(now);
}

TEST(FailurePage, ShowsBothTimelinesWhereTheyPartAndNeedsNothingFromElsewhere) {
    SmallRun first;
    SmallRun second;
    const record::Recording before = recording_of(first, 20);
    const record::Recording now = recording_of(second, 320);
    CheckedRun run = judged(1e9, {.json = figures(705), .seen = {}});
    judge_baseline(run, baseline_of(figures(405)), {});
    const std::string page = failure_page(run, &before, &now, "out/check/small.rec");

    EXPECT_THAT(page, HasSubstr("small failed"));
    EXPECT_THAT(page, HasSubstr("baseline cycles"));
    EXPECT_THAT(page, HasSubstr("300 cycles lost"));
    EXPECT_THAT(page, HasSubstr("ascendsim gui out/check/small.rec"));
    EXPECT_THAT(page, HasSubstr("waits.flag_data"));
    const std::size_t picture_a = page.find("<svg");
    EXPECT_NE(page.find("<svg", picture_a + 1), std::string::npos);
    for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) {
        const std::string picture = page.substr(at, page.find("</svg>", at) + 6 - at);
        pugi::xml_document document;
        EXPECT_TRUE(document.load_string(picture.c_str())) << picture.substr(0, 200);
        EXPECT_FALSE(document.child("svg").child("rect").empty());
    }
    EXPECT_THAT(page, Not(HasSubstr("src=")));
    EXPECT_THAT(page, Not(HasSubstr("href=")));
    EXPECT_THAT(page, Not(HasSubstr("copy<0>")));  // escaped
}

// What the kernel was busy with until its fault is not why it failed, nor is it of wrong numbers.
TEST(FailureCause, OfARunThatBrokeOffIsItsFault) {
    SmallRun first;
    const record::Recording now = recording_of(first, 20);
    ordered_json partial = figures(405);
    partial["outcome"] = "failed";
    const std::string error = "aiv0 (block 0): scalar_store at k_loop.cpp:31, cycle 9: is this endless?";
    CheckedRun run = judged(1e9, {.exit = 3, .error = error, .json = partial, .seen = {}});
    run.cause = cause_of_failure(run, nullptr, &now);
    EXPECT_EQ(run.cause.text, error);
    EXPECT_EQ(run.cause.file, "k_loop.cpp");
    EXPECT_EQ(run.cause.line, 31U);
    EXPECT_THAT(github_annotations({run}), HasSubstr("::error file=k_loop.cpp,line=31,"));
    EXPECT_THAT(github_annotations({run}), Not(HasSubstr("::warning")));
    EXPECT_THAT(check_text({run}, {}), Not(HasSubstr("cause:")));

    const CheckedRun wrong = judged(1e9, {.exit = 1, .json = figures(405), .seen = {}});
    EXPECT_EQ(cause_of_failure(wrong, nullptr, &now).text, "");
    const CheckedRun slow = judged(1, {.json = figures(405), .seen = {}});
    EXPECT_THAT(cause_of_failure(slow, nullptr, &now).text, HasSubstr("of the critical path is"));
}

// Twice the cores wait 900 cycles in all instead of 500, each of them 450 instead of 500; the cores' loads
// grew from 100 to 150 cycles a core, the bytes from 4096 to 8192.
TEST(FailurePage, NamesAsCausesWhatGrewAndComparesWhatHasOneUnit) {
    const auto run_of = [](double cores, double wait, double busy, double bytes) {
        ordered_json json = figures(1000);
        json["cores_used"] = cores;
        json["waits"] = {{"flag_data", wait}};
        json["pipes"] = {{"mte2", {{"busy_cycles", busy}, {"instructions", 6}}}};
        json["memory"]["gm_read_bytes"] = bytes;
        return json;
    };
    CheckedRun run = judged(1e9, {.json = run_of(2, 900, 300, 8192), .seen = {}});
    judge_baseline(run, baseline_of(run_of(1, 500, 100, 4096)), {});
    const std::string page = failure_page(run, nullptr, nullptr, {});
    EXPECT_THAT(page, Not(HasSubstr("waits.flag_data")));
    const std::size_t cycles = page.find("Causes: cycles of a core that grew");
    const std::size_t bytes = page.find("Causes: bytes that grew");
    ASSERT_NE(cycles, std::string::npos);
    ASSERT_NE(bytes, std::string::npos);
    EXPECT_THAT(page.substr(cycles, bytes - cycles), HasSubstr("pipes.mte2.busy_cycles"));
    EXPECT_THAT(page.substr(cycles, bytes - cycles), HasSubstr("+50.00 %"));
    EXPECT_THAT(page.substr(bytes), HasSubstr("+100.00 %"));
}

TEST(FailurePage, OfARunThatDidNotStartSaysWhy) {
    const CheckedRun run = unreadable("broken", "broken.toml", "broken.toml:3: no such <thing>");
    EXPECT_EQ(run.lines[0].line, 3U);
    EXPECT_THAT(failure_page(run, nullptr, nullptr, {}), HasSubstr("no such &lt;thing&gt;"));
}

}  // namespace

}  // namespace ascendsim::study
