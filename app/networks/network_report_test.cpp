// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_report.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ascendsim::report {
namespace {

using testing::HasSubstr;

/// Two operators that ran, the first in two kernels, and one that cannot.
NetworkRun example() {
    NetworkRun run{.name = "net", .chip = "Ascend 910B3", .plan = {}, .results = {}, .memory = {}};
    const networks::Tensor half{.type = isa::DataType::half, .shape = {4, 8}, .values = {}};
    run.plan.nodes = {
        {.name = "fc", .op = "Gemm", .results = {half}, .tasks = {{"matmul", {}}, {"elementwise", {}}}},
        {.name = "act", .op = "Relu", .results = {half}, .tasks = {{"elementwise", {}}}},
        {.name = "sum", .op = "Einsum", .refusal = "no kernel does 'Einsum'"}};
    run.results = {
        {.problem = "MatMul",
         .time_us = 6,
         .core_us = 5,
         .flops = 2e6,
         .hbm_read_bytes = 100,
         .busiest = "aic_mte2",
         .busy_share = 0.5,
         .work_type = "AI_CORE",
         .blocks = 20},
        {.problem = "add", .time_us = 2, .core_us = 1.5, .work_type = "AI_VECTOR_CORE", .blocks = 40},
        {.problem = "relu", .time_us = 2, .core_us = 0.5, .work_type = "AI_VECTOR_CORE", .blocks = 40}};
    return run;
}

TEST(NetworkReport, SumsUpOperatorsAndKinds) {
    const nlohmann::ordered_json json = to_json(example());
    EXPECT_EQ(json["totals"]["time_us"], 10);
    EXPECT_EQ(json["totals"]["core_us"], 7);
    EXPECT_EQ(json["totals"]["launch_us"], 3);
    EXPECT_EQ(json["kinds"]["Gemm"]["kernels"], 2);
    EXPECT_EQ(json["kinds"]["Gemm"]["share"], 0.8);
    EXPECT_EQ(json["operators"][0]["limit"], "aic_mte2 50.0 %");
    EXPECT_EQ(json["operators"][1]["limit"], "launch");  // 0.5 of 2 us
}

TEST(NetworkReport, NamesWhatStandsInTheWay) {
    const NetworkRun run = example();
    ASSERT_EQ(to_json(run)["refused"].size(), 1U);
    EXPECT_EQ(to_json(run)["refused"][0]["name"], "sum");
    std::ostringstream text;
    print_network(text, run, {});
    EXPECT_THAT(text.str(), HasSubstr("1 x Einsum: no kernel does 'Einsum'"));
    EXPECT_EQ(to_json(run)["complete"], false);
    EXPECT_THAT(text.str(), HasSubstr("incomplete, 1 of 3 operators cannot run; the others take 10.00 us"));
}

TEST(NetworkReport, AddsUpTheEnergyOfItsOperators) {
    NetworkRun run = example();
    EXPECT_FALSE(to_json(run).contains("energy"));
    const auto cost = [](double value) { return nlohmann::json{{"cost", value}, {"spread", 0.1}}; };
    run.power = {{"idle", cost(100)}, {"hbm", cost(30)}, {"cube", cost(2)}, {"limit_w", 300.0}};
    run.results[0].cube_cycles = 1e5;
    const nlohmann::ordered_json json = to_json(run);
    // 100 W for 10 us, 100 B of 30 pJ, 100,000 cycles of 2 nJ.
    EXPECT_NEAR(json["energy"]["joules"].get<double>(), 1e-3 + 3e-9 + 2e-4, 1e-12);
    double sum = 0;
    for (const auto& one : json["operators"]) {
        sum += one["joules"].get<double>();
    }
    EXPECT_NEAR(sum, json["energy"]["joules"].get<double>(), 1e-12);
    EXPECT_NEAR(json["operators"][1]["joules"].get<double>(), 100 * 2e-6, 1e-12) << "2 us of an idle chip";
    EXPECT_FALSE(json["energy"].contains("host"));
}

TEST(NetworkReport, CountsTheHostThatCallsItsKernels) {
    NetworkRun run = example();
    run.power = {{"idle", {{"cost", 100.0}, {"spread", 0.1}}}, {"limit_w", 300.0}};
    run.host = NetworkHost{};
    run.host->node.devices.per_server = 8;
    run.host->host.launch_us = 4;
    run.host->host.core_w = 3;
    run.host->host.idle_w = 320;
    run.host->host.power_spread = 0.5;
    const nlohmann::ordered_json host = to_json(run)["energy"]["host"];
    EXPECT_NEAR(host["busy_us"].get<double>(), 3 * 4, 1e-9) << "three kernels";
    // 3 W for 12 us, and an eighth of 320 W for 10 us.
    EXPECT_NEAR(host["joules"].get<double>(), 36e-6 + 400e-6, 1e-12);
    EXPECT_NEAR(host["spread_joules"].get<double>(), 218e-6, 1e-12);
    std::ostringstream text;
    print_network(text, run, {});
    EXPECT_THAT(text.str(), HasSubstr("beside it the host 0.436 mJ ± 0.22: 12.00 us of calls"));
}

TEST(NetworkReport, WritesTheProfilersColumns) {
    const std::string csv = kernel_details(example());
    EXPECT_THAT(csv, HasSubstr("Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us)"));
    EXPECT_THAT(csv,
                HasSubstr("\"fc/elementwise\",\"elementwise\",dynamic,AI_VECTOR_CORE,6.000,2.000,0,40,0,NO,"
                          "N/A,N/A,N/A,N/A,N/A,N/A\n"));
    EXPECT_THAT(csv,
                HasSubstr("\"act/elementwise\",\"Relu\",dynamic,AI_VECTOR_CORE,8.000,2.000,0,40,0,NO,N/A,N/A,"
                          "N/A,\"4,8\",FLOAT16,ND\n"));
}

TEST(NetworkReport, TracesKernelsOneAfterTheOther) {
    const nlohmann::ordered_json events = chrome_trace(example())["traceEvents"];
    ASSERT_EQ(events.size(), 5U);  // three kernels, two operators
    EXPECT_EQ(events[1]["ts"], 6.5);
    EXPECT_EQ(events[2]["name"], "fc");
    EXPECT_EQ(events[2]["dur"], 8);
}

}  // namespace
}  // namespace ascendsim::report
