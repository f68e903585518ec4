// SPDX-License-Identifier: Apache-2.0
// Threads of host programs that wait by looking again and again, and until a time: in simulated time alone.
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ProgramWaits : public SmallPrograms {
protected:
    [[nodiscard]] std::string bytes_of(const std::string& recording) const {
        std::ifstream file{folder / recording, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }
};

/// Before a main: a pointer that may be waited for by looking at it.
constexpr const char* headers =
    "#include <chrono>\n#include <semaphore.h>\n#include <shared_mutex>\n#include <pthread.h>\n"
    "#include <sys/time.h>\n#include <time.h>\n";

TEST_F(ProgramWaits, LoopsThatLookAtAtomicsGoOnWhenOthersChangeThem) {
    const std::string body =
        "std::atomic<int> stage{0};\nstd::atomic_flag held = ATOMIC_FLAG_INIT;\nint sum = 0;\n"
        "volatile bool over = false;\n"
        "const auto add = [&](int value) {\n  while (held.test_and_set(std::memory_order_acquire)) {}\n"
        "  sum += value;\n  held.clear(std::memory_order_release);\n};\n"
        "std::thread other{[&] {\n  aclrtSetDevice(0);\n  aclrtStream s;\n  aclrtCreateStream(&s);\n"
        "  busy<<<1, nullptr, s>>>(nullptr, 50);\n  aclrtSynchronizeStream(s);\n  stage.store(1);\n"
        "  while (stage.load() != 2) {}\n  for (int i = 0; i < 1000; ++i) add(1);\n"
        "  std::this_thread::sleep_for(std::chrono::milliseconds{3});\n  over = true;\n}};\n"
        "while (stage.load(std::memory_order_acquire) == 0) {}\nstage = 2;\n"
        "for (int i = 0; i < 1000; ++i) add(1);\nwhile (!over) {}\nother.join();\n"
        "if (sum != 2000) return 1;\nidle<<<1, nullptr, nullptr>>>(nullptr);\naclrtSynchronizeDevice();";
    const Outcome outcome = run_body(body, "--json - 2>/dev/null", headers);
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    // Main goes on at the time of the other thread, which has slept for 3 ms.
    const double total = json::parse(outcome.output).at("program").at("timeline").at("total_us");
    EXPECT_GT(total, 3000);
    EXPECT_LT(total, 3200);
    const std::string first = bytes_of("run.rec");
    ASSERT_EQ(run_body(body, "--quiet", headers).exit, 0);
    EXPECT_TRUE(bytes_of("run.rec") == first);
}

TEST_F(ProgramWaits, AWaitByLookingTakesAsLongAsWhatIsWaitedFor) {
    // Looking at two values, in a function that is not part of the loop, and with a count of the rounds.
    const std::string body =
        "std::atomic<bool> a{false}, b{false};\nstd::atomic<long> rounds{0};\n"
        "std::thread one{[&] {\n  std::this_thread::sleep_for(std::chrono::milliseconds{1});\n  b = true;\n"
        "  std::this_thread::sleep_for(std::chrono::milliseconds{1});\n  a = true;\n}};\n"
        "const auto start = std::chrono::steady_clock::now();\n"
        "const auto ms = [&] { return std::chrono::duration<double, std::milli>("
        "std::chrono::steady_clock::now() - start).count(); };\n"
        "while (!a.load() && !b.load()) {}\nconst double first = ms();\n"
        "while (!looked(a)) { ++rounds; }\nconst double second = ms();\none.join();\n"
        "std::printf(\"%.3f %.3f\\n\", first, second);\n"
        "idle<<<1, nullptr, nullptr>>>(nullptr);\naclrtSynchronizeDevice();\n"
        "return first > 0.99 && first < 1.01 && second > 1.99 && second < 2.5 && rounds > 0 ? 0 : 1;";
    const Outcome outcome =
        run_body(body,
                 "--quiet 2>&1",
                 std::string{headers} +
                     "[[gnu::noinline]] bool looked(std::atomic<bool>& value) { return value.load(); }\n");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramWaits, ALoopThatNobodyEndsIsADeadlock) {
    const std::string start = "idle<<<1, nullptr, nullptr>>>(nullptr);\nstd::atomic<bool> never{false};\n";
    const Outcome both = run_body(
        start + "std::thread other{[&] { while (!never.load()) {} }};\nother.join();", "--quiet 2>&1");
    EXPECT_EQ(both.exit, 3) << both.output;
    EXPECT_THAT(both.output, HasSubstr("deadlock: no thread of the host program can go on"));
    EXPECT_THAT(both.output,
                HasSubstr("thread 1 waits in a loop for a shared value that another thread changes"));
    const Outcome alone = run_body(start + "while (!never.load()) {}", "--quiet 2>&1");
    EXPECT_EQ(alone.exit, 3) << alone.output;
    EXPECT_THAT(alone.output, HasSubstr("the host program has one thread, and main waits in a loop"));
    const Outcome yields = run_body(
        start + "std::thread other{[] {}};\nother.join();\nwhile (!never.load()) std::this_thread::yield();",
        "--quiet 2>&1");
    EXPECT_EQ(yields.exit, 3) << yields.output;
    EXPECT_THAT(yields.output,
                HasSubstr("main asks again and again for something that no one is left to change"));
    const Outcome locked = run_body(start + "std::mutex m;\nm.lock();\nm.lock();", "--quiet 2>&1");
    EXPECT_EQ(locked.exit, 3) << locked.output;
    EXPECT_THAT(locked.output, HasSubstr("the host program has one thread, and main waits to lock a mutex"));
}

TEST_F(ProgramWaits, ALoopMayWaitForWhatACopyBrings) {
    const Outcome outcome = run_body(
        "aclrtStream s, t;\naclrtCreateStream(&s);\naclrtCreateStream(&t);\nvoid *h, *d;\n"
        "aclrtMallocHost(&h, 256);\naclrtMalloc(&d, 256);\nstd::memset(h, 0, 256);\n"
        "aclrtMemcpyAsync(d, 256, h, 256, ACL_MEMCPY_HOST_TO_DEVICE, s);\n"
        "add_value<<<1, nullptr, s>>>((GM_ADDR)d, 1.0F);\n"
        "aclrtMemcpyAsync(h, 256, d, 256, ACL_MEMCPY_DEVICE_TO_HOST, s);\n"
        "while (static_cast<volatile float*>(h)[0] == 0) {}\n"
        "return static_cast<float*>(h)[63] == 1 ? 0 : 1;",
        "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramWaits, TimedWaitsTakeSimulatedTimeAlone) {
    const std::string body =
        "std::mutex m;\nstd::condition_variable c;\nstd::timed_mutex held;\nstd::shared_timed_mutex shared;\n"
        "sem_t sem;\nsem_init(&sem, 0, 0);\nusing std::chrono::milliseconds;\n"
        "using Clock = std::chrono::steady_clock;\nauto start = Clock::now();\n"
        "const auto took = [&](double ms) {\n"
        "  const double got = std::chrono::duration<double, std::milli>(Clock::now() - start).count();\n"
        "  start = Clock::now();\n  std::printf(\"%.3f of %.3f\\n\", got, ms);\n"
        "  return got > ms - 0.001 && got < ms + 0.01;\n};\n"
        "std::thread other{[&] {\n  held.lock();\n  shared.lock();\n"
        // A wake up in the middle that says nothing.
        "  for (int i = 0; i < 3; ++i) { std::this_thread::sleep_for(milliseconds{1}); c.notify_all(); }\n"
        "  std::this_thread::sleep_for(milliseconds{200});\n}};\n"
        "{\n  std::unique_lock<std::mutex> lock{m};\n"
        "  if (c.wait_for(lock, milliseconds{10}, [] { return false; })) return 1;\n}\n"
        "if (!took(10)) return 2;\n"
        "if (held.try_lock_for(milliseconds{7}) || !took(7)) return 3;\n"
        "if (shared.try_lock_shared_for(milliseconds{5}) || !took(5)) return 4;\n"
        "if (shared.try_lock_for(milliseconds{5}) || !took(5)) return 5;\n"
        "timespec at;\nclock_gettime(CLOCK_REALTIME, &at);\nat.tv_nsec += 4000000;\n"
        "if (sem_timedwait(&sem, &at) != -1 || errno != ETIMEDOUT || !took(4)) return 6;\n"
        "clock_gettime(CLOCK_REALTIME, &at);\nat.tv_nsec += 3000000;\n"
        "if (pthread_timedjoin_np(other.native_handle(), nullptr, &at) != ETIMEDOUT || !took(3)) return 7;\n"
        "if (pthread_tryjoin_np(other.native_handle(), nullptr) != EBUSY || !took(0)) return 8;\n"
        "std::promise<int> p;\nauto f = p.get_future();\n"
        "if (f.wait_for(milliseconds{2}) != std::future_status::timeout || !took(2)) return 9;\n"
        "const auto until = Clock::now() + milliseconds{1};\nwhile (Clock::now() < until) {}\n"
        "if (!took(1)) return 10;\ntimeval tv;\ngettimeofday(&tv, nullptr);\n"
        "if (tv.tv_sec != 1767225600 || time(nullptr) != 1767225600) return 11;\n"
        "other.join();\nidle<<<1, nullptr, nullptr>>>(nullptr);\naclrtSynchronizeDevice();";
    const Outcome outcome = run_body(body, "--quiet 2>&1", headers);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const std::string first = bytes_of("run.rec");
    ASSERT_EQ(run_body(body, "--quiet", headers).exit, 0);
    EXPECT_TRUE(bytes_of("run.rec") == first);
}

TEST_F(ProgramWaits, WhatIsDoneOnceIsWaitedFor) {
    const std::string before =
        std::string{headers} +
        "struct Slow {\n  Slow() { std::this_thread::sleep_for(std::chrono::milliseconds{5}); value = 3; }\n"
        "  int value = 0;\n};\n"
        "int slow() {\n  static Slow one;\n  return one.value;\n}\n";
    const Outcome outcome = run_body(
        "pthread_spinlock_t spin;\npthread_spin_init(&spin, 0);\nstd::once_flag once;\nint sum = 0, set = "
        "0;\n"
        "const auto work = [&] {\n  const int value = slow();\n"
        "  std::call_once(once, [&] { std::this_thread::sleep_for(std::chrono::milliseconds{2}); set = 1; "
        "});\n"
        "  pthread_spin_lock(&spin);\n  const int old = sum;\n"
        "  std::this_thread::sleep_for(std::chrono::milliseconds{1});\n  sum = old + value + set;\n"
        "  pthread_spin_unlock(&spin);\n};\n"
        "std::vector<std::thread> all;\nfor (int i = 0; i < 4; ++i) all.emplace_back(work);\n"
        "for (auto& one : all) one.join();\nidle<<<1, nullptr, nullptr>>>(nullptr);\n"
        "return sum == 16 ? 0 : sum;",
        "--quiet 2>&1",
        before);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(ProgramWaits, AProgramMeasuresTheSimulatedHost) {
    // A launch takes 5 us of the host's thread (models/hosts), whatever it takes here.
    const Outcome outcome = run_body(
        "aclrtStream s;\naclrtCreateStream(&s);\nidle<<<1, nullptr, s>>>(nullptr);\n"
        "aclrtSynchronizeStream(s);\nconst auto start = std::chrono::high_resolution_clock::now();\n"
        "for (int i = 0; i < 100; ++i) idle<<<1, nullptr, s>>>(nullptr);\n"
        "const double us = std::chrono::duration<double, std::micro>("
        "std::chrono::high_resolution_clock::now() - start).count();\n"
        "std::printf(\"%.3f\\n\", us);\naclrtSynchronizeStream(s);\n"
        "return us > 499 && us < 501 ? 0 : 1;",
        "--quiet 2>&1",
        headers);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

}  // namespace
}  // namespace ascendsim::cli
