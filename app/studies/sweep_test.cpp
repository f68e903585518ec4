// SPDX-License-Identifier: Apache-2.0
#include "app/studies/sweep.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SweepRow row(std::vector<std::string> values, double time_us) {
    return {.cell = {.values = std::move(values), .run = {}, .label = "run"},
            .json = {{"outcome", "complete"}, {"time_us", time_us}, {"cycles", time_us * 1000}}};
}

std::string refusal_of(const std::string& over) {
    try {
        static_cast<void>(parse_axis(over));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(Sweep, SplitsValuesAtCommasOutsideOfBrackets) {
    const Axis axis = parse_axis("kernel.shape=[8,16],[32,16]");
    EXPECT_EQ(axis.path, "kernel.shape");
    EXPECT_THAT(axis.values, ElementsAre("[8,16]", "[32,16]"));
    EXPECT_THROW(static_cast<void>(parse_axis("kernel.blocks=")), UserError);
    EXPECT_THROW(static_cast<void>(parse_axis("=1")), UserError);
    EXPECT_THROW(static_cast<void>(parse_axis("kernel.blocks=1,,2")), UserError);
    // As [tune] takes them.
    EXPECT_THAT(parse_axis(R"(program.arguments=[["4","256"],["8","512"]])").values,
                ElementsAre(R"(["4", "256"])", R"(["8", "512"])"));
    EXPECT_THAT(parse_axis("kernel.shape=[8,16]").values, ElementsAre("[8,16]"));
}

TEST(Sweep, KeepsValuesTogetherThatGoTogether) {
    const Axis axis = parse_axis("kernel.m,kernel.shape=1:[2,3],4:[5,6]");
    EXPECT_THAT(axis.paths(), ElementsAre("kernel.m", "kernel.shape"));
    EXPECT_THAT(axis.parts(axis.values[1]), ElementsAre("4", "[5,6]"));
    EXPECT_THROW(static_cast<void>(parse_axis("kernel.m,kernel.n=1:2,3")), UserError);
    const std::filesystem::path table = std::filesystem::path{testing::TempDir()} / "sweep_points.csv";
    std::ofstream{table} << "kernel.blocks, kernel.buffers\n1,2\n# none\n8,1\n";
    const Axis points = parse_axis("@" + table.string());
    EXPECT_THAT(points.values, ElementsAre("1:2", "8:1"));
    const std::string csv = sweep_csv({points}, {row({"1:2"}, 2.5)});
    EXPECT_THAT(csv, HasSubstr("kernel.blocks,kernel.buffers,run,"));
    EXPECT_THAT(csv, HasSubstr("\n1,2,run,complete"));
    EXPECT_EQ(sweep_json({points}, {row({"8:1"}, 2.5)})["runs"][0]["place"]["kernel.buffers"], 1);
    std::ofstream{table} << "kernel.blocks, kernel.buffers\n1,2\n# none\n8\n";
    EXPECT_THAT(refusal_of("@" + table.string()), HasSubstr("points.csv:4: '8' has 1 value for 2 paths"));
    std::filesystem::remove(table);
}

TEST(Sweep, RefusesPathsThatAreMissingOrThereTwice) {
    EXPECT_THAT(refusal_of("kernel.m,=1:2"), HasSubstr("a path is missing"));
    EXPECT_THAT(refusal_of("kernel.m,kernel.m=1:2"), HasSubstr("names kernel.m twice"));
    const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "sweep_twice.toml";
    std::ofstream{path} << "[scenario]\nkernel = \"add\"\n";
    const scenario::ScenarioFile file{path.string(), toolchain::Installation::find(), {}};
    EXPECT_THROW(static_cast<void>(grid_of(file, {{"kernel.blocks", {"1"}}, {"kernel.blocks", {"2"}}}, 0)),
                 UserError);
    std::filesystem::remove(path);
}

TEST(Sweep, ReadsATableThatASpreadsheetMarkedAsUtf8) {
    const std::filesystem::path table = std::filesystem::path{testing::TempDir()} / "sweep_marked.csv";
    std::ofstream{table} << "\xef\xbb\xbfkernel.blocks,kernel.buffers\r\n1,2\r\n";
    EXPECT_EQ(parse_axis("@" + table.string()).path, "kernel.blocks,kernel.buffers");
    std::filesystem::remove(table);
}

TEST(Sweep, MakesAGridWithTheLastAxisFastest) {
    const std::filesystem::path path = std::filesystem::path{testing::TempDir()} / "sweep_grid.toml";
    std::ofstream{path} << "[scenario]\nkernel = \"add\"\n";
    const scenario::ScenarioFile file{path.string(), toolchain::Installation::find(), {}};
    const std::vector<Cell> cells =
        grid_of(file, {{"kernel.blocks", {"1", "2"}}, {"kernel.buffers", {"1", "2"}}}, 0);
    ASSERT_EQ(cells.size(), 4U);
    EXPECT_THAT(cells[1].values, ElementsAre("1", "2"));
    EXPECT_EQ(cells[2].run[0].path, "kernel.blocks");
    EXPECT_EQ(cells[2].run[0].value, "2");
    EXPECT_EQ(cells[3].label, "sweep_grid-2-2");
    std::filesystem::remove(path);
}

TEST(Sweep, WritesARowForEachRunWithAxesFirst) {
    const std::vector<Axis> axes{{"kernel.shape", {"[8,16]"}}};
    SweepRow failed = row({"[8,16]"}, 0);
    failed.json = {{"outcome", "failed"}, {"error", "no \"room\""}};
    const std::string csv = sweep_csv(axes, {row({"[8,16]"}, 2.5), failed});
    EXPECT_THAT(csv, HasSubstr("kernel.shape,run,outcome,numerics,cycles,time_us"));
    EXPECT_THAT(csv, HasSubstr("\"[8,16]\",run,complete,not checked,2500,2.5,"));
    EXPECT_THAT(csv, HasSubstr("\"no \"\"room\"\"\"\n"));
}

TEST(Sweep, DrawsTwoAxesAsAMapAndMarksTheFastest) {
    const std::vector<Axis> axes{{"kernel.a", {"1", "2"}}, {"kernel.b", {"10", "20"}}};
    const std::string text = sweep_text(
        axes, {row({"1", "10"}, 4), row({"1", "20"}, 3), row({"2", "10"}, 2), row({"2", "20"}, 5)}, {});
    EXPECT_THAT(text, HasSubstr("kernel.a down, kernel.b across"));
    EXPECT_THAT(text, HasSubstr("2.00 us*"));
    EXPECT_THAT(text, HasSubstr("5.00 us "));
    EXPECT_EQ(std::ranges::count(text, '*'), 2);  // in the heading and at the fastest
}

TEST(Sweep, CallsNoWrongOrRacingRunTheFastest) {
    const std::vector<Axis> axes{{"kernel.a", {"1", "2", "3"}}};
    SweepRow wrong = row({"1"}, 2);
    wrong.json["numerics"] = {{"checked", true},
                              {"passed", false},
                              {"outputs",
                               {{{"name", "z"},
                                 {"passed", false},
                                 {"failures", 3},
                                 {"elements", 64},
                                 {"first_failure", {{"index", 5}, {"got", "-inf"}, {"expected", 2}}}}}}};
    SweepRow racing = row({"2"}, 3);
    racing.json["hazards"] = {{{"kind", "race"}, {"severity", "error"}}};
    const std::vector<SweepRow> rows{wrong, racing, row({"3"}, 4)};
    const std::string text = sweep_text(axes, rows, {});
    EXPECT_THAT(text, HasSubstr("4.00 us*"));
    EXPECT_THAT(text, HasSubstr("z: 3 of 64 elements are wrong, the first at 5: got -inf, expected 2"));
    EXPECT_EQ(std::ranges::count(text, '*'), 1);
    const std::string csv = sweep_csv(axes, rows);
    EXPECT_THAT(csv, HasSubstr("1,run,complete,wrong,2000,"));
    EXPECT_THAT(csv, HasSubstr("2,run,complete,hazards,3000,"));
    EXPECT_EQ(exit_of(wrong.json), 1);
    EXPECT_EQ(exit_of(racing.json), 3);
    EXPECT_EQ(exit_of(rows[2].json), 0);
    EXPECT_EQ(exit_of({{"outcome", "failed"}, {"error", "no room"}}), 2);
}

TEST(Sweep, TellsWhatWasNotRunFromWhatFailed) {
    SweepRow stopped = row({"2"}, 1);
    stopped.json = {{"outcome", "not_run"}, {"error", "the sweep was stopped before"}};
    const std::vector<Axis> axes{{"kernel.a", {"1", "2"}}};
    const std::string text = sweep_text(axes, {row({"1"}, 4), stopped}, {});
    EXPECT_THAT(text, HasSubstr("not run"));
    EXPECT_THAT(text, testing::Not(HasSubstr("failed")));
    EXPECT_THAT(sweep_csv(axes, {row({"1"}, 4), stopped}), HasSubstr("2,run,not_run,"));
}

TEST(Sweep, WritesASlurmArrayOfAllPlaces) {
    const std::vector<Cell> cells{{.values = {"1"}, .run = {{"kernel.a", "it's"}}, .label = "x"},
                                  {.values = {"2"}, .run = {{"kernel.a", "2"}}, .label = "y"}};
    const std::string script = slurm_script(cells, "/opt/ascendsim", "my.toml", "/data/out", 8);
    EXPECT_THAT(script, HasSubstr("#SBATCH --array=0-1%8"));
    EXPECT_THAT(script, HasSubstr("0) set -- --set 'kernel.a=it'\\''s' ;;"));
    EXPECT_THAT(script, HasSubstr("exec /opt/ascendsim run my.toml \"$@\""));
    EXPECT_THAT(script, HasSubstr("--json /data/out/\"$SLURM_ARRAY_TASK_ID\".json"));
}

}  // namespace

}  // namespace ascendsim::study
