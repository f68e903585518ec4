// SPDX-License-Identifier: Apache-2.0
#include "app/report/html_report.hpp"

#include <cmath>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>

#include "app/analysis/testing/small_run.hpp"
#include "app/report/network_html.hpp"
#include "app/report/svg_timeline.hpp"

namespace ascendsim::report {

namespace {

using analysis::testing::SmallRun;
using record::Reason;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SvgTimeline, DrawsEachOfFewSpansInItsPlace) {
    SmallRun run;
    const auto lane = run.lane("aic0", "cube");
    run.busy(lane, 0, 0, 250, "mmad <fp16>", 4);
    run.wait(lane, 250, 500, Reason::flag_data, {lane, 0});
    run.busy(lane, 0, 500, 1000, "mmad <fp16>", 4);

    const std::string svg = svg_timeline(run.finish(1000), {.width = 1116});

    // 1116 less 110 for names and 6 at the right: a pixel a cycle from x = 110 on.
    EXPECT_THAT(svg, HasSubstr("x=\"110.00\" y=\"22.0\" width=\"250.00\""));
    EXPECT_THAT(svg, HasSubstr("x=\"610.00\" y=\"22.0\" width=\"500.00\""));
    EXPECT_THAT(svg, HasSubstr("mmad &lt;fp16&gt; at kernel.cpp:4, 250 cycles from 0"));
    EXPECT_THAT(svg, Not(HasSubstr("<fp16>")));
}

TEST(SvgTimeline, AreasOfADensePictureAreTheCycles) {
    SmallRun run;
    const auto lane = run.lane("aiv0", "vector");
    std::uint64_t busy = 0;
    std::uint64_t now = 0;
    for (int i = 0; i < 6000; ++i) {
        run.busy(lane, now, now, now + 3 + static_cast<std::uint64_t>(i % 11));
        busy += 3 + static_cast<std::uint64_t>(i % 11);
        now += 20;
    }
    const std::string svg = svg_timeline(run.finish(now), {.width = 1116, .lane_height = 10});

    const std::regex path{"<path fill=\"#2a9d5c\" d=\"([^\"]*)\""};
    std::smatch found;
    ASSERT_TRUE(std::regex_search(svg, found, path));
    const std::string pieces = found[1];
    const std::regex piece{"h([0-9.]+)v-([0-9.]+)"};
    double area = 0;
    for (std::sregex_iterator i{pieces.begin(), pieces.end(), piece}; i != std::sregex_iterator{}; ++i) {
        area += std::stod((*i)[1]) * std::stod((*i)[2]);
    }
    const double expected = 1000.0 * 10 * static_cast<double>(busy) / static_cast<double>(now);
    EXPECT_NEAR(area, expected, expected * 0.005);  // rounding to hundredths of a pixel
}

TEST(SvgTimeline, ShowsWholeCoresWhenThereAreTooMany) {
    SmallRun run;
    for (std::uint32_t core = 0; core < 40; ++core) {
        for (const char* pipe : {"scalar", "vector", "mte2"}) {
            run.busy(run.lane("aiv" + std::to_string(core), pipe, core), 0, 0, 10);
        }
    }
    const std::vector<std::uint32_t> shown = shown_lanes(run.finish(10), 30);
    ASSERT_EQ(shown.size(), 30U);
    EXPECT_EQ(shown[2], 2U);
    EXPECT_EQ(shown[3], 12U);  // every fourth core
}

TEST(HtmlReport, NeedsNothingFromElsewhere) {
    SmallRun run;
    run.recorder().metadata({{"problem", "a & b"}, {"chip", SmallRun::chip()}});
    const auto lane = run.lane("aic0", "cube");
    run.busy(lane, 0, 5, 50, "mmad", 4);
    run.recorder().event({{"kind", "race"}, {"text", "<two> writers"}});
    const record::Recording recording = run.finish(100);
    std::ostringstream out;

    write_html(out, analysis::summarise(recording), recording);

    EXPECT_THAT(out.str(), HasSubstr("<h1>a &amp; b</h1>"));
    EXPECT_THAT(out.str(), HasSubstr("&lt;two&gt; writers"));
    EXPECT_THAT(out.str(), HasSubstr("mmad at kernel.cpp:4"));
    EXPECT_THAT(out.str(), Not(HasSubstr("src=")));
    EXPECT_THAT(out.str(), Not(HasSubstr("href=")));
    EXPECT_THAT(out.str(), Not(HasSubstr("<script")));
}

TEST(HtmlReport, TellsWhichNumbersAreWrong) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}});
    run.busy(run.lane("aic0", "cube"), 0, 5, 50, "mmad", 4);
    const nlohmann::json output{{"name", "z<0>"}, {"elements", 64}, {"failures", 3}, {"passed", false}};
    const record::Recording recording = run.finish(
        100,
        {{"numerics", {{"checked", true}, {"passed", false}, {"outputs", nlohmann::json::array({output})}}}});
    std::ostringstream out;
    write_html(out, analysis::summarise(recording), recording);
    EXPECT_THAT(out.str(),
                HasSubstr("<p class=\"bad\">The numbers are wrong: z&lt;0&gt;: 3 of 64 elements are wrong"));
}

TEST(NetworkPage, ShowsFiguresGraphAndReasonsWithNothingFromElsewhere) {
    analysis::NetworkFigures figures{
        .name = "a & b", .chip = "910b3", .time_us = 10, .core_us = 7, .kernels = 2};
    figures.kinds = {{.kind = "Gemm", .count = 1, .kernels = 1, .time_us = 8}};
    figures.graph = {.nodes = {{.name = "fc<1>",
                                .kind = "Gemm",
                                .time_us = 8,
                                .alive_bytes = 2048,
                                .centre = {60, 30},
                                .width = 100,
                                .height = 40},
                               {.name = "act", .kind = "Relu", .error = "no <kernel>"}},
                     .time_us = 8,
                     .width = 200,
                     .height = 100};
    figures.fusion = {
        {"not_joined",
         {{{"from", "Gemm"}, {"to", "Relu"}, {"code", "no_loop"}, {"text", "is none"}, {"count", 3}}}}};
    std::ostringstream out;
    write_network_html(out, figures);
    EXPECT_THAT(out.str(), HasSubstr("<h1>a &amp; b</h1>"));
    EXPECT_THAT(out.str(), HasSubstr("<rect x=\"10.0\" y=\"10.0\" width=\"100.0\" height=\"40.0\""));
    EXPECT_THAT(out.str(), HasSubstr("fc&lt;1&gt;"));
    EXPECT_THAT(out.str(), HasSubstr("no &lt;kernel&gt;"));
    EXPECT_THAT(out.str(), HasSubstr("no_loop: is none"));
    EXPECT_THAT(out.str(), HasSubstr("2.00 KiB at most"));
    EXPECT_THAT(out.str(), Not(HasSubstr("src=")));
    EXPECT_THAT(out.str(), Not(HasSubstr("href=")));
    EXPECT_THAT(out.str(), Not(HasSubstr("<script")));
    EXPECT_THAT(out.str(), Not(HasSubstr("<kernel>")));
}

TEST(NetworkPage, SaysWhyThereIsNoPicture) {
    std::ostringstream out;
    write_network_html(out, {.name = "net", .no_picture = "dot is not installed"});
    EXPECT_THAT(out.str(), HasSubstr("No picture: dot is not installed."));
}

}  // namespace

}  // namespace ascendsim::report
