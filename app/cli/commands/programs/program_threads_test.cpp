// SPDX-License-Identifier: Apache-2.0
// Host programs of several threads, with callbacks and priorities, as `ascendsim run` takes them.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ProgramThreads : public SmallPrograms {
protected:
    [[nodiscard]] std::string bytes_of(const std::string& recording) const {
        std::ifstream file{folder / recording, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }
};

/// Two threads with a stream and a device buffer each: copy, kernel, copy back, and a check.
constexpr const char* two_workers =
    "std::mutex m;\nint wrong = 0;\n"
    "auto work = [&](int id) {\n"
    "  aclrtSetDevice(0);\n  aclrtStream s;\n  aclrtCreateStream(&s);\n  void *h, *d;\n"
    "  aclrtMallocHost(&h, 256);\n  aclrtMalloc(&d, 256);\n"
    "  for (int i = 0; i < 64; ++i) static_cast<float*>(h)[i] = i + 100 * id;\n"
    "  aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
    "  for (int i = 0; i < 3 + id; ++i) add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n"
    "  aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
    "  aclrtSynchronizeStream(s);\n"
    "  std::lock_guard<std::mutex> lock{m};\n"
    "  for (int i = 0; i < 64; ++i) wrong += static_cast<float*>(h)[i] != i + 100 * id + 3 + id;\n"
    "};\n"
    "std::thread one{work, 1}, two{work, 2};\none.join();\ntwo.join();\nif (wrong != 0) return 1;";

TEST_F(ProgramThreads, WorkOnStreamsOfTheirOwn) {
    const Outcome outcome = run_body(two_workers, "--json - 2>/dev/null");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const json timeline = json::parse(outcome.output).at("program").at("timeline");
    // Each thread makes its calls at its own time: 2 copies and 4 or 5 kernels at 5 us a call in a row would
    // be 65 us of one thread before its first wait; side by side the longer one has 35 us.
    double calls = 0;
    for (const json& call : timeline.at("calls")) {
        calls += call.at("kind") == "compute" ? call.at("count").get<double>() : 0;
    }
    EXPECT_EQ(calls, 4 + 5);
    double critical = 0;
    for (const json& call : timeline.at("calls")) {
        critical += call.at("critical_us").get<double>();
    }
    const double total = timeline.at("total_us").get<double>();
    EXPECT_NEAR(critical, total, 1e-6 * total);
}

TEST_F(ProgramThreads, ShareTheDefaultContextOfTheirDevice) {
    const std::string body =
        "aclrtContext given = nullptr, taken = nullptr;\n"
        "if (aclrtSetDevice(0) != 0 || aclrtGetCurrentContext(&given) != 0 || given == nullptr) return 1;\n"
        "int code = -1;\n"
        "std::thread other{[&] {\n  aclrtContext none;\n"
        "  if (aclrtGetCurrentContext(&none) != ACL_ERROR_RT_CONTEXT_NULL) return;\n"
        "  code = aclrtSetCurrentContext(given);\n  aclrtGetCurrentContext(&taken);\n"
        "  aclrtStream s;\n  code += aclrtCreateStream(&s);\n"
        "  busy<<<1, nullptr, s>>>(nullptr, 1);\n  code += aclrtSynchronizeStream(s);\n}};\n"
        "other.join();\nif (code != 0 || taken != given) return 2;\n"
        "if (aclrtDestroyContext(given) == 0) return 3;\nreturn 0;";
    const Outcome outcome = run_body(body);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("the default context of device 0"));
}

TEST_F(ProgramThreads, GiveTheSameBytesEachTime) {
    const std::string queue =  // workers that take jobs from a queue, as it comes
        "std::mutex m;\nstd::condition_variable more;\nstd::vector<int> jobs;\nbool over = false;\n"
        "int done[2] = {};\n"
        "auto work = [&](int id) {\n  aclrtSetDevice(0);\n  aclrtStream s;\n  aclrtCreateStream(&s);\n"
        "  for (;;) {\n    int job = 0;\n    {\n      std::unique_lock<std::mutex> lock{m};\n"
        "      more.wait(lock, [&] { return over || !jobs.empty(); });\n"
        "      if (jobs.empty()) return;\n      job = jobs.back();\n      jobs.pop_back();\n    }\n"
        "    busy<<<4, nullptr, s>>>(nullptr, 10 * job);\n    aclrtSynchronizeStream(s);\n    ++done[id];\n"
        "  }\n};\n"
        "std::thread one{work, 0}, two{work, 1};\n"
        "for (int i = 0; i < 12; ++i) {\n  {\n    std::lock_guard<std::mutex> lock{m};\n"
        "    jobs.push_back(i % 5 + 1);\n  }\n  more.notify_one();\n}\n"
        "{\n  std::lock_guard<std::mutex> lock{m};\n  over = true;\n}\nmore.notify_all();\n"
        "one.join();\ntwo.join();\nif (done[0] + done[1] != 12 || done[0] == 0 || done[1] == 0) return 1;";
    ASSERT_EQ(run_body(queue).exit, 0);
    const std::string first = bytes_of("run.rec");
    ASSERT_FALSE(first.empty());
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(run_body(queue).exit, 0);
        EXPECT_TRUE(bytes_of("run.rec") == first);
    }
}

TEST_F(ProgramThreads, HaveDevicesOfTheirOwn) {
    const Outcome outcome = run_body(
        "idle<<<1, nullptr, nullptr>>>(nullptr);\nint codes[3] = {};\nvoid* memory = nullptr;\n"
        "std::thread other{[&] {\n  codes[0] = aclrtMalloc(&memory, 64);\n  aclrtSetDevice(1);\n"
        "  int32_t own = -1;\n  codes[1] = aclrtGetDevice(&own);\n  codes[2] = own;\n}};\nother.join();\n"
        "int32_t own = -1;\naclrtGetDevice(&own);\n"
        "return codes[0] == 107002 && codes[1] == 0 && codes[2] == 1 && own == 0 ? 0 : 1;",
        "--quiet --chip 310p3 --set program.node=atlas300i_duo 2>&1");
    EXPECT_THAT(outcome.output, HasSubstr("aclrtMalloc: this thread has no device yet; call aclrtSetDevice"));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramThreads, PassEventsToEachOther) {
    const Outcome outcome = run_body(
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\n"
        "aclrtEvent e;\naclrtCreateEvent(&e);\nvoid *h, *g, *d;\naclrtMallocHost(&h, 256);\n"
        "aclrtMallocHost(&g, 256);\naclrtMalloc(&d, 256);\nstd::memset(h, 0, 256);\n"
        // This thread waits for a record that the other one makes later.
        "std::thread other{[&] {\n  aclrtSetDevice(0);\n"
        "  std::this_thread::sleep_for(std::chrono::milliseconds{5});\n"
        "  aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, a);\n"
        "  add_value<<<1, nullptr, a>>>((GM_ADDR)d, 7.0F);\n  aclrtRecordEvent(e, a);\n}};\n"
        "aclrtSynchronizeEvent(e);\n"
        "aclrtMemcpyAsync(g, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, b);\naclrtSynchronizeStream(b);\n"
        "other.join();\nif (static_cast<float*>(g)[63] != 7.0F) return 1;",
        "--json - 2>/dev/null");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    // The other thread slept for 5 ms of simulated time before it put anything on its stream.
    EXPECT_GT(json::parse(outcome.output).at("program").at("timeline").at("total_us"), 5000);
}

TEST_F(ProgramThreads, MayBeTheRanksOfACommunicator) {
    const Outcome outcome = run_body(
        "int32_t devices[] = {0, 1};\nHcclComm comms[2];\nif (HcclCommInitAll(2, devices, comms) != 0) "
        "return 1;\n"
        "float got[2] = {};\nauto rank = [&](int r) {\n  aclrtSetDevice(r);\n  aclrtStream s;\n"
        "  aclrtCreateStream(&s);\n  void* d;\n  aclrtMalloc(&d, 256);\n  float h[64];\n"
        "  for (float& value : h) value = r + 1;\n  aclrtMemcpy(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\n"
        "  add_value<<<1, nullptr, s>>>((GM_ADDR)d, 10.0F);\n"
        "  HcclAllReduce(d, d, 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[r], s);\n"
        "  aclrtSynchronizeStream(s);\n  aclrtMemcpy(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "  got[r] = h[63];\n};\nstd::vector<std::thread> ranks;\n"
        "for (int r = 0; r < 2; ++r) ranks.emplace_back(rank, r);\nfor (auto& one : ranks) one.join();\n"
        "return got[0] == 23 && got[1] == 23 ? 0 : 2;",  // 11 + 12
        "--quiet --chip 310p3 --set program.node=atlas300i_duo 2>&1",
        "#include \"hccl/hccl.h\"\n");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramThreads, WaitForFuturesAndAtomics) {
    const Outcome outcome = run_body(
        "std::promise<int> p;\nauto f = p.get_future();\nstd::atomic<int> stage{0};\n"
        "std::thread other{[&] {\n  aclrtSetDevice(0);\n  aclrtStream s;\n  aclrtCreateStream(&s);\n"
        "  busy<<<1, nullptr, s>>>(nullptr, 50);\n  aclrtSynchronizeStream(s);\n  p.set_value(3);\n"
        "  while (stage.load() == 0) std::this_thread::yield();\n  stage = 2;\n  stage.notify_all();\n}};\n"
        "if (f.get() != 3) return 1;\nstage = 1;\nstage.wait(1);\nother.join();\n"
        "auto later = std::async(std::launch::async, [] { return 4; });\n"
        "if (later.get() != 4) return 2;\n"
        "std::mutex m;\nstd::condition_variable c;\nstd::unique_lock<std::mutex> lock{m};\n"
        "if (c.wait_for(lock, std::chrono::milliseconds{2}) != std::cv_status::timeout) return 3;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramThreads, ThatCannotGoOnAreNamed) {
    const Outcome locks = run_body(
        "std::mutex a, b;\nidle<<<1, nullptr, nullptr>>>(nullptr);\n"
        "std::thread other{[&] {\n  b.lock();\n  std::this_thread::sleep_for(std::chrono::milliseconds{1});\n"
        "  a.lock();\n}};\n"
        "a.lock();\nstd::this_thread::sleep_for(std::chrono::milliseconds{1});\nb.lock();\nother.join();",
        "--quiet 2>&1");
    EXPECT_EQ(locks.exit, 3) << locks.output;
    EXPECT_THAT(locks.output, HasSubstr("deadlock: no thread of the host program can go on"));
    EXPECT_THAT(locks.output, HasSubstr("main waits to lock a mutex"));
    EXPECT_THAT(locks.output, HasSubstr("thread 1 waits to lock a mutex"));
    const Outcome events = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\naclrtEvent e;\naclrtCreateEvent(&e);\n"
        "std::thread other{[&] {\n  aclrtSetDevice(0);\n  aclrtStreamWaitEvent(s, e);\n"
        "  idle<<<1, nullptr, s>>>(nullptr);\n  aclrtSynchronizeStream(s);\n  aclrtRecordEvent(e, s);\n}};\n"
        "other.join();",
        "--quiet 2>&1");
    EXPECT_EQ(events.exit, 3) << events.output;
    EXPECT_THAT(events.output, HasSubstr("main waits for the end of another thread"));
    EXPECT_THAT(events.output, HasSubstr("thread 1 waits in aclrtSynchronizeStream at main.cpp:"));
    EXPECT_THAT(events.output, HasSubstr("for an event that nothing has recorded"));
}

TEST_F(ProgramThreads, ThatFailEndTheRunWithASentence) {
    const Outcome thrown = run_body(
        "idle<<<1, nullptr, nullptr>>>(nullptr);\n"
        "std::thread other{[] { throw std::runtime_error{\"no tea\"}; }};\nother.join();",
        "--quiet 2>&1",
        "#include <stdexcept>\n");
    EXPECT_EQ(thrown.exit, 3) << thrown.output;
    EXPECT_THAT(thrown.output, HasSubstr("thread 1 of the host program ended with an exception: no tea"));
    const Outcome crashed = run_body(
        "idle<<<1, nullptr, nullptr>>>(nullptr);\n"
        "std::thread other{[] { *reinterpret_cast<volatile int*>(16) = 1; }};\nother.join();",
        "--quiet 2>&1");
    EXPECT_EQ(crashed.exit, 3) << crashed.output;
    EXPECT_THAT(crashed.output, HasSubstr("accessed address 0x10"));
    const Outcome left = run_body(
        "idle<<<1, nullptr, nullptr>>>(nullptr);\nstd::thread other{[] { std::exit(7); }};\nother.join();",
        "--quiet 2>&1");
    EXPECT_THAT(left.output, HasSubstr("exit code 7"));
}

/// A thread that processes callbacks until it is told to stop, subscribed to stream s.
constexpr const char* report_thread =
    "std::atomic<bool> stop{false};\nstd::atomic<int> code{0};\n"
    "std::thread reports{[&] {\n  aclrtSetDevice(0);\n  while (!stop) { code = aclrtProcessReport(100); "
    "}\n}};\n"
    "aclrtStream s;\naclrtCreateStream(&s);\n"
    "const uint64_t id = reports.native_handle();\n"
    "if (aclrtSubscribeReport(id, s) != 0) return 1;\n";

TEST_F(ProgramThreads, RunCallbacksWhenStreamsComeToThem) {
    const Outcome outcome = run_body(
        std::string{report_thread} +
            "void *h, *d;\naclrtMallocHost(&h, 256);\naclrtMalloc(&d, 256);\n"
            "for (int i = 0; i < 64; ++i) static_cast<float*>(h)[i] = 1;\n"
            "aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
            "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n"
            "aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
            // The callback sees what the copy has brought, and the copy behind it what the callback leaves.
            "aclrtLaunchCallback([](void* p) { auto* f = static_cast<float*>(p);\n"
            "  for (int i = 0; i < 64; ++i) f[i] *= 10; }, h, ACL_CALLBACK_BLOCK, s);\n"
            "aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
            "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 3.0F);\n"
            "if (static_cast<float*>(h)[5] != 1) return 2;\n"  // nothing of it yet
            "aclrtSynchronizeStream(s);\n"
            "aclrtMemcpy(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
            "if (static_cast<float*>(h)[5] != 23) return 3;\n"
            "stop = true;\nreports.join();\nif (aclrtUnSubscribeReport(id, s) != 0) return 4;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramThreads, LetTheStreamGoOnBesideCallbacksThatDoNotBlock) {
    const std::string body =
        std::string{report_thread} +
        "static std::atomic<int> ran{0};\n"
        "aclrtLaunchCallback([](void*) { "
        "std::this_thread::sleep_for(std::chrono::milliseconds{3}); ran = 1; }, "
        "nullptr, BLOCK, s);\nbusy<<<1, nullptr, s>>>(nullptr, 10);\n"
        "aclrtSynchronizeStream(s);\nconst int seen = ran;\nstop = true;\nreports.join();\n"
        "return seen == EXPECTED ? 0 : 2;";
    const auto with = [&](const std::string& block, const std::string& expected) {
        return run_body(
            body, "--quiet 2>&1", "#define BLOCK " + block + "\n#define EXPECTED " + expected + "\n");
    };
    const Outcome blocking = with("ACL_CALLBACK_BLOCK", "1");
    EXPECT_EQ(blocking.exit, 0) << blocking.output;
    const Outcome beside = with("ACL_CALLBACK_NO_BLOCK", "0");
    EXPECT_EQ(beside.exit, 0) << beside.output;
}

TEST_F(ProgramThreads, RunHostFunctionsOnAThreadOfTheRuntime) {
    const Outcome outcome = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\nstatic pthread_t who = pthread_self();\nstatic int runs = "
        "0;\n"
        "for (int i = 0; i < 3; ++i) {\n  busy<<<1, nullptr, s>>>(nullptr, 10);\n"
        "  if (aclrtLaunchHostFunc(s, [](void*) { runs += who != pthread_self(); }, nullptr) != 0) return "
        "1;\n}\n"
        "if (runs == 3) return 2;\naclrtSynchronizeStream(s);\nif (runs != 3) return 3;\n"
        "if (aclrtSubscribeReport(5, s) != 107011) return 4;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("a stream has one of both ways"));
}

TEST_F(ProgramThreads, ProcessTheirOwnCallbacksOnMain) {
    const Outcome outcome = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\nstatic int ran = 0;\n"
        "if (aclrtProcessReport(10) != 107012) return 1;\n"  // not subscribed
        "aclrtSubscribeReport(pthread_self(), s);\n"
        "if (aclrtProcessReport(0) != 100000) return 2;\n"
        "if (aclrtProcessReport(10) != 507012) return 3;\n"  // nothing comes
        "busy<<<1, nullptr, s>>>(nullptr, 10);\n"
        "aclrtLaunchCallback([](void*) { ++ran; }, nullptr, ACL_CALLBACK_BLOCK, s);\n"
        "if (aclrtProcessReport(10) != 0 || ran != 1) return 4;\n"
        "if (aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, s) != 107000) return 5;\n"
        "if (aclrtLaunchCallback([](void*) {}, nullptr, static_cast<aclrtCallbackBlockType>(7), s) != "
        "100000) "
        "return 6;\n"
        "if (aclrtSubscribeReport(pthread_self(), s) != 107011) return 7;\n"
        "if (aclrtUnSubscribeReport(1, s) != 107012) return 8;\n"
        "aclrtUnSubscribeReport(pthread_self(), s);\n"
        "if (aclrtUnSubscribeReport(pthread_self(), s) != 107011) return 9;\n"
        "if (aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, s) != 107015) return 10;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("no thread is subscribed to the stream; call aclrtSubscribeReport"));
}

TEST_F(ProgramThreads, AreToldOfACallbackThatNobodyProcesses) {
    const Outcome outcome = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\naclrtSubscribeReport(pthread_self(), s);\n"
        "idle<<<1, nullptr, s>>>(nullptr);\n"
        "aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, s);\naclrtSynchronizeStream(s);",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("(aclrtLaunchCallback) for the function of the host, which no thread has "
                          "run"));
}

TEST_F(ProgramThreads, GiveCoresToTheStreamOfTheHigherPriorityFirst) {
    // Both streams wait behind a kernel that holds all 40 vector cores of the chip; the one put there later
    // has the higher priority and its own turn first.
    const std::string body =
        "aclrtStream first, slow, quick;\naclrtCreateStream(&first);\n"
        "aclrtCreateStreamWithConfig(&slow, LATE, ACL_STREAM_FAST_LAUNCH);\n"
        "aclrtCreateStreamWithConfig(&quick, 1, ACL_STREAM_FAST_LAUNCH);\n"
        "uint32_t priority = 9;\naclrtStreamGetPriority(quick, &priority);\nif (priority != 1) return 1;\n"
        "int32_t least = 0, greatest = 9;\naclrtDeviceGetStreamPriorityRange(&least, &greatest);\n"
        "if (least != 7 || greatest != 0) return 2;\n"
        "aclrtEvent e[2];\naclrtCreateEvent(&e[0]);\naclrtCreateEvent(&e[1]);\n"
        "busy<<<40, nullptr, first>>>(nullptr, 3000);\nbusy<<<40, nullptr, slow>>>(nullptr, 500);\n"
        "busy<<<40, nullptr, quick>>>(nullptr, 500);\n"
        "aclrtRecordEvent(e[0], slow);\naclrtRecordEvent(e[1], quick);\naclrtSynchronizeDevice();\n"
        "float ms = 0;\naclrtEventElapsedTime(&ms, e[0], e[1]);\nreturn (ms < 0) == QUICK ? 0 : 3;";
    const auto with = [&](const std::string& late, const std::string& quick) {
        return run_body(
            body, "--quiet --chip 910b3 2>&1", "#define LATE " + late + "\n#define QUICK " + quick + "\n");
    };
    const Outcome lower = with("5", "true");
    EXPECT_EQ(lower.exit, 0) << lower.output;
    const Outcome higher = with("0", "false");
    EXPECT_EQ(higher.exit, 0) << higher.output;
    const Outcome beyond = with("11", "true");
    EXPECT_EQ(beyond.exit, 0) << beyond.output;
    EXPECT_THAT(beyond.output, HasSubstr("priority 11: there are priorities 0 to 7; the stream has 7"));
}

TEST_F(ProgramThreads, MayRunTwoKernelsInTheTimeOfOneOnCoresOfTheirOwn) {
    // Half of the 40 vector cores each, and no traffic: their code has been fetched before.
    const auto kernels = [&](const std::string& body) {
        const Outcome outcome = run_body(
            "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\n"
            "busy<<<40, nullptr, a>>>(nullptr, 1);\naclrtSynchronizeDevice();\n" +
                body + "aclrtSynchronizeDevice();",
            "--chip 910b3 --json - 2>/dev/null");
        EXPECT_EQ(outcome.exit, 0) << outcome.output;
        std::vector<double> times;
        const json figures = json::parse(outcome.output);
        for (const json& call : figures.at("program").at("timeline").at("calls")) {
            if (call.at("kind") == "compute") {
                times.push_back(call.at("contended_us").get<double>());
            }
        }
        return times;
    };
    const std::string first = "busy<<<20, nullptr, a>>>(nullptr, 2000);\n";
    const std::string second = "busy<<<20, nullptr, b>>>(nullptr, 2000);\n";
    const std::vector<double> alone = kernels(first);
    const std::vector<double> both = kernels(first + second);
    ASSERT_EQ(alone.size(), 2U);  // the first fetches the code
    ASSERT_EQ(both.size(), 3U);
    EXPECT_EQ(both[1], alone[1]);
    EXPECT_EQ(both[2], alone[1]);
}

TEST_F(ProgramThreads, SayWhatStreamsAndEventsAreNotFor) {
    const Outcome outcome = run_body(
        "aclrtStream s;\nif (aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT) != 207000) return 1;\n"
        "aclrtCreateStream(&s);\naclrtEvent timed, ex;\naclrtCreateEventWithFlag(&timed, "
        "ACL_EVENT_TIME_LINE);\n"
        "aclrtCreateEventExWithFlag(&ex, ACL_EVENT_SYNC);\nidle<<<1, nullptr, s>>>(nullptr);\n"
        "aclrtRecordEvent(timed, s);\nif (aclrtStreamWaitEvent(s, timed) != 207000) return 2;\n"
        "if (aclrtResetEvent(ex, s) != 207000) return 3;\naclrtEventStatus status;\n"
        "if (aclrtQueryEvent(ex, &status) != 207000) return 4;\n"
        "if (aclrtQueryEventStatus(ex, nullptr) != 107000) return 5;\n"
        "float ms = 0;\nif (aclrtEventElapsedTime(&ms, timed, ex) != 107006) return 6;\n"
        "aclrtStreamAttrValue value{};\nvalue.streamPriority = 8;\n"
        "if (aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_PRIORITY, &value) != 107000) return 7;\n"
        "value.streamPriority = 3;\naclrtSetStreamAttribute(s, ACL_STREAM_ATTR_PRIORITY, &value);\n"
        "uint32_t priority = 0;\naclrtStreamGetPriority(s, &priority);\nif (priority != 3) return 8;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramThreads, TakeAwayWhatAnAbortedStreamHasNotBegun) {
    const Outcome outcome = run_body(
        "aclrtStream a, b;\naclrtCreateStream(&a);\naclrtCreateStream(&b);\naclrtEvent "
        "e;\naclrtCreateEvent(&e);\n"
        "void *h, *d;\naclrtMallocHost(&h, 256);\naclrtMalloc(&d, 256);\nstd::memset(h, 0, 256);\n"
        "aclrtMemcpy(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE);\n"
        "aclrtStreamWaitEvent(a, e);\nadd_value<<<1, nullptr, a>>>((GM_ADDR)d, 1.0F);\n"
        "int code = 0;\nstd::thread other{[&] {\n  aclrtSetDevice(0);\n  code = "
        "aclrtSynchronizeStream(a);\n}};\n"
        "std::this_thread::sleep_for(std::chrono::milliseconds{1});\naclrtStreamAbort(a);\nother.join();\n"
        "if (code != 107023) return 1;\nadd_value<<<1, nullptr, a>>>((GM_ADDR)d, 2.0F);\n"
        "aclrtSynchronizeStream(a);\naclrtMemcpy(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "return static_cast<float*>(h)[0] == 2 ? 0 : 2;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

}  // namespace
}  // namespace ascendsim::cli
