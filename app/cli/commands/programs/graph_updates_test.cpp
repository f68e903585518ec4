// SPDX-License-Identifier: Apache-2.0
// Captured graphs that are changed, and collectives within graphs.
#include <string>

#include <gmock/gmock.h>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

using ::testing::HasSubstr;

class GraphUpdates : public SmallPrograms {};

/// A graph on s that adds 1 to 64 floats, waits for `ready` from outside, adds 10, and copies them back.
constexpr const char* graph_of_two =
    "aclrtStream s, u;\naclrtCreateStream(&s);\naclrtCreateStream(&u);\nvoid *h, *d;\n"
    "aclrtMallocHost(&h, 256);\naclrtMalloc(&d, 256);\nstd::memset(h, 0, 256);\n"
    "aclrtMemcpy(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\nauto* f = static_cast<float*>(h);\n"
    "aclrtEvent ready;\naclrtCreateEventWithFlag(&ready, ACL_EVENT_EXTERNAL);\n"
    "aclmdlRI graph;\naclrtTaskGrp group;\n"
    "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n"
    "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n"
    "if (aclrtStreamWaitEvent(s, ready) != 0 || aclrtResetEvent(ready, s) != 0) return 1;\n"
    "if (aclmdlRICaptureTaskGrpBegin(s) != 0) return 2;\n"
    "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 10.0F);\n"
    "if (aclmdlRICaptureTaskGrpEnd(s, &group) != 0) return 3;\n"
    "aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
    "if (aclmdlRICaptureEnd(s, &graph) != 0) return 4;\n";

TEST_F(GraphUpdates, ExchangeTasksWhileTheGraphWaits) {
    const Outcome outcome = run_body(
        std::string{graph_of_two} +
            "for (int i = 0; i < 3; ++i) {\n  aclmdlRIExecuteAsync(graph, s);\n"
            "  if (aclmdlRICaptureTaskUpdateBegin(u, group) != 0) return 5;\n"
            // Nothing to exchange the first time; the second time all later executions have it.
            "  if (i == 1) add_value<<<1, nullptr, u>>>((GM_ADDR)d, 100.0F);\n"
            "  if (aclmdlRICaptureTaskUpdateEnd(u) != 0) return 6;\n"
            "  aclrtRecordEvent(ready, u);\n  aclrtSynchronizeStream(u);\n  aclrtSynchronizeStream(s);\n"
            "  const float expected = i == 0 ? 11 : i == 1 ? 112 : 213;\n"
            "  if (f[0] != expected || f[63] != expected) return 10 + i;\n}\n"
            "return aclmdlRIDestroy(graph) == 0 && aclmdlRICaptureTaskUpdateBegin(u, group) == 107017 ? 0 : "
            "7;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(GraphUpdates, AGraphWhoseEventNobodyRecordsIsADeadlock) {
    const Outcome outcome =
        run_body(std::string{graph_of_two} + "aclmdlRIExecuteAsync(graph, s);\naclrtSynchronizeStream(s);",
                 "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("for an event that nothing has recorded, or that was reset since"));
}

TEST_F(GraphUpdates, GroupsHoldKernelsOfOneStream) {
    const Outcome outcome = run_body(
        std::string{graph_of_two} +
            "aclrtStream t;\naclrtCreateStream(&t);\naclmdlRI other;\naclrtTaskGrp second;\n"
            "if (aclmdlRICaptureTaskGrpBegin(s) != 107029) return 5;\n"  // not captured
            "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n"
            "if (aclmdlRICaptureTaskGrpEnd(s, &second) != 107033) return 6;\n"  // none is open
            "aclmdlRICaptureTaskGrpBegin(s);\nif (aclmdlRICaptureTaskGrpBegin(s) != 107033) return 7;\n"
            "if (aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s) != 507009) return 8;\n"
            "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n"
            "if (aclmdlRICaptureTaskUpdateBegin(s, group) != 107027) return 9;\n"  // captured
            "if (aclmdlRICaptureEnd(s, &other) != 107033) return 10;\n"            // still open
            "if (aclmdlRICaptureTaskUpdateEnd(u) != 107033) return 11;\n"
            "if (aclmdlRICaptureTaskUpdateBegin(u, nullptr) != 107017) return 12;\n"
            "aclmdlRICaptureTaskUpdateBegin(u, group);\n"
            "if (aclmdlRICaptureTaskUpdateBegin(t, group) != 107033) return 13;\n"
            "if (aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, u) != 507009) return 14;\n"
            "for (int i = 0; i < 2; ++i) add_value<<<1, nullptr, u>>>((GM_ADDR)d, 5.0F);\n"
            "if (aclmdlRICaptureTaskUpdateEnd(u) != 107040) return 15;\n"  // two for one
            "aclmdlRIExecuteAsync(graph, s);\naclrtRecordEvent(ready, u);\naclrtSynchronizeStream(s);\n"
            "if (f[0] != 11) return 16;\n"  // and the group stayed as it was
            // Work on another captured stream while a group is recorded.
            "aclrtEvent fork;\naclrtCreateEvent(&fork);\n"
            "aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\naclrtRecordEvent(fork, s);\n"
            "aclrtStreamWaitEvent(t, fork);\naclmdlRICaptureTaskGrpBegin(s);\n"
            "if (aclrtMemsetAsync(d, 256, 0, 256, t) != 107034) return 17;\n"
            "aclmdlRICaptureTaskGrpEnd(s, &second);\n"
            "return aclmdlRICaptureEnd(s, &other) == 507903 ? 0 : 18;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("the group has 1 tasks, and 2 were to come in their place"));
}

TEST_F(GraphUpdates, TasksMayBeLeftOut) {
    const Outcome outcome = run_body(
        std::string{graph_of_two} +
            "uint32_t count = 0, id = 9;\naclrtStream of[4];\n"
            "if (aclmdlRIGetStreams(graph, nullptr, &count) != 0 || count != 1) return 5;\n"
            "if (aclmdlRIGetStreams(graph, of, &count) != 0 || of[0] != s) return 6;\n"
            "if (aclmdlRIGetTasksByStream(s, nullptr, &count) != 0 || count != 5) return 7;\n"
            "aclmdlRITask tasks[5];\ncount = 3;\n"
            "if (aclmdlRIGetTasksByStream(s, tasks, &count) != 107039) return 8;\n"
            "if (aclmdlRIGetTasksByStream(s, tasks, &count) != 0) return 9;\n"
            "const aclmdlRITaskType expected[] = {ACL_MODEL_RI_TASK_KERNEL, ACL_MODEL_RI_TASK_EVENT_WAIT,\n"
            "    ACL_MODEL_RI_TASK_EVENT_RESET, ACL_MODEL_RI_TASK_KERNEL, ACL_MODEL_RI_TASK_DEFAULT};\n"
            "for (uint32_t i = 0; i < 5; ++i) {\n  aclmdlRITaskType type;\n"
            "  aclmdlRITaskGetType(tasks[i], &type);\n  aclmdlRITaskGetSeqId(tasks[i], &id);\n"
            "  if (type != expected[i] || id != i) return 20 + i;\n}\n"
            "for (int i : {1, 2, 3}) if (aclmdlRITaskDisable(tasks[i]) != 0) return 10;\n"
            "if (aclmdlRIUpdate(graph) != 0) return 11;\n"
            "aclmdlRIExecuteAsync(graph, s);\naclrtSynchronizeStream(s);\nreturn f[0] == 1 ? 0 : 12;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(GraphUpdates, HoldCollectivesOfTheirRanks) {
    // Each rank has a graph that adds up what both have; executed twice: 1 + 2 = 3, then 3 + 3 = 6.
    const Outcome outcome = run_body(
        "int32_t devices[] = {0, 1};\nHcclComm comms[2];\nHcclCommInitAll(2, devices, comms);\n"
        "aclrtStream s[2];\naclmdlRI graphs[2];\nvoid* d[2];\nfloat h[64];\n"
        "for (int r = 0; r < 2; ++r) {\n  aclrtSetDevice(r);\n  aclrtCreateStream(&s[r]);\n"
        "  aclrtMalloc(&d[r], 256);\n  for (float& value : h) value = r + 1;\n"
        "  aclrtMemcpy(d[r], 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\n"
        "  aclmdlRICaptureBegin(s[r], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);\n"
        "  if (HcclAllReduce(d[r], d[r], 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r], s[r]) != 0) "
        "return 1;\n"
        "  add_value<<<1, nullptr, s[r]>>>((GM_ADDR)d[r], 0.5F);\n"
        "  if (aclmdlRICaptureEnd(s[r], &graphs[r]) != 0) return 2;\n}\n"
        "for (int i = 0; i < 2; ++i) for (int r = 0; r < 2; ++r) {\n  aclrtSetDevice(r);\n"
        "  aclmdlRIExecuteAsync(graphs[r], s[r]);\n}\n"
        "for (int r = 0; r < 2; ++r) {\n  aclrtSetDevice(r);\n  aclrtSynchronizeStream(s[r]);\n"
        "  aclrtMemcpy(h, 256, d[r], 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "  if (h[63] != 7.5F) return 3;\n}\n",  // 3.5 + 3.5 + 0.5
        "--quiet --chip 310p3 --set program.node=atlas300i_duo 2>&1",
        "#include \"hccl/hccl.h\"\n");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

}  // namespace
}  // namespace ascendsim::cli
