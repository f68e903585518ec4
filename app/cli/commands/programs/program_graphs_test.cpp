// SPDX-License-Identifier: Apache-2.0
// Captured streams and executed graphs of host programs, and ways of issuing kernels, as `ascendsim run`
// takes them.
#include <algorithm>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ProgramGraphs : public SmallPrograms {
protected:
    [[nodiscard]] json timeline_of(const std::string& body, const std::string& more = "") const {
        const Outcome outcome = run_body(body, "--json - " + more + " 2>/dev/null");
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        return json::parse(outcome.output).at("program").at("timeline");
    }
};

/// Buffers of 64 floats on host and device, and a stream to capture.
constexpr const char* graph_buffers =
    "aclrtStream s;\naclrtCreateStream(&s);\nvoid *h, *d;\naclrtMallocHost(&h, 256);\naclrtMalloc(&d, 256);\n"
    "auto* f = static_cast<float*>(h);\nfor (int i = 0; i < 64; ++i) f[i] = i;\naclmdlRI model = nullptr;\n";

TEST_F(ProgramGraphs, DoWhatWasCapturedWithTheDataOfTheirTime) {
    const Outcome outcome = run_body(
        std::string{graph_buffers} +
            "aclmdlRICaptureStatus status;\naclmdlRI early = nullptr;\n"
            "if (aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) != 0) return 1;\n"
            "aclmdlRICaptureGetInfo(s, &status, &early);\n"
            "if (status != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE || early == nullptr) return 2;\n"
            "aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
            "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\nadd_value<<<1, nullptr, s>>>((GM_ADDR)d, "
            "2.0F);\n"
            "aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
            "if (aclmdlRICaptureEnd(s, &model) != 0 || model != early) return 3;\n"
            "aclmdlRICaptureGetInfo(s, &status, nullptr);\n"
            "if (status != ACL_MODEL_RI_CAPTURE_STATUS_NONE) return 4;\n"
            "if (f[5] != 5) return 5;\n"  // a capture does nothing
            "for (int i = 1; i <= 3; ++i) {\n  aclmdlRIExecuteAsync(model, s);\n  "
            "aclrtSynchronizeStream(s);\n"
            "  if (f[5] != 5 + 3 * i) return 6;\n}\n"
            "f[5] = 100;\nif (aclmdlRIExecute(model, -1) != 0 || f[5] != 103) return 7;\n"
            "uint32_t id = 9;\naclmdlRIGetId(model, &id);\naclmdlRISetName(model, \"step\");\nchar name[8];\n"
            "if (id != 0 || aclmdlRIGetName(model, 8, name) != 0 || std::strcmp(name, \"step\") != 0) return "
            "8;\n"
            "if (aclmdlRIGetName(model, 4, name) != 107000) return 9;\n"
            "aclmdlRIDebugPrint(model);\nif (aclmdlRIDebugJsonPrint(model, \"graph.json\", 0) != 0) return "
            "10;\n"
            "static int ended = 0;\naclmdlRIDestroyRegisterCallback(model, [](void*) { ++ended; }, "
            "nullptr);\n"
            "if (aclmdlRIDestroy(model) != 0 || ended != 1 || aclmdlRIDestroy(model) != 107017) return 11;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("graph 0 step: device 0, 4 tasks"));
    EXPECT_THAT(outcome.output, HasSubstr("stream 0, kernel add_value (main.cpp:"));
    std::ifstream file{folder / "graph.json"};
    EXPECT_EQ(json::parse(file).size(), 4U);
}

TEST_F(ProgramGraphs, CostTheHostOneCall) {
    const std::string kernels =
        "for (int i = 0; i < 20; ++i) add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n";
    const std::string memory =
        std::string{graph_buffers} + "aclrtMemcpy(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\n";
    const json eager =
        timeline_of(memory + "for (int j = 0; j < 10; ++j) {\n" + kernels + "aclrtSynchronizeStream(s);\n}",
                    "--chip 910b3");
    const json graph = timeline_of(memory + "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n" +
                                       kernels + "aclmdlRICaptureEnd(s, &model);\n" +
                                       "for (int j = 0; j < 10; ++j) {\n  aclmdlRIExecuteAsync(model, s);\n"
                                       "  aclrtSynchronizeStream(s);\n}",
                                   "--chip 910b3");
    const auto kernel_us = [](const json& timeline) {
        return timeline.at("devices").at(0).at("computing_us").get<double>();
    };
    EXPECT_NEAR(kernel_us(graph), kernel_us(eager), 1e-3 * kernel_us(eager));
    // kunpeng920.toml: 200 starts at 8 us each; of a graph, 10 at 8 us and 190 at 1 us. Captured calls take
    // the host's thread as others do, 20 * 5 us, and an execution 5 us.
    EXPECT_NEAR(eager.at("devices").at(0).at("launching_us").get<double>(), 200 * 8, 20 * 8);
    EXPECT_NEAR(graph.at("devices").at(0).at("launching_us").get<double>(), 10 * 8 + 190 * 1, 1);
    EXPECT_LT(graph.at("total_us").get<double>(), eager.at("total_us").get<double>() - 1000);
    const auto executed = std::ranges::find(graph.at("calls"), "aclmdlRIExecuteAsync", [](const json& call) {
        return call.at("name").get<std::string>();
    });
    ASSERT_NE(executed, graph.at("calls").end());
}

TEST_F(ProgramGraphs, SpanStreamsThatEventsJoin) {
    const Outcome outcome = run_body(
        std::string{graph_buffers} +
            "aclrtStream t;\naclrtCreateStream(&t);\nvoid *e, *g;\naclrtMalloc(&e, "
            "256);\naclrtMallocHost(&g, 256);\n"
            "aclrtEvent fork, back;\naclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC);\n"
            "aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC);\n"
            "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n"
            "aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
            "aclrtRecordEvent(fork, s);\naclrtStreamWaitEvent(t, fork);\n"
            "aclrtMemcpyAsync(e, 256, d, 256, ACL_MEMCPY_DEVICE_TO_DEVICE, t);\n"
            "add_value<<<1, nullptr, t>>>((GM_ADDR)e, 10.0F);\nbusy<<<1, nullptr, s>>>(nullptr, 100);\n"
            "aclrtRecordEvent(back, t);\naclrtStreamWaitEvent(s, back);\n"
            "aclrtMemcpyAsync(g, 256, e, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
            "if (aclmdlRICaptureEnd(s, &model) != 0) return 1;\n"
            "for (int i = 0; i < 3; ++i) {\n  f[7] = i;\n  aclmdlRIExecuteAsync(model, t);\n"
            "  aclrtSynchronizeStream(t);\n  if (static_cast<float*>(g)[7] != i + 10) return 2;\n}\n"
            // Two executions on two streams follow each other.
            "aclmdlRIExecuteAsync(model, s);\naclmdlRIExecuteAsync(model, t);\n"
            "if (aclmdlRIDestroy(model) != 107037) return 3;\naclrtSynchronizeDevice();\n"
            "if (aclmdlRIDestroy(model) != 0) return 4;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("aclmdlRIDestroy: the graph is being executed"));
}

TEST_F(ProgramGraphs, RefuseStreamsThatDoNotComeBack) {
    const Outcome outcome = run_body(
        std::string{graph_buffers} +
            "aclrtStream t;\naclrtCreateStream(&t);\naclrtEvent e, late;\n"
            "aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);\naclrtCreateEventExWithFlag(&late, "
            "ACL_EVENT_SYNC);\n"
            "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);\naclrtRecordEvent(e, s);\n"
            "aclrtStreamWaitEvent(t, e);\nidle<<<1, nullptr, t>>>(nullptr);\n"
            "if (aclmdlRICaptureEnd(t, &model) != 107036) return 1;\n"
            "if (aclmdlRICaptureEnd(s, &model) != 107025 || model != nullptr) return 2;\n"
            "if (aclmdlRICaptureEnd(s, &model) != 107029) return 3;\n"
            "idle<<<1, nullptr, t>>>(nullptr);\naclrtSynchronizeStream(t);\n"  // it is free again
            // An event from outside, and two captures that meet.
            "aclrtRecordEvent(late, t);\naclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);\n"
            "if (aclrtStreamWaitEvent(s, late) != 107024) return 4;\n"
            "aclmdlRICaptureBegin(t, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);\naclrtRecordEvent(e, t);\n"
            "if (aclrtStreamWaitEvent(s, e) != 107032) return 5;\naclmdlRICaptureStatus status;\n"
            "aclmdlRICaptureGetInfo(s, &status, nullptr);\n"
            "if (status != ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED) return 6;\n"
            "if (aclmdlRICaptureEnd(s, &model) != 507903 || aclmdlRICaptureEnd(t, &model) != 507903) return "
            "7;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("stream 1 has not come back to the one that the capture began on"));
}

TEST_F(ProgramGraphs, RefuseCallsThatACaptureForbids) {
    const Outcome outcome = run_body(
        std::string{graph_buffers} +
            "aclrtEvent e;\naclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);\nidle<<<1, nullptr, "
            "s>>>(nullptr);\n"
            "if (aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) != 107031) return 1;\n"
            "if (aclmdlRICaptureBegin(s, static_cast<aclmdlRICaptureMode>(5)) != 107000) return 2;\n"
            "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n"
            "if (aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) != 107027) return 3;\n"
            "aclrtRecordEvent(e, s);\naclrtStreamStatus stream;\naclrtEventRecordedStatus event;\n"
            "if (aclrtSynchronizeStream(s) != 107027 || aclrtStreamQuery(s, &stream) != 107027) return 4;\n"
            "if (aclrtSynchronizeEvent(e) != 107028 || aclrtQueryEventStatus(e, &event) != 107028) return "
            "5;\n"
            "if (aclrtSynchronizeDevice() != 107027 || aclrtDestroyStream(s) != 107027) return 6;\n"
            "if (aclrtMemcpy(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE) != 107030) return 7;\n"
            "if (aclrtMemset(d, 256, 0, 256) != 107030) return 8;\nstd::vector<char> pageable(256);\n"
            "if (aclrtMemcpyAsync(d, 256, pageable.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE, s) != 107041) "
            "return 9;\n"
            "if (aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, nullptr) != 107031) return 10;\n"
            "aclmdlRI early = nullptr;\naclmdlRICaptureGetInfo(s, nullptr, &early);\n"
            "if (aclmdlRIExecuteAsync(early, s) != 107026) return 11;\n"
            // Another thread may not either, unless its mode says so; nor may it end the capture.
            "int codes[3] = {};\nstd::thread other{[&] {\n  aclrtSetDevice(0);\n"
            "  codes[0] = aclrtMemset(d, 256, 0, 256);\n  aclmdlRICaptureMode mode = "
            "ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;\n  aclmdlRICaptureThreadExchangeMode(&mode);\n"
            "  codes[1] = aclrtMemset(d, 256, 0, 256) + (mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL ? 0 : 1);\n"
            "  aclmdlRI none;\n  codes[2] = aclmdlRICaptureEnd(s, &none);\n}};\nother.join();\n"
            "if (codes[0] != 107030 || codes[1] != 0 || codes[2] != 107038) return 12;\n"
            "aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;\n"
            "aclmdlRICaptureThreadExchangeMode(&mode);\n"
            "if (aclrtMemcpy(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE) != 0) return 13;\n"
            "aclmdlRICaptureThreadExchangeMode(&mode);\nif (aclmdlRICaptureEnd(s, &model) != 0) return 14;\n"
            "if (aclmdlRICaptureTaskGrpBegin(s) != 107029) return 15;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramGraphs, HoldFunctionsOfTheHost) {
    const Outcome outcome = run_body(
        std::string{graph_buffers} +
            "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n"
            "aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
            "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n"
            "aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
            "aclrtLaunchHostFunc(s, [](void* p) { static_cast<float*>(p)[0] *= 2; }, h);\n"
            "aclmdlRICaptureEnd(s, &model);\nf[0] = 1;\n"
            "for (int i = 0; i < 3; ++i) aclmdlRIExecuteAsync(model, s);\naclrtSynchronizeStream(s);\n"
            "return f[0] == 22 ? 0 : 1;",  // ((1 + 1) * 2 + 1) * 2 = 10, (10 + 1) * 2 = 22
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

/// A program of 50 kernels that are waited for once.
constexpr const char* fifty_kernels =
    "for (int i = 0; i < 50; ++i) idle<<<1, nullptr, nullptr>>>(nullptr);\n"
    "aclrtSynchronizeDevice();";

class ProgramIssue : public ProgramGraphs {};

TEST_F(ProgramIssue, ModesDecideWhoSetsThePace) {
    const auto total = [&](const std::string& more) {
        return timeline_of(fifty_kernels, "--chip 910b3 " + more).at("total_us").get<double>();
    };
    const double kernel =
        timeline_of(fifty_kernels, "--chip 910b3").at("devices").at(0).at("computing_us").get<double>() / 50;
    ASSERT_LT(kernel, 20);
    // kunpeng920.toml. One call of each mode sets the pace; before the first kernel ends, and after the last,
    // lie the rest of a call, a start, a kernel and a wait.
    EXPECT_NEAR(total("--set program.mode=launch"), 5 + 50 * (8 + kernel) + 10, 0.5);
    EXPECT_NEAR(total("--set program.mode=eager"), 50 * 48.7 + 8 + kernel + 10, 0.5);
    EXPECT_NEAR(total("--set program.mode=triton"), 50 * 95 + 8 + kernel + 10, 0.5);
    EXPECT_NEAR(total("--set program.mode=queue"), 50 * 28.7 + 20 + 8 + kernel + 10, 0.5);
    EXPECT_NEAR(total("--set program.mode=graph"), 5 + 8 + 49 * 1 + 50 * kernel + 10, 0.5);
    const Outcome wrong = run_body(fifty_kernels, "--quiet --set program.mode=fast 2>&1");
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.output, HasSubstr("\"fast\" is none of launch, eager"));
}

TEST_F(ProgramIssue, JitterIsDrawnFromItsSeed) {
    const auto total = [&](const std::string& more) {
        return timeline_of(
                   fifty_kernels,
                   "--chip 910b3 --set program.mode=eager --set program.jitter.distribution=lognormal "
                   "--set program.jitter.spread=0.3 " +
                       more)
            .at("total_us")
            .get<double>();
    };
    const double one = total("--set program.seed=1");
    EXPECT_EQ(total("--set program.seed=1"), one);
    EXPECT_NE(total("--set program.seed=2"), one);
    EXPECT_NEAR(one, 50 * 48.7, 5 * 0.3 * 48.7 * 7.1 + 40);  // five standard deviations of a sum of 50
    const json timeline =
        timeline_of(fifty_kernels,
                    "--set program.jitter.distribution=uniform --set program.jitter.spread=0.1 "
                    "--set program.seed=3");
    EXPECT_EQ(timeline.at("jitter"), "uniform, standard deviation 10 % of a call, seed 3");
}

TEST_F(ProgramIssue, ClocksMayDiffer) {
    const auto kernel_at = [&](const std::string& more) {
        const Outcome outcome = run_body(fifty_kernels, "--quiet --trace trace.json " + more);
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        std::ifstream file{folder / "trace.json"};
        double last = -1e9;  // the device's clock may lie behind
        double call = 0;
        const json trace = json::parse(file);
        for (const json& event : trace.at("traceEvents")) {
            if (event.at("ph") == "X" && event.value("cat", "") == "compute") {
                last = std::max(last, event.at("ts").get<double>());
            } else if (event.at("ph") == "X" && event.value("cat", "") == "synchronise") {
                call = event.at("ts").get<double>();
            }
        }
        return std::pair{last, call};
    };
    const auto [kernel, call] = kernel_at("");
    const auto [shown, same] =
        kernel_at("--set program.clock_offset_us=-500 --set program.clock_drift_ppm=1000");
    const Outcome told = run_body(fifty_kernels, "--set program.clock_offset_us=-500");
    EXPECT_THAT(told.output, HasSubstr("500.00 us behind the host's at the program's start"));
    EXPECT_NEAR(shown, kernel * 1.001 - 500, 1e-3);
    EXPECT_NEAR(same, call, 1e-9);
}

}  // namespace
}  // namespace ascendsim::cli
