// SPDX-License-Identifier: Apache-2.0
// Collectives of host programs as `ascendsim run` takes them.
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class ProgramCollectives : public SmallPrograms {
protected:
    fs::path example = installation.root / "runtime" / "acl" / "examples" / "all_reduce.cpp";

    /// On a node of two devices.
    [[nodiscard]] Outcome run(const fs::path& program, const std::string& more) const {
        return SmallPrograms::run(program, "--chip 310p3 --set program.node=atlas300i_duo " + more);
    }

    /// Runs a main that has a communicator `c`, a stream `s` and buffers `x` and `y` of 64 floats on each of
    /// two devices, of which x[rank] holds rank * 100 + i.
    [[nodiscard]] Outcome run_body(const std::string& body, const std::string& end) const {
        std::ofstream{folder / "main.cpp"}
            << "#include \"acl/acl.h\"\n#include \"hccl/hccl.h\"\n#include <cstdio>\n"
               "__global__ __aicore__ void idle(GM_ADDR x) {}\n"
               "int main() {\nHcclComm c[2]; aclrtStream s[2]; void* x[2]; void* y[2]; int32_t devices[] = "
               "{0, 1};\n"
               "float h[64];\n"
               "if (HcclCommInitAll(2, devices, c) != 0) return 100;\n"
               "for (int r = 0; r < 2; ++r) {\naclrtSetDevice(r); aclrtCreateStream(&s[r]);\n"
               "aclrtMalloc(&x[r], 256); aclrtMalloc(&y[r], 256);\n"
               "for (int i = 0; i < 64; ++i) h[i] = r * 100 + i;\n"
               "aclrtMemcpy(x[r], 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\n"
               "idle<<<1, nullptr, s[r]>>>(nullptr);\n}\n"
               "for (int r = 0; r < 2; ++r) {\naclrtSetDevice(r);\n"
            << body
            << "\n}\nfor (int r = 0; r < 2; ++r) {\naclrtSetDevice(r); aclrtSynchronizeStream(s[r]);\n"
               "aclrtMemcpy(h, 256, y[r], 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
            << end << "\n}\nreturn 0;\n}\n";
        return run("main.cpp", "--quiet");
    }

    void expect_sentence(const std::string& body, const std::string& sentence) const {
        const Outcome outcome = run_body(body, "");
        EXPECT_THAT(outcome.output, HasSubstr(sentence));
    }
};

constexpr const char* fp32_sum = "HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM";

TEST_F(ProgramCollectives, ThatWaitForEachOtherAreNamedWithTheirPeers) {
    // Each receives before it sends, on one stream.
    expect_sentence(
        "HcclRecv(y[r], 64, HCCL_DATA_TYPE_FP32, 1 - r, c[r], s[r]);\n"
        "HcclSend(x[r], 64, HCCL_DATA_TYPE_FP32, 1 - r, c[r], s[r]);",
        "(HcclSend), which has other work before it on its stream");
}

TEST_F(ProgramCollectives, NeedNoKernelAndNoHeaderButTheirOwn) {
    std::ofstream{folder / "only.cpp"}
        << "#include \"hccl/hccl.h\"\n#include <cstdio>\nint main() {\n"
           "HcclComm c[2]; aclrtStream s[2]; void* x[2]; int32_t devices[] = {0, 1}; float h[64];\n"
           "if (HcclCommInitAll(2, devices, c) != HCCL_SUCCESS) return 1;\n"
           "for (int r = 0; r < 2; ++r) {\naclrtSetDevice(r); aclrtCreateStream(&s[r]); aclrtMalloc(&x[r], "
           "256);\n"
           "for (float& one : h) one = 1 + r;\naclrtMemcpy(x[r], 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\n"
           "HcclAllReduce(x[r], x[r], 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, c[r], s[r]);\n}\n"
           "for (int r = 0; r < 2; ++r) {\naclrtSetDevice(r); aclrtSynchronizeStream(s[r]);\n"
           "aclrtMemcpy(h, 256, x[r], 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
           "for (float one : h) if (one != 3) return 2;\n}\nreturn 0;\n}\n";
    const Outcome outcome = run("only.cpp", "--json out.json");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("HcclAllReduce"));
    std::ifstream stream{folder / "out.json"};
    const json timeline = json::parse(stream).at("program").at("timeline");
    EXPECT_GT(timeline.at("total_us").get<double>(), 0);
    EXPECT_EQ(timeline.at("devices").size(), 2);
}

TEST_F(ProgramCollectives, AddUpWhatAllDevicesHave) {
    const Outcome outcome = run(example, "--json - 2>/dev/null");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const json timeline = json::parse(outcome.output).at("program").at("timeline");
    EXPECT_EQ(timeline.at("devices").size(), 2U);
    const double total = timeline.at("total_us").get<double>();
    double critical = 0;
    bool communicates = false;
    for (const json& call : timeline.at("calls")) {
        critical += call.at("critical_us").get<double>();
        communicates = communicates || call.at("kind") == "communicate";
    }
    EXPECT_TRUE(communicates);
    EXPECT_NEAR(critical, total, 1e-6 * total);
}

TEST_F(ProgramCollectives, TellWhoDidNotCall) {
    const Outcome outcome = run(example, "--quiet -- miss");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("(HcclAllReduce) for rank 1, which has not called it"));
}

TEST_F(ProgramCollectives, MoveTheRightData) {
    const auto sum = fmt::format("HcclAllReduce(x[r], y[r], 64, {}, c[r], s[r]);", fp32_sum);
    EXPECT_EQ(run_body(sum, "if (h[5] != 110 || h[63] != 226) return 1;").exit, 0);
    EXPECT_EQ(run_body("HcclAllGather(x[r], y[r], 32, HCCL_DATA_TYPE_FP32, c[r], s[r]);",
                       "if (h[31] != 31 || h[32] != 100) return 1;")
                  .exit,
              0);
    EXPECT_EQ(run_body(fmt::format("HcclReduceScatter(x[r], y[r], 32, {}, c[r], s[r]);", fp32_sum),
                       "if (h[0] != 100 + 64 * r) return 1;")
                  .exit,
              0);
    EXPECT_EQ(
        run_body("HcclAlltoAll(x[r], 32, HCCL_DATA_TYPE_FP32, y[r], 32, HCCL_DATA_TYPE_FP32, c[r], s[r]);",
                 "if (h[0] != 32 * r || h[32] != 100 + 32 * r) return 1;")
            .exit,
        0);
    EXPECT_EQ(run_body("if (r == 0) HcclSend(x[0], 64, HCCL_DATA_TYPE_FP32, 1, c[0], s[0]);\n"
                       "else HcclRecv(y[1], 64, HCCL_DATA_TYPE_FP32, 0, c[1], s[1]);",
                       "if (r == 1 && h[7] != 7) return 1;")
                  .exit,
              0);
    EXPECT_EQ(
        run_body(fmt::format("HcclReduce(x[r], r == 1 ? y[1] : nullptr, 64, {}, 1, c[r], s[r]);", fp32_sum),
                 "if (r == 1 && (h[5] != 110 || h[63] != 226)) return 1;")
            .exit,
        0);
    EXPECT_EQ(run_body("HcclScatter(r == 1 ? x[1] : nullptr, y[r], 32, HCCL_DATA_TYPE_FP32, 1, c[r], s[r]);",
                       "if (h[0] != 100 + 32 * r || h[31] != 131 + 32 * r) return 1;")
                  .exit,
              0);
    // Rank 0 keeps 8 and sends 16; rank 1 sends 24 and keeps 4.
    EXPECT_EQ(run_body("uint64_t counts[2][2] = {{8, 16}, {24, 4}}, to[2] = {0, 32}, back[2] = {0, 32};\n"
                       "uint64_t got[2] = {counts[0][r], counts[1][r]};\n"
                       "HcclAlltoAllV(x[r], counts[r], to, HCCL_DATA_TYPE_FP32, y[r], got, back, "
                       "HCCL_DATA_TYPE_FP32, c[r], s[r]);",
                       "if (h[0] != (r == 0 ? 0 : 32) || h[32] != (r == 0 ? 100 : 132)) return 1;")
                  .exit,
              0);
}

TEST_F(ProgramCollectives, MovePartsOfUnequalLength) {
    // Rank 0 gives 16 and rank 1 gives 24; there is a gap between them.
    EXPECT_EQ(run_body("uint64_t counts[2] = {16, 24}, at[2] = {0, 32};\n"
                       "HcclAllGatherV(x[r], counts[r], y[r], counts, at, HCCL_DATA_TYPE_FP32, c[r], s[r]);",
                       "if (h[15] != 15 || h[32] != 100 || h[55] != 123) return 1;")
                  .exit,
              0);
    // Rank 0 gets elements 0 to 15 of both, rank 1 elements 32 to 55.
    EXPECT_EQ(run_body("uint64_t counts[2] = {16, 24}, at[2] = {0, 32};\n"
                       "HcclReduceScatterV(x[r], counts, at, y[r], counts[r], HCCL_DATA_TYPE_FP32, "
                       "HCCL_REDUCE_SUM, c[r], s[r]);",
                       "if (h[0] != (r == 0 ? 100 : 164) || (r == 1 && h[23] != 210)) return 1;")
                  .exit,
              0);
    expect_sentence(
        "uint64_t counts[2] = {16, 24}, at[2] = {0, 16};\n"
        "if (HcclAllGatherV(x[r], 20, y[r], counts, at, HCCL_DATA_TYPE_FP32, c[r], s[r]) != HCCL_E_PARA) "
        "return 9;",
        "sendCount is 20, but rank 1 has 24 among the counts of all");
    const Outcome differ = run_body(
        "uint64_t counts[2] = {16, 24u - 8u * r}, at[2] = {0, 32};\n"
        "HcclReduceScatterV(x[r], counts, at, y[r], counts[r], HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, c[r], "
        "s[r]);",
        "");
    EXPECT_EQ(differ.exit, 3) << differ.output;
    EXPECT_THAT(differ.output, HasSubstr("HcclReduceScatterV of 16, 24 fp32, sum"));
}

TEST_F(ProgramCollectives, SendAndReceiveAtTheSameTime) {
    // Each receives before it sends, which two calls on one stream could not.
    EXPECT_EQ(run_body("HcclSendRecvItem items[] = {{HCCL_RECV, y[r], 32, HCCL_DATA_TYPE_FP32, 1u - r},\n"
                       "{HCCL_SEND, x[r], 32, HCCL_DATA_TYPE_FP32, 1u - r},\n"
                       "{HCCL_RECV, (float*)y[r] + 32, 16, HCCL_DATA_TYPE_FP32, 1u - r},\n"
                       "{HCCL_SEND, (float*)x[r] + 40, 16, HCCL_DATA_TYPE_FP32, 1u - r}};\n"
                       "if (HcclBatchSendRecv(items, 4, c[r], s[r]) != 0) return 9;",
                       "if (h[31] != (1 - r) * 100 + 31 || h[32] != (1 - r) * 100 + 40) return 1;")
                  .exit,
              0);
    expect_sentence(
        "HcclSendRecvItem items[] = {{HCCL_SEND, x[r], 32, HCCL_DATA_TYPE_FP32, 2}};\n"
        "if (HcclBatchSendRecv(items, 1, c[r], s[r]) != HCCL_E_PARA) return 9;",
        "destination rank 2 is out of range");
    expect_sentence("if (HcclBatchSendRecv(nullptr, 1, c[r], s[r]) != HCCL_E_PTR) return 9;",
                    "there is no item to send or receive");
}

TEST_F(ProgramCollectives, SayInASentenceWhatIsWrong) {
    expect_sentence(
        fmt::format("if (HcclAllReduce(x[r], y[r], 80, {}, c[r], s[r]) != HCCL_E_PARA) return 9;", fp32_sum),
        "the call needs 320 bytes of the send buffer");
    expect_sentence(  // 2^62 elements of 4 bytes are 2^64
        fmt::format("if (HcclAllReduce(x[r], y[r], 1ULL << 62, {}, c[r], s[r]) != HCCL_E_PARA) return 9;",
                    fp32_sum),
        "bytes of the send buffer, which reach beyond its allocation");
    expect_sentence(
        fmt::format("if (HcclAllReduce(x[r], (char*)x[r] + 64, 32, {}, c[r], s[r]) != HCCL_E_PARA) return 9;",
                    fp32_sum),
        "send and receive buffer overlap");
    expect_sentence(
        "if (HcclBroadcast(x[r], 64, HCCL_DATA_TYPE_FP32, 2, c[r], s[r]) != HCCL_E_PARA) return 9;",
        "root 2 is out of range: the communicator has ranks 0 to 1");
    expect_sentence(
        fmt::format(
            "if (HcclReduce(x[r], nullptr, 64, {}, 0, c[r], s[r]) != (r == 0 ? HCCL_E_PTR : 0)) return 9;",
            fp32_sum),
        "the receive buffer is null");
    expect_sentence(
        "if (HcclScatter(x[r], y[r], 64, HCCL_DATA_TYPE_FP32, 0, c[r], s[r]) != "
        "(r == 0 ? HCCL_E_PARA : 0)) return 9;",
        "the call needs 512 bytes of the send buffer");
    expect_sentence("if (HcclBarrier(c[r], s[1 - r]) != HCCL_E_PARA) return 9;",
                    "the stream is one of device 1, rank 0 of the communicator is device 0");
    const Outcome different = run_body(
        fmt::format(
            "if (r == 0) HcclAllReduce(x[0], y[0], 64, {}, c[0], s[0]);\nelse HcclBarrier(c[1], s[1]);",
            fp32_sum),
        "");
    EXPECT_EQ(different.exit, 3) << different.output;
    EXPECT_THAT(different.output,
                HasSubstr("ranks of one communicator call different collectives: rank 0 at"));
}

}  // namespace
}  // namespace ascendsim::cli
