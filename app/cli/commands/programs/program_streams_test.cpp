// SPDX-License-Identifier: Apache-2.0
// Streams, events, copies and devices of host programs as `ascendsim run` takes them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// A kernel that works on no data.
constexpr const char* no_work = "__global__ __aicore__ void idle(GM_ADDR x) {}\n";

class ProgramStreams : public SmallPrograms {
protected:
    /// Runs a main with this body.
    [[nodiscard]] Outcome run_body(const std::string& body, const std::string& more = "--quiet") const {
        std::ofstream{folder / "main.cpp"}
            << "#include \"acl/acl.h\"\n#include <cstdio>\n#include <cstring>\n"
            << no_work << "int main() {\n"
            << body << "\nreturn 0;\n}\n";
        return run("main.cpp", more);
    }
};

double part(const json& timeline, const char* name) {
    return timeline.at("devices").at(0).at(name).get<double>();
}

TEST_F(ProgramStreams, HideACopyBehindAnotherStreamsKernel) {
    const fs::path example = installation.root / "runtime" / "acl" / "examples" / "hide_copy.cpp";
    std::vector<json> timelines;
    for (const char* streams : {"1", "2"}) {
        const Outcome outcome = run(example, fmt::format("--json - 2>/dev/null -- {}", streams));
        ASSERT_EQ(outcome.exit, 0) << outcome.output;
        timelines.push_back(json::parse(outcome.output).at("program").at("timeline"));
        const json& timeline = timelines.back();
        const double total = timeline.at("total_us").get<double>();
        EXPECT_NEAR(part(timeline, "computing_us") + part(timeline, "copies_us") +
                        part(timeline, "launching_us") + part(timeline, "host_us") +
                        part(timeline, "free_us"),
                    total,
                    1e-6 * total);
        double idle = part(timeline, "launching_us") + part(timeline, "host_us") + part(timeline, "free_us");
        for (const json& bubble : timeline.at("devices").at(0).at("bubbles")) {
            idle -= bubble.at("us").get<double>();
        }
        EXPECT_NEAR(idle, 0, 1e-6 * total);
        double critical = 0;
        for (const json& call : timeline.at("calls")) {
            critical += call.at("critical_us").get<double>();
        }
        EXPECT_NEAR(critical, total, 1e-6 * total);
    }
    // One stream hides nothing: four chunks of 1 MiB to the device and back, all on their own.
    double copies = 0;
    for (const json& call : timelines[0].at("calls")) {
        copies += call.at("kind") == "copy" ? call.at("device_us").get<double>() : 0;
    }
    EXPECT_NEAR(part(timelines[0], "copies_us"), copies, 1e-6 * copies);
    EXPECT_LT(part(timelines[1], "copies_us"), 0.8 * copies);
    EXPECT_LT(timelines[1].at("total_us"), timelines[0].at("total_us"));
}

TEST_F(ProgramStreams, RunKernelsOfTwoStreamsAtTheSameTime) {
    const fs::path example = installation.root / "runtime" / "acl" / "examples" / "side_by_side.cpp";
    const Outcome beside = run(example, "--json - 2>/dev/null");
    ASSERT_EQ(beside.exit, 0) << beside.output;
    const Outcome chain = run(example, "--json - 2>/dev/null -- chain");
    ASSERT_EQ(chain.exit, 0) << chain.output;
    EXPECT_LT(json::parse(beside.output).at("cycles"), json::parse(chain.output).at("cycles"));
    EXPECT_TRUE(json::parse(chain.output).at("hazards").empty()) << chain.output;
    const json timeline = json::parse(beside.output).at("program").at("timeline");
    const double total = timeline.at("total_us").get<double>();
    EXPECT_NEAR(part(timeline, "computing_us") + part(timeline, "copies_us") +
                    part(timeline, "launching_us") + part(timeline, "host_us") + part(timeline, "free_us"),
                total,
                1e-6 * total);
}

TEST_F(ProgramStreams, FindAnEventThatIsMissing) {
    const fs::path example = installation.root / "runtime" / "acl" / "examples" / "side_by_side.cpp";
    const Outcome race = run(example, "--json - 2>/dev/null -- race");
    EXPECT_NE(race.exit, 0);
    const json hazards = json::parse(race.output).at("hazards");
    ASSERT_EQ(hazards.size(), 1U) << hazards.dump(1);
    EXPECT_EQ(hazards[0].at("kind"), "stream_race");
    EXPECT_EQ(hazards[0].at("later").at("line"), 32) << hazards.dump(1);  // the copy to x and that from y
    EXPECT_THAT(hazards[0].at("message").get<std::string>(), HasSubstr("stream 1"));
    EXPECT_THAT(hazards[0].at("message").get<std::string>(), HasSubstr("nothing orders the two"));
}

TEST_F(ProgramStreams, FindThatTheHostDidNotWait) {
    const auto with = [&](const std::string& wait) {
        std::ofstream{folder / "main.cpp"}
            << "#include \"acl/acl.h\"\n"
               "__global__ __aicore__ void fill(GM_ADDR x) { *(__gm__ int32_t*)x = 5; }\n"
               "int main() {\naclrtStream s;\naclrtCreateStream(&s);\nvoid* d;\naclrtMalloc(&d, 64);\n"
               "int32_t to = 0;\nfill<<<1, nullptr, s>>>((uint8_t*)d);\n"
            << wait << "\naclrtMemcpy(&to, 4, d, 4, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn to - 5;\n}\n";
        return run("main.cpp", "--json - 2>/dev/null");
    };
    const Outcome early = with("");
    EXPECT_EQ(early.exit, 3) << early.output;
    const json hazards = json::parse(early.output).at("hazards");
    ASSERT_EQ(hazards.size(), 1U) << hazards.dump(1);
    EXPECT_EQ(hazards[0].at("kind"), "stream_race");
    EXPECT_THAT(hazards[0].at("message").get<std::string>(), HasSubstr("kernel 'fill'"));
    EXPECT_THAT(hazards[0].at("message").get<std::string>(),
                HasSubstr("aclrtMemcpy (main.cpp:11, the host)"));
    for (const char* wait :
         {"aclrtSynchronizeStream(s);", "aclrtSynchronizeDevice();", "aclrtDestroyStream(s);"}) {
        const Outcome waited = with(wait);
        EXPECT_EQ(waited.exit, 0) << wait << waited.output;
    }
}

TEST_F(ProgramStreams, GiveTheHostWhatIsThereWhenItReads) {
    const Outcome outcome = run_body(
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\nvoid *h, *g, *d;\n"
        "aclrtMallocHost(&h, 1 << 24);\naclrtMallocHost(&g, 1 << 24);\naclrtMalloc(&d, 1 << 24);\n"
        "std::memset(h, 7, 1 << 24);\nstd::memset(g, 1, 1 << 24);\n"
        "idle<<<1, nullptr, b>>>(nullptr);\n"
        "aclrtMemcpyAsync(d, 1 << 24, h, 1 << 24, ACL_MEMCPY_HOST_TO_DEVICE, a);\n"
        "aclrtMemcpyAsync(g, 1 << 24, d, 1 << 24, ACL_MEMCPY_DEVICE_TO_HOST, a);\n"
        "if (static_cast<char*>(g)[5] != 1) return 1;\n"  // the copy is still under way
        "aclrtSynchronizeStream(a);\nif (static_cast<char*>(g)[5] != 7) return 2;\n"
        // Pageable memory is the program's own again when the call returns.
        "{ char* p = new char[64];\nstd::memset(p, 5, 64);\n"
        "aclrtMemcpyAsync(d, 64, p, 64, ACL_MEMCPY_HOST_TO_DEVICE, a);\nstd::memset(p, 6, 64);\n"
        "delete[] p; }\n"
        "aclrtMemcpyAsync(g, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST, a);\n"
        "aclrtSynchronizeStream(a);\naclrtFree(d);\n"
        "return static_cast<char*>(g)[5] == 5 ? 0 : 3;");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramStreams, NameMemoryThatIsFreedWhileACopyMayStillUseIt) {
    // aclrtFree waits for no stream: the copy of line 12 may still be under way.
    const Outcome outcome = run_body(
        "aclrtStream a;\naclrtCreateStream(&a);\nvoid *h, *d, *e;\naclrtMallocHost(&h, 64);\n"
        "std::memset(h, 7, 64);\naclrtMalloc(&d, 64);\n"
        "aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, a);\naclrtFree(d);\n"
        "aclrtMalloc(&e, 64);\naclrtMalloc(&d, 64);\n"
        "aclrtMemcpyAsync(e, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, a);\n"
        "aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, a);\naclrtFree(e);\naclrtFree(d);\n"
        "aclrtSynchronizeStream(a);\nreturn 0;");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("aclrtFree (main.cpp:13, the host) frees memory 1 of main.cpp:11"));
    // The first of the two waits for nothing either.
    EXPECT_THAT(outcome.output, HasSubstr("aclrtFree (main.cpp:18, the host) frees memory"));
    EXPECT_THAT(outcome.output, HasSubstr("aclrtFree (main.cpp:19, the host) frees memory"));
}

TEST_F(ProgramStreams, WaitForARecordThatComesLater) {
    const Outcome outcome = run_body(
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\n"
        "aclrtEvent e;\naclrtCreateEvent(&e);\nvoid *h, *d, *g;\naclrtMallocHost(&h, 64);\n"
        "aclrtMalloc(&d, 64);\naclrtMallocHost(&g, 64);\nstd::memset(h, 7, 64);\nstd::memset(g, 0, 64);\n"
        "aclrtStreamWaitEvent(b, e);\n"
        "aclrtMemcpyAsync(g, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST, b);\n"
        "if (static_cast<char*>(g)[5] != 0) return 1;\n"
        "aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, a);\n"
        "idle<<<1, nullptr, a>>>(nullptr);\naclrtRecordEvent(e, a);\n"
        "aclrtSynchronizeStream(b);\nreturn static_cast<char*>(g)[5] == 7 ? 0 : 2;");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramStreams, ExplainStreamsThatWaitForEachOther) {
    const Outcome outcome = run_body(
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\n"
        "aclrtEvent e, f;\naclrtCreateEvent(&e);\naclrtCreateEvent(&f);\n"
        "aclrtStreamWaitEvent(a, e);\naclrtRecordEvent(f, a);\n"
        "aclrtStreamWaitEvent(b, f);\naclrtRecordEvent(e, b);\n"
        "aclrtSynchronizeStream(a);\nidle<<<1, nullptr, a>>>(nullptr);");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("main.cpp:16: deadlock: aclrtSynchronizeStream waits"));
    EXPECT_THAT(
        outcome.output,
        HasSubstr("stream 0 waits at main.cpp:12 (aclrtStreamWaitEvent) for an event that stream 1 is "
                  "to record at main.cpp:15 (aclrtRecordEvent)"));
    EXPECT_THAT(outcome.output, HasSubstr("stream 1 waits at main.cpp:14"));
    const Outcome alone = run_body("aclrtEvent e;\naclrtCreateEvent(&e);\naclrtSynchronizeEvent(e);");
    EXPECT_EQ(alone.exit, 3) << alone.output;
    EXPECT_THAT(alone.output, HasSubstr("waits for an event that nothing has recorded"));
}

TEST_F(ProgramStreams, TakeANotifyBackWhenTheyHaveWaitedForIt) {
    const std::string streams =
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\naclrtNotify n, back;\n"
        "if (aclrtCreateNotify(&n, ACL_NOTIFY_DEFAULT) != 0 || aclrtCreateNotify(&back, 0) != 0) return 1;\n";
    const Outcome outcome = run_body(
        streams +
        "const size_t bytes = 1 << 20;\nint *h, *g;\nvoid* d;\naclrtMallocHost((void**)&h, 4 * bytes);\n"
        "aclrtMallocHost((void**)&g, 4 * bytes);\naclrtMalloc(&d, bytes);\n"
        "for (size_t i = 0; i < bytes; ++i) h[i] = i / (bytes / 4);\nidle<<<1, nullptr, a>>>(nullptr);\n"
        // One buffer of the device for four rounds: each stream waits for the other's last one.
        "for (int i = 0; i < 4; ++i) {\n"
        "if (i > 0) aclrtWaitAndResetNotify(back, a, 0);\n"
        "aclrtMemcpyAsync(d, bytes, h + i * bytes / 4, bytes, ACL_MEMCPY_HOST_TO_DEVICE, a);\n"
        "aclrtRecordNotify(n, a);\naclrtWaitAndResetNotify(n, b, 0);\n"
        "aclrtMemcpyAsync(g + i * bytes / 4, bytes, d, bytes, ACL_MEMCPY_DEVICE_TO_HOST, b);\n"
        "if (i < 3) aclrtRecordNotify(back, b);\n}\n"
        "aclrtSynchronizeStream(b);\nif (std::memcmp(g, h, 4 * bytes) != 0) return 2;\n"
        "uint32_t first, second;\naclrtGetNotifyId(n, &first);\naclrtGetNotifyId(back, &second);\n"
        "if (first == second || aclrtDestroyNotify(n) != 0 || aclrtDestroyNotify(n) == 0) return 3;\n"
        "return aclrtRecordNotify(n, a) == 0 ? 4 : 0;");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const Outcome twice = run_body(streams +
                                   "aclrtRecordNotify(n, a);\naclrtWaitAndResetNotify(n, b, 0);\n"
                                   "aclrtWaitAndResetNotify(n, b, 0);\naclrtSynchronizeStream(b);");
    EXPECT_EQ(twice.exit, 3) << twice.output;
    EXPECT_THAT(twice.output, HasSubstr("a notify that nothing has recorded, or whose record another wait"));
}

TEST_F(ProgramStreams, SetANotifyWhenTheStreamComesToIt) {
    // The host queues both records before the first wait. The copy of 16 MiB between them takes some 0.7 ms,
    // in which the first wait has taken the first record back.
    const std::string begin =
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\naclrtNotify n;\n"
        "aclrtCreateNotify(&n, 0);\nvoid *h, *d;\naclrtMallocHost(&h, 1 << 24);\n"
        "aclrtMalloc(&d, 1 << 24);\n";
    const std::string copy = "aclrtMemcpyAsync(d, 1 << 24, h, 1 << 24, ACL_MEMCPY_HOST_TO_DEVICE, a);\n";
    const std::string record = "aclrtRecordNotify(n, a);\n";
    const std::string wait = "aclrtWaitAndResetNotify(n, b, 0);\n";
    const Outcome apart =
        run_body(begin + record + copy + record + wait + wait + "return aclrtSynchronizeStream(b);");
    EXPECT_EQ(apart.exit, 0) << apart.output;
    // A notify that is set twice before anybody waits is set, no more.
    const Outcome together =
        run_body(begin + record + record + copy + wait + wait + "aclrtSynchronizeStream(b);");
    EXPECT_EQ(together.exit, 3) << together.output;
    // An aborted stream takes nothing: what it waited for is there for another one.
    const Outcome aborted =
        run_body(begin + "aclrtStream c;\naclrtCreateStream(&c);\n" + copy + record + wait +
                 "aclrtStreamAbort(b);\naclrtWaitAndResetNotify(n, c, 0);\n"
                 "return aclrtSynchronizeStream(c);");
    EXPECT_EQ(aborted.exit, 0) << aborted.output;
}

TEST_F(ProgramStreams, WaitForValuesInDeviceMemory) {
    const std::string begin =
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\nuint64_t* v;\n"
        "aclrtMalloc((void**)&v, 64);\naclrtMemset(v, 64, 0, 64);\n";
    const Outcome outcome = run_body(
        begin +
        "const size_t bytes = 1 << 22;\nint *h, *g;\nvoid* d;\naclrtMallocHost((void**)&h, bytes);\n"
        "aclrtMallocHost((void**)&g, bytes);\naclrtMalloc(&d, bytes);\n"
        "for (size_t i = 0; i < bytes / 4; ++i) h[i] = i;\nidle<<<1, nullptr, a>>>(nullptr);\n"
        "aclrtValueWait(v, 3, ACL_STREAM_WAIT_VALUE_GEQ, b);\n"
        "aclrtMemcpyAsync(g, bytes, d, bytes, ACL_MEMCPY_DEVICE_TO_HOST, b);\n"
        "aclrtValueWrite(v, 2, 0, a);\n"
        "aclrtMemcpyAsync(d, bytes, h, bytes, ACL_MEMCPY_HOST_TO_DEVICE, a);\n"
        "aclrtValueWrite(v, 3, 0, a);\n"
        "if (aclrtSynchronizeStream(b) != 0) return 1;\n"
        "if (std::memcmp(g, h, bytes) != 0) return 2;\n"
        // What the host copies there lets a stream go on, too.
        "uint64_t one = 1;\naclrtEvent e;\naclrtCreateEvent(&e);\n"
        "aclrtValueWait(v + 1, 1, ACL_STREAM_WAIT_VALUE_EQ, b);\naclrtRecordEvent(e, b);\n"
        "aclrtEventRecordedStatus status;\naclrtQueryEventStatus(e, &status);\n"
        "if (status != ACL_EVENT_RECORDED_STATUS_NOT_READY) return 3;\n"
        "aclrtMemcpy(v + 1, 8, &one, 8, ACL_MEMCPY_HOST_TO_DEVICE);\naclrtSynchronizeEvent(e);\n"
        "if (aclrtValueWait((char*)v + 4, 1, 0, b) == 0 || aclrtValueWait(v, 1, 4, b) == 0) return 4;\n"
        "if (aclrtValueWait(h, 1, 0, b) == 0 || aclrtValueWrite(v, 1, 1, b) == 0) return 5;");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const Outcome never =
        run_body(begin +
                 "aclrtValueWait(v, 5, ACL_STREAM_WAIT_VALUE_EQ, b);\naclrtValueWrite(v, 4, 0, a);\n"
                 "aclrtSynchronizeStream(b);");
    EXPECT_EQ(never.exit, 3) << never.output;
    EXPECT_THAT(never.output, HasSubstr("(aclrtValueWait) for the 8 bytes at"));
    EXPECT_THAT(never.output, HasSubstr("of device memory to be 0x5"));
}

TEST_F(ProgramStreams, EndPollingAndTimeOut) {
    const Outcome outcome = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\nvoid *h, *d;\naclrtMallocHost(&h, 1 << 24);\n"
        "aclrtMalloc(&d, 1 << 24);\nidle<<<1, nullptr, s>>>(nullptr);\n"
        // 64 copies of 16 MiB at some 25 GB/s: about 43 ms
        "for (int i = 0; i < 64; ++i) aclrtMemcpyAsync(d, 1 << 24, h, 1 << 24, ACL_MEMCPY_HOST_TO_DEVICE, "
        "s);\n"
        "aclrtEvent e;\naclrtCreateEvent(&e);\naclrtRecordEvent(e, s);\n"
        "if (aclrtSynchronizeStreamWithTimeout(s, 1) != 507046) return 1;\n"
        "if (aclrtSynchronizeEventWithTimeout(e, 1) != 507047) return 2;\n"
        "aclrtStreamStatus status;\nint asked = 0;\n"
        "do { aclrtStreamQuery(s, &status); ++asked; } while (status == ACL_STREAM_STATUS_NOT_READY);\n"
        "if (asked < 2 || asked > 30) return 3;\n"
        "if (aclrtSynchronizeStreamWithTimeout(s, 1) != 0) return 4;");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramStreams, WorkOnSeveralDevices) {
    const Outcome outcome = run_body(
        "uint32_t count = 0;\naclrtGetDeviceCount(&count);\nif (count != 2) return 1;\n"
        "aclrtStream s;\naclrtCreateStream(&s);\nvoid *one, *two, *h;\naclrtMalloc(&one, 64);\n"
        "aclrtMallocHost(&h, 64);\nstd::memset(h, 9, 64);\n"
        "aclrtMemcpy(one, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE);\nidle<<<1, nullptr, s>>>(nullptr);\n"
        "if (aclrtSetDevice(2) != 107001 || aclrtSetDevice(1) != 0) return 2;\n"
        "aclrtMalloc(&two, 64);\n"
        "if (aclrtMemcpyAsync(two, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, s) != 107003) return 3;\n"
        "if (aclrtMemcpy(two, 64, one, 64, ACL_MEMCPY_DEVICE_TO_DEVICE) == 0) return 4;\n"
        "aclrtDeviceEnablePeerAccess(0, 0);\n"
        "if (aclrtMemcpy(two, 64, one, 64, ACL_MEMCPY_DEVICE_TO_DEVICE) != 0) return 5;\n"
        "std::memset(h, 0, 64);\naclrtMemcpy(h, 64, two, 64, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "idle<<<1, nullptr, nullptr>>>(nullptr);\naclrtSynchronizeDevice();\n"
        "return static_cast<char*>(h)[3] == 9 ? 0 : 6;",
        "--quiet --chip 310p3 --set program.node=atlas300i_duo");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("device 2: there are devices 0 to 1"));
    EXPECT_THAT(outcome.output, HasSubstr("the stream is one of device 0, the current device is 1"));
    EXPECT_THAT(outcome.output, HasSubstr("from device 0 to device 1: call aclrtDeviceEnablePeerAccess"));
}

TEST_F(ProgramStreams, PutThePartsOfATraceOnOneAxis) {
    const Outcome outcome = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\nvoid *h, *d;\naclrtMallocHost(&h, 1 << 24);\n"
        "aclrtMalloc(&d, 1 << 24);\n"
        "aclrtMemcpyAsync(d, 1 << 24, h, 1 << 24, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
        "idle<<<1, nullptr, s>>>(nullptr);\naclrtSynchronizeStream(s);",
        "--quiet --trace trace.json");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    std::ifstream file{folder / "trace.json"};
    const json trace = json::parse(file);
    double kernel = 0;
    double first_on_core = 1e9;
    for (const json& event : trace.at("traceEvents")) {
        if (event.at("ph") == "X" && event.value("cat", "") == "compute") {
            kernel = event.at("ts").get<double>();
        } else if (event.at("ph") == "X" && event.at("pid") != 1'000'000) {
            first_on_core = std::min(first_on_core, event.at("ts").get<double>());
        }
    }
    EXPECT_GT(kernel, 500);  // behind 16 MiB at some 25 GB/s
    EXPECT_GE(first_on_core, kernel);
}

}  // namespace
}  // namespace ascendsim::cli
