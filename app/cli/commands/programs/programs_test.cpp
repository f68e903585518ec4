// SPDX-License-Identifier: Apache-2.0
// Host programs and kernel unit tests as `ascendsim run` takes them.
#include <filesystem>
#include <fstream>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"
#include "sim/process/subprocess.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HostPrograms : public SmallPrograms {
protected:
    fs::path examples = installation.root / "runtime" / "acl" / "examples";

    /// The body of a main, behind what programs have in common.
    void write(const std::string& name, const std::string& kernels, const std::string& body) const {
        std::ofstream{folder / name} << "#include \"acl/acl.h\"\n" + kernels + "\nint main() {\n" + body +
                                            "\n}\n";
    }

    void expect_failure(int exit, const std::string& program, const std::string& sentence) const {
        const Outcome outcome = run(program);
        EXPECT_EQ(outcome.exit, exit) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr(sentence));
    }
};

/// A kernel that works on no data.
constexpr const char* idle_kernel = "__global__ __aicore__ void idle(GM_ADDR x) {}\n";

TEST_F(HostPrograms, OfTimeAloneSayThatTheirOwnCheckFails) {
    const std::string words = "no numbers are computed: a check of results in the program itself fails";
    const Outcome timed = run(examples / "vector_add.cpp", "--quiet --timing-only -- 1024");
    EXPECT_THAT(timed.output, HasSubstr("ascendsim: only the time is simulated, " + words));
    EXPECT_THAT(run(examples / "vector_add.cpp", "--quiet -- 1024").output, Not(HasSubstr(words)));
}

TEST_F(HostPrograms, LaunchesATemplateKernelTwiceAndReadsSimulatedTime) {
    const Outcome outcome = run(examples / "vector_add.cpp", "--json - 2>program.txt -- 1024");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const auto json = nlohmann::json::parse(outcome.output);  // the program's own words are elsewhere
    EXPECT_EQ(json.at("program").at("exit_code"), 0);
    ASSERT_EQ(json.at("launches").size(), 2U);
    EXPECT_EQ(json["launches"][0]["name"], "add_vectors<T>");
    EXPECT_GE(json["launches"][1]["start"], json["launches"][0]["end"]);
    EXPECT_EQ(json["launches"][0]["cores"], 8);
    std::ifstream said{folder / "program.txt"};
    std::string line;
    std::getline(said, line);
    // Between the events lie the host's call, 5 us, the start of its work, 8 us
    // (models/hosts/kunpeng920.toml), and the kernel: cycles at 1.8 GHz.
    const double us =
        5 + 8 +
        (json["launches"][0]["end"].get<double>() - json["launches"][0]["start"].get<double>()) / 1800;
    EXPECT_EQ(line, fmt::format("float: 0 of 1024 wrong, {:.2f} us on Ascend910B3", us));
}

TEST_F(HostPrograms, LeaveStandardOutputToTheJsonWhereRunsAreBoundedToo) {
    const Outcome outcome = run(examples / "vector_add.cpp", "--timeout 500 --json - 2>program.txt -- 1024");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(nlohmann::json::parse(outcome.output).at("launches").size(), 2U);
    std::ifstream said{folder / "program.txt"};
    std::string line;
    std::getline(said, line);
    EXPECT_THAT(line, HasSubstr("float: 0 of 1024 wrong"));
}

TEST_F(HostPrograms, RunOnWholeCoresOfOlderChipsToo) {
    const Outcome outcome = run(examples / "vector_add.cpp", "--quiet --chip 310p3");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("float: 0 of 2048 wrong"));
    EXPECT_THAT(outcome.output, HasSubstr("on Ascend310P3"));
}

TEST_F(HostPrograms, LaunchAKernelOfAnotherFileByItsName) {
    const Outcome outcome = run(examples / "by_name.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "0 of 1024 wrong\n");
}

TEST_F(HostPrograms, RunUnitTestsWithGoogleTestsOwnMain) {
    const Outcome outcome = run(examples / "unit_test.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("[  PASSED  ] 3 tests."));
    const Outcome one = run(examples / "unit_test.cpp", "--quiet -- --gtest_filter=*Doubles");
    EXPECT_THAT(one.output, HasSubstr("[  PASSED  ] 1 test."));
}

TEST_F(HostPrograms, RunCubeAndVectorProgramsOfAMixedKernelTogether) {
    const Outcome outcome = run(examples / "mixed.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "0 of 512 wrong\n");
}

TEST_F(HostPrograms, LetAGroupOfCoresWaitForAnother) {
    const Outcome outcome = run(examples / "group_barrier.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "waiter 0: 11 then 1111\nwaiter 1: 11 then 1111\nwaiter 2: 11 then 1111\n");
}

TEST_F(HostPrograms, DumpWhatLiesAtAnAddress) {
    const std::string kernel =
        "#include \"utils/debug/asc_dump.h\"\n"
        "__global__ __vector__ void dump(GM_ADDR x) { asc_dump_gm<float>((__gm__ float*)x, 7, 3); }\n";
    write("dump.cpp",
          kernel,
          "float* x;\naclrtMalloc((void**)&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);\n"
          "const float host[3] = {1, 2.5, -4};\n"
          "aclrtMemcpy(x, 64, host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);\n"
          "dump<<<1, nullptr, nullptr>>>((GM_ADDR)x);\naclrtSynchronizeDevice();\nreturn 0;");
    const Outcome outcome = run("dump.cpp", "--quiet 2>&1");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("asc_dump 7, block 0: 1 2.5 -4"));
    const Outcome off = run("dump.cpp", "--quiet -D ASCENDC_DUMP=0 2>&1");
    EXPECT_EQ(off.exit, 0) << off.output;
    EXPECT_THAT(off.output, Not(HasSubstr("asc_dump")));
}

TEST_F(HostPrograms, PadRowsWithTheValueThatIsSet) {
    const Outcome outcome = run(examples / "pad_value.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "1, padded with 3 to 3\n1, padded with 5 to 5\n1, padded with 2 to 2\n");
}

TEST_F(HostPrograms, LetCoresWaitForEachOtherInEveryWay) {
    const Outcome outcome = run(examples / "core_sync.cpp", "--quiet --set run.sanitize=false");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    // Cores leave 1, 10, 100, ...; a digit that is missing is a core that was not waited for.
    EXPECT_THAT(outcome.output,
                StartsWith("flag of mode 0: 1111 1111 1111 1111\n"
                           "SyncAll: 1111 1111 1111 1111\n"
                           "SyncAll in memory: 1111 1111 1111 1111\n"
                           "SyncAll in memory, 3 of 5 blocks: 111 111 111\n"
                           "flag of mode 1: 11 11 1100 1100\n"
                           "SyncAll of all kinds: 111111 111111 111111 111111 111111 111111\n"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("nothing: 1111 1111 1111 1111")));
    // Of -5, -2, 1 and 4, on top of zeros.
    EXPECT_THAT(outcome.output, HasSubstr("sum -2, largest 4, smallest -5\n"));
}

TEST_F(HostPrograms, RunWhatTemplateLibrariesDo) {
    const Outcome outcome = run(examples / "library_patterns.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "0 of 1024 wrong\n");
}

TEST_F(HostPrograms, LaunchKernelsThatVariablesHoldOnTheCoresTheseState) {
    const Outcome outcome = run(examples / "held_kernel.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "2 6 10\n");
}

TEST_F(HostPrograms, PairSetsOfAFlagWithWaitsInTurnAndReportTwoInARow) {
    // A library sets a flag for its buffers, uses the same flag inside once, and waits for both at its end.
    write("twice.cpp",
          "#include <cstdio>\n__global__ __vector__ void twice(GM_ADDR x) {\n"
          "    using namespace AscendC;\n"
          "    SetFlag<HardEvent::V_MTE2>(0);\n"
          "    SetFlag<HardEvent::V_MTE2>(0);\n"
          "    WaitFlag<HardEvent::V_MTE2>(0);\n"
          "    WaitFlag<HardEvent::V_MTE2>(0);\n}\n",
          "twice<<<1, nullptr, nullptr>>>(nullptr);\nstd::puts(\"ran\");");
    const Outcome outcome = run("twice.cpp", "");
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_THAT(outcome.output, HasSubstr("ran"));
    EXPECT_THAT(outcome.output,
                HasSubstr("flag 0 from vector to mte2 is raised again before it was waited for"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("still up")));
}

TEST_F(HostPrograms, LetBlocksWaitForEachOtherThroughGlobalMemory) {
    // The hazard checker knows the chip's flags, not those that kernels make of memory.
    const Outcome outcome = run(examples / "token_ring.cpp", "--quiet");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    // 1 + 2 + ... + 6 = 21, in each way of waiting.
    EXPECT_EQ(outcome.output, "scalar reads: 21\nplain pointer: 21\ncopies: 21\nblock flags: 21\n");
}

TEST_F(HostPrograms, SayOnRequestThatLaunchesAreRewritten) {
    write("idle.cpp", idle_kernel, "idle<<<2, nullptr, nullptr>>>(nullptr);");
    EXPECT_THAT(run("idle.cpp", "--quiet --verbose").output,
                HasSubstr("1 launches written <<<…>>> were rewritten"));
    EXPECT_EQ(run("idle.cpp").output, "");
}

TEST_F(HostPrograms, PassOnTheirExitCode) {
    write("fails.cpp", idle_kernel, "idle<<<1, nullptr, nullptr>>>(nullptr);\nreturn 7;");
    expect_failure(1, "fails.cpp", "the program ended with exit code 7");
    write("exits.cpp", "#include <cstdlib>\n", "struct Nothing { ~Nothing() {} } nothing;\nstd::exit(9);");
    expect_failure(1, "exits.cpp", "the program ended with exit code 9");
}

TEST_F(HostPrograms, ThatGiveNoDeviceWorkAreRefused) {
    write("plain.cpp", "", "return 0;");
    const Outcome outcome = run("plain.cpp");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output,
                HasSubstr("plain.cpp: nothing was simulated: the program ended without launching a kernel"));
    write("skips.cpp",
          idle_kernel,
          "volatile bool ever = false;\nif (ever) idle<<<1, nullptr, nullptr>>>(nullptr);");
    EXPECT_THAT(run("skips.cpp").output, HasSubstr("skips.cpp: nothing was simulated"));
}

TEST_F(HostPrograms, ThatOnlyCopyAreTimed) {
    write("copies.cpp",
          "",
          "static char h[1 << 20];\nvoid* d;\naclrtMalloc(&d, sizeof h);\n"
          "return aclrtMemcpy(d, sizeof h, h, sizeof h, ACL_MEMCPY_HOST_TO_DEVICE);");
    const Outcome outcome = run("copies.cpp", " ");
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_THAT(outcome.output, HasSubstr("Program"));
    EXPECT_THAT(outcome.output, HasSubstr("aclrtMemcpy"));
}

TEST_F(HostPrograms, NameTheUsersLineWhereTheyDoNotCompile) {
    write("wrong.cpp", idle_kernel, "idle<<<1,\n nullptr, nullptr>>>(nullptr);\nundeclared();");
    const Outcome outcome = run("wrong.cpp");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("wrong.cpp:7:1: error: use of undeclared identifier 'undeclared'"));
}

TEST_F(HostPrograms, GetNullForHostMemoryAndFailWhereTheyUseIt) {
    const char* said = "argument 1 of kernel 'idle' is no address of device memory";
    write("host_memory.cpp", idle_kernel, "uint8_t x[64];\nidle<<<1, nullptr, nullptr>>>(x);");
    const Outcome unused = run("host_memory.cpp");
    EXPECT_EQ(unused.exit, 0) << unused.output;
    EXPECT_THAT(unused.output, HasSubstr(fmt::format("host_memory.cpp:6: {}", said)));
    write("host_memory_read.cpp",
          "__global__ __aicore__ void idle(GM_ADDR x) {\nAscendC::GlobalTensor<int32_t> all;\n"
          "all.SetGlobalBuffer((__gm__ int32_t*)x);\nif (all.GetValue(0) == 1) AscendC::Trap();\n}\n",
          "uint8_t x[64];\nidle<<<1, nullptr, nullptr>>>(x);");
    const Outcome used = run("host_memory_read.cpp");
    EXPECT_EQ(used.exit, 3) << used.output;
    EXPECT_THAT(used.output, HasSubstr(said));
    EXPECT_THAT(used.output, HasSubstr("host_memory_read.cpp:5"));
}

TEST_F(HostPrograms, RefuseCopiesThatDoNotFit) {
    write("copies.cpp",
          "__global__ __aicore__ void idle(GM_ADDR x) {}",
          "void* d = nullptr;\nchar h[64];\naclrtMalloc(&d, 64);\n"
          "if (aclrtMemcpy(d, 64, h, 128, ACL_MEMCPY_HOST_TO_DEVICE) != 107000) return 1;\n"
          "if (aclrtMemcpy(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_HOST) != 107000) return 2;\n"
          "if (aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0 || aclrtGetLastError(ACL_RT_THREAD_LEVEL) == "
          "0) return 4;\n"
          "if (aclrtGetLastError(ACL_RT_THREAD_LEVEL) != 0) return 5;\n"
          "if (aclGetRecentErrMsg() == nullptr || aclGetRecentErrMsg() != nullptr) return 3;\n"
          "if (aclrtFree(d) != 0 || aclrtFree(d) == 0) return 4;\n"
          "if (aclrtFreeHost(h) == 0) return 5;\nidle<<<1, nullptr, nullptr>>>(nullptr);");
    const Outcome outcome = run("copies.cpp", " ");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("copies.cpp:7: 128 bytes do not fit into 64"));
    EXPECT_THAT(outcome.output, HasSubstr("copies.cpp:8: the destination is device memory"));
    EXPECT_THAT(outcome.output, HasSubstr("was it freed before?"));
    EXPECT_THAT(outcome.output, HasSubstr("aclrtFreeHost: the address is none of aclrtMallocHost"));
}

TEST_F(HostPrograms, ReachTheBytesThatAclrtMallocAddsAndNoneBehind) {
    // 10 bytes, rounded up to 32, and 32 more: 16 entries.
    const std::string kernel =
        "__global__ __vector__ void look(GM_ADDR x, uint32_t at) {\nAscendC::GlobalTensor<int32_t> g;\n"
        "g.SetGlobalBuffer((__gm__ int32_t*)x);\nif (g.GetValue(at) == 1) AscendC::Trap();\n}\n";
    write("inside.cpp",
          kernel,
          "void* d = nullptr;\naclrtMalloc(&d, 10);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d, 15);");
    const Outcome inside = run("inside.cpp");
    EXPECT_THAT(inside.output, Not(HasSubstr("outside of every argument"))) << inside.output;
    write("behind.cpp",
          kernel,
          "void* d = nullptr;\naclrtMalloc(&d, 10);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d, 16);");
    // The chip reads what lies there: the run goes on, unless it is strict.
    const Outcome behind = run("behind.cpp", "");
    EXPECT_EQ(behind.exit, 3) << behind.output;
    EXPECT_THAT(behind.output,
                HasSubstr("out_of_range: scalar_load: reads 4 bytes of global memory outside of"));
    EXPECT_THAT(behind.output, Not(HasSubstr("stopped")));
    const Outcome strict = run("behind.cpp", "--quiet --strict");
    EXPECT_EQ(strict.exit, 3) << strict.output;
    EXPECT_THAT(strict.output, HasSubstr("outside of every argument"));
}

TEST_F(HostPrograms, GiveEachKernelTheCoresOfItsOwnCalls) {
    // One file, three kinds; none says which it is.
    write("kinds.cpp",
          "using namespace AscendC;\n"
          "__global__ __aicore__ void on_vector(GM_ADDR x) {\n"
          "    TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 256);\n    GlobalTensor<float> g;\n"
          "    g.SetGlobalBuffer((__gm__ float*)x);\n    DataCopy(b.Get<float>(), g, 64);\n}\n"
          "__global__ __aicore__ void on_cube(GM_ADDR x) {\n"
          "    LocalTensor<half> a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256);\n"
          "    LocalTensor<float> c(TPosition::CO1, 0, 256);\n"
          "    MmadParams p; p.m = p.n = p.k = 16; Mmad(c, a, b, p);\n}\n"
          "__global__ __aicore__ void on_both(GM_ADDR x) { on_vector(x); on_cube(x); }\n",
          "void* d = nullptr;\naclrtMalloc(&d, 1024);\nauto* p = (uint8_t*)d;\n"
          "on_vector<<<3, nullptr, nullptr>>>(p);\non_cube<<<2, nullptr, nullptr>>>(p);\n"
          "on_both<<<1, nullptr, nullptr>>>(p);\nreturn 0;");
    const Outcome outcome = run("kinds.cpp", "--json - 2>/dev/null");
    const auto launches = nlohmann::json::parse(outcome.output).at("launches");
    ASSERT_EQ(launches.size(), 3U);
    // Cores of one kind for each block; of the mixed kernel's block a cube core and two vector cores.
    EXPECT_EQ(launches[0].at("cores"), 3);
    EXPECT_EQ(launches[1].at("cores"), 2);
    EXPECT_EQ(launches[2].at("cores"), 3);
}

TEST_F(HostPrograms, MayKeepTablesOfTheirOwnInGlobalMemory) {
    write(
        "table.cpp",
        "static const __gm__ int32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n"
        "__global__ __vector__ void look(GM_ADDR z) {\n    using namespace AscendC;\n"
        "    TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 64);\n    LocalTensor<int32_t> t = b.Get<int32_t>();\n"
        "    GlobalTensor<int32_t> from, to;\n    from.SetGlobalBuffer((__gm__ int32_t*)table);\n"
        "    to.SetGlobalBuffer((__gm__ int32_t*)z);\n    DataCopy(t, from, 16);\n    "
        "PipeBarrier<PIPE_ALL>();\n"
        "    t.SetValue(0, from.GetValue(4) + table[5]);\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(to, t, "
        "16);\n}\n",
        "void* d = nullptr;\naclrtMalloc(&d, 64);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d);\nint32_t "
        "out[16];\n"
        "aclrtMemcpy(out, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn out[0] == 14 && out[3] == 1 && "
        "out[15] == 3 "
        "? 0 : 1;");
    const Outcome outcome = run("table.cpp", "");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(HostPrograms, MayFollowPointersMadeOfNumbersIntoTheUnifiedBuffer) {
    write(
        "numbers.cpp",
        "__global__ __vector__ void look(GM_ADDR z) {\n    auto* a = (__ubuf__ int32_t*)get_imm(0);\n"
        "    auto* b = reinterpret_cast<__ubuf__ int32_t*>(256);\n    for (int i = 0; i < 8; ++i) a[i] = i;\n"
        "    b[2] = a[3] + 40;\n    *(b + 3) = 5;\n    pipe_barrier(PIPE_ALL);\n"
        "    copy_ubuf_to_gm((__gm__ void*)z, b, 0, 1, 1, 0, 0);\n}\n",
        "void* d = nullptr;\naclrtMalloc(&d, 64);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d);\nint32_t "
        "out[8];\n"
        "aclrtMemcpy(out, 32, d, 32, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn out[2] == 43 && out[3] == 5 ? 0 : "
        "1;");
    const Outcome outcome = run("numbers.cpp", "--json - 2>/dev/null");
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("program").at("exit_code"), 0);
}

TEST_F(HostPrograms, MayClearAndCopyWhatPointersMadeOfNumbersLeadTo) {
    // Loops that the compiler makes blocks of: the second eight of b are cleared, the first eight copied to
    // c. The 100 bytes of f begin at no multiple of 100, and no element of f is copied to c.
    write(
        "blocks.cpp",
        "__global__ __vector__ void look(GM_ADDR z, int n) {\n"
        "    auto* b = reinterpret_cast<__ubuf__ half*>(256);\n"
        "    auto* c = reinterpret_cast<__ubuf__ half*>(512);\n"
        "    auto* f = reinterpret_cast<__ubuf__ float*>(768);\n    for (int i = 0; i < 25; ++i) f[i] = 0;\n"
        "    for (int i = 0; i < n - 8; ++i) c[i] = half(f[i]);\n"
        "    for (int i = 0; i < 16; ++i) b[i] = half(float(i));\n"
        "    for (int i = 0; i < n; ++i) b[n + i] = static_cast<half>(0);\n"
        "    for (int i = 0; i < n; ++i) c[i] = b[i];\n    for (int i = n; i < 16; ++i) c[i] = b[i];\n"
        "    pipe_barrier(PIPE_ALL);\n    copy_ubuf_to_gm((__gm__ void*)z, c, 0, 1, 1, 0, 0);\n}\n",
        "void* d = nullptr;\naclrtMalloc(&d, 64);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d, 8);\nuint16_t "
        "out[16];\naclrtMemcpy(out, 32, d, 32, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "return out[7] == 0x4700 && out[8] == 0 && out[15] == 0 ? 0 : 1;");  // 7 as half
    const Outcome outcome = run("blocks.cpp", "--json - 2>/dev/null");
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("program").at("exit_code"), 0);
}

TEST_F(HostPrograms, MayHandPointersMadeOfNumbersToFunctions) {
    // b[i] = i at 256, written by a function that is not inlined; of each i below 8 the pointer chosen is
    // into b, else into c at 512. So out[7] is 7 + 1, and c[8] = 8 + 1 stays behind what is copied.
    write("handed.cpp",
          "__attribute__((noinline)) __aicore__ void put(__ubuf__ int* to, int value) { *to = value; }\n"
          "__attribute__((noinline)) __aicore__ void both(__ubuf__ int* b, __ubuf__ int* c, int n) {\n"
          "    for (int i = 0; i < n; ++i) put(b + i, i);\n"
          "    for (int i = 0; i < n; ++i) *((i < 8 ? b : c) + i) = i + 1;\n}\n"
          "__global__ __vector__ void look(GM_ADDR z, int n) {\n"
          "    auto* b = reinterpret_cast<__ubuf__ int*>(256);\n"
          "    both(b, reinterpret_cast<__ubuf__ int*>(512), n);\n"
          "    pipe_barrier(PIPE_ALL);\n    copy_ubuf_to_gm((__gm__ void*)z, b, 0, 1, 2, 0, 0);\n}\n",
          "void* d = nullptr;\naclrtMalloc(&d, 64);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d, 16);\nint "
          "out[16];\naclrtMemcpy(out, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);\n"
          "return out[7] == 8 && out[8] == 8 && out[15] == 15 ? 0 : 1;");
    const Outcome outcome = run("handed.cpp", "--json - 2>/dev/null");
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("program").at("exit_code"), 0);
}

TEST_F(HostPrograms, MayStoreThroughPointersMadeOfNumbersOnSeveralWays) {
    // The optimiser makes one store of the three, which has no line: 3 becomes 30, 7 becomes 14, 5 becomes
    // -5.
    write("ways.cpp",
          "__aicore__ inline void put(__ubuf__ int* to, int i) {\n"
          "    if (i == 3) {\n        *to = 30;\n    } else if (i > 5) {\n        *to = i * 2;\n"
          "    } else {\n        *to = -i;\n    }\n}\n"
          "__global__ __vector__ void look(GM_ADDR z, int n) {\n"
          "    auto* b = reinterpret_cast<__ubuf__ int*>(256);\n"
          "    for (int i = 0; i < n; ++i) put(b + i, i);\n"
          "    pipe_barrier(PIPE_ALL);\n    copy_ubuf_to_gm((__gm__ void*)z, b, 0, 1, 2, 0, 0);\n}\n",
          "void* d = nullptr;\naclrtMalloc(&d, 64);\nlook<<<1, nullptr, nullptr>>>((uint8_t*)d, 16);\nint "
          "out[16];\naclrtMemcpy(out, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);\n"
          "return out[3] == 30 && out[7] == 14 && out[5] == -5 ? 0 : 1;");
    const Outcome outcome = run("ways.cpp", "--json - 2>/dev/null");
    const auto json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("program").at("exit_code"), 0);
}

TEST_F(HostPrograms, MayHandFreeingOnAsAFunction) {
    // As unique pointers of the libraries' examples do. The last call has the line in its words, 107000
    // is ACL_ERROR_RT_PARAM_INVALID, and 47 is the number of NCL in the vendor's list of formats.
    std::ofstream{folder / "freed.cpp"}
        << "#include <memory>\n#include \"acl/acl.h\"\nint main() {\n"
           "  aclrtSetDevice(0);\n  void* a = nullptr;\n  void* b = nullptr;\n"
           "  aclrtMalloc(&a, 64);\n  aclrtMalloc(&b, 64);\n"
           "  int zeros[16] = {};\n  aclrtMemcpy(a, 64, zeros, 64, ACL_MEMCPY_HOST_TO_DEVICE);\n"
           "  { std::unique_ptr<void, aclError (*)(void*)> one(a, aclrtFree);\n"
           "    std::unique_ptr<void, decltype(&aclrtFree)> two(b, &aclrtFree); }\n"
           "  return aclrtFree(a) == 107000 && ACL_FORMAT_NCL == 47 ? 0 : 1;\n}\n";
    const Outcome outcome = run("freed.cpp", "");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("freed.cpp:13"), std::string::npos) << outcome.output;
}

TEST_F(HostPrograms, FindWhatWasBuiltBefore) {
    write("built.cpp", idle_kernel, "idle<<<1, nullptr, nullptr>>>(nullptr);\nreturn 0;");
    fs::create_directories(folder / "inc" / "deep");
    // A number that no cache has seen: only the build before can know these passes.
    const std::string options =
        fmt::format("-I inc/deep/.. -D SEED={} --compile-flag=-Wno-unused", std::random_device{}());
    process::Subprocess built{{"sh",
                               "-c",
                               fmt::format("cd '{}' && '{}' build built.cpp {} --json built.json",
                                           folder.string(),
                                           (build / "bin" / "ascendsim").string(),
                                           options)}};
    EXPECT_EQ(built.wait(), 0) << built.output();
    const Outcome outcome = run("built.cpp", options + " --quiet --verbose");
    EXPECT_THAT(outcome.output, HasSubstr("; 0 of the passes were compiled"));
}

TEST_F(HostPrograms, FindHeadersOfLaunchesThatHeadersMake) {
    std::ofstream{folder / "start.h"} << "#include \"aclrtlaunch_fill.h\"\n"
                                         "inline void start(void* d) { aclrtlaunch_fill(1, nullptr, d); }\n";
    write("headers.cpp",
          "#include \"start.h\"\nextern \"C\" __global__ __aicore__ void fill(GM_ADDR x) { *(int*)x = 7; }\n",
          "void* d = nullptr;\naclrtMalloc(&d, 64);\nstart(d);\nint out = 0;\n"
          "aclrtMemcpy(&out, 4, d, 4, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn out == 7 ? 0 : 1;");
    const Outcome outcome = run("headers.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(HostPrograms, HaveTheHeadersOfLogsAndProfiles) {
    write("logs.cpp",
          "#include \"acl/acl_prof.h\"\n#include \"log/log.h\"\n#include \"rt.h\"\n#include "
          "\"toolchain/slog.h\"\n" +
              std::string{idle_kernel} +
              "int checked(const int* p) { OP_CHECK_IF(p == nullptr, OP_LOGE(\"op\", \"no %s\", \"p\"), "
              "return 2); return 0; }\n",
          "int64_t cores = 0, l2 = 0;\naclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &cores);\n"
          "aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &l2);\naclprofInit(\".\", 1);\n"
          "idle<<<1, nullptr, nullptr>>>(nullptr);\nrtStreamSynchronize(nullptr);\naclprofFinalize();\n"
          "return cores == 20 && l2 == 201326592 && checked(nullptr) == 2 ? 0 : 1;");  // 910B3: 192 MiB
    const Outcome outcome = run("logs.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("no p"));
}

TEST_F(HostPrograms, MayUseTheAttributesOfTheChipsCompiler) {
    write("attribute.cpp",
          "#ifndef __CCE__\n#error the chip's compiler defines it\n#endif\n"
          "#define SHARED __forceinline__[host, aicore]\nSHARED int twice(int x) { return 2 * x; }\n"
          "__global__ __vector__ void idle(GM_ADDR x) { if (twice(1) != 2) AscendC::Trap(); }\n",
          "idle<<<1, nullptr, nullptr>>>(nullptr);\nreturn twice(2) == 4 ? 0 : 1;");
    const Outcome outcome = run("attribute.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(HostPrograms, MayChooseBetweenFloatAndHalf) {
    write("choose.cpp",
          "template <class T> __aicore__ float pick(bool c, float a, T b) { return c ? a : (c ? b : a); }\n"
          "__global__ __vector__ void choose(GM_ADDR x) {\n    half h = 0.5;\n"
          "    *(float*)x = pick(true, 2.0f, h) + (x == nullptr ? 1.0f : h) + pick(false, 8, 4);\n}\n",
          "void* d = nullptr;\naclrtMalloc(&d, 64);\nchoose<<<1, nullptr, nullptr>>>((uint8_t*)d);\nfloat "
          "out = 0;\n"
          "aclrtMemcpy(&out, 4, d, 4, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn out == 10.5f ? 0 : 1;");
    const Outcome outcome = run("choose.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(HostPrograms, FindTheirOwnFileBesideTheirSource) {
    write("where.cpp",
          "#include <unistd.h>\n#include <string>\n" + std::string{idle_kernel},
          "char file[4096] = {};\nreadlink(\"/proc/self/exe\", file, sizeof(file) - 1);\n"
          "idle<<<1, nullptr, nullptr>>>(nullptr);\nconst std::string path{file};\n"
          "return path.ends_with(\"/HostPrograms.FindTheirOwnFileBesideTheirSource/where\") ? 0 : 1;");
    const Outcome outcome = run("where.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(HostPrograms, EndWhereALibraryOfTheirsExits) {
    std::ofstream{folder / "quits.c"} << "#include <stdlib.h>\nvoid quits(void) { exit(0); }\n";
    process::Subprocess library{
        {"sh", "-c", fmt::format("cd '{}' && clang -shared -fPIC quits.c -o libquits.so", folder.string())}};
    ASSERT_EQ(library.wait(), 0) << library.output();
    write("ends.cpp",
          std::string{idle_kernel} + "extern \"C\" void quits();\n",
          "idle<<<1, nullptr, nullptr>>>(nullptr);\nquits();\nreturn 5;");
    const std::string place = (folder / "libquits.so").string();
    const Outcome outcome = run("ends.cpp", fmt::format("--link={} --json - 2>/dev/null", place));
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_EQ(nlohmann::json::parse(outcome.output).at("launches").size(), 1U);
}

TEST_F(HostPrograms, MaySpecialiseOnGlobalMemory) {
    write("special.cpp",
          "template <class T> struct Place { static constexpr int value = 1; };\n"
          "template <class T> struct Place<T*> { static constexpr int value = 2; };\n"
          "template <class T> struct Place<__gm__ T*> { static constexpr int value = 3; };\n"
          "__global__ __vector__ void special(GM_ADDR x) {\n"
          "    AscendC::GlobalTensor<int32_t> g;\n    g.SetGlobalBuffer((__gm__ int32_t*)x);\n"
          "    g.SetValue(0, Place<__gm__ float*>::value * 10 + Place<float*>::value);\n}\n",
          "void* d = nullptr;\naclrtMalloc(&d, 64);\nspecial<<<1, nullptr, nullptr>>>((uint8_t*)d);\nint out "
          "= 0;\n"
          "aclrtMemcpy(&out, 4, d, 4, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn out == 32 ? 0 : 1;");
    const Outcome outcome = run("special.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(HostPrograms, SayWhereTheyCrash) {
    write("crash.cpp", "", "volatile int* p = nullptr;\n*p = 1;\nreturn 0;");
    expect_failure(3, "crash.cpp", "crash.cpp:5: it accessed address 0x0, a null pointer");
    write("crash.cpp", "", "volatile int* p = nullptr;\np[16] = 1;\nreturn 0;");
    expect_failure(3, "crash.cpp", "crash.cpp:5: it accessed address 0x40, an offset from a null pointer");
}

TEST_F(HostPrograms, EndWithTheKernelsFault) {
    write("fault.cpp",
          "__global__ __vector__ void far(GM_ADDR x) {\n    AscendC::GlobalTensor<float> g;\n"
          "    g.SetGlobalBuffer((__gm__ float*)x);\n    g.SetValue(1000, 1.0F);\n}\n",
          "void* d = nullptr;\naclrtMalloc(&d, 64);\nfar<<<1, nullptr, nullptr>>>((uint8_t*)d);\nreturn 0;");
    expect_failure(3, "fault.cpp", "scalar_store at");
    // The launch has not come back, but its time counts up to the fault: figures are about what ran.
    const Outcome outcome = run("fault.cpp", "--json - 2>/dev/null");
    EXPECT_GT(nlohmann::json::parse(outcome.output).at("cycles").get<std::uint64_t>(), 0U);
}

TEST_F(HostPrograms, AResultThatNobodyWroteIsNotedOnce) {
    write("ignores.cpp",
          "__global__ __vector__ void stores(GM_ADDR x, GM_ADDR y) { *(int*)x = 7; }\n",
          "void *x = nullptr, *y = nullptr, *z = nullptr;\nint word = 0;\n"
          "for (void** p : {&x, &y, &z}) aclrtMalloc(p, 64);\naclrtMemset(z, 64, 0, 64);\n"
          "aclrtMemcpy(&word, 4, y, 4, ACL_MEMCPY_DEVICE_TO_HOST);\n"  // before any kernel: not a result
          "stores<<<1, nullptr, nullptr>>>((uint8_t*)x, (uint8_t*)y);\n"
          "for (void* p : {x, y, z, y}) aclrtMemcpy(&word, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn 0;");
    const Outcome outcome = run("ignores.cpp", "--json 2>/dev/null");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const auto hazards = nlohmann::json::parse(outcome.output).at("hazards");
    ASSERT_EQ(hazards.size(), 1U) << hazards;
    EXPECT_EQ(hazards[0].at("kind"), "copied_unwritten");
    EXPECT_THAT(hazards[0].at("message"), HasSubstr("'memory 2 of ignores.cpp:"));
}

TEST_F(HostPrograms, PartsOfAResultAreLookedAtWhereTheyLie) {
    // Of 512 bytes, 356 are written: the first 128 and the last 256 without its last 28, which pad it.
    write("parts.cpp",
          "__global__ __vector__ void stores(GM_ADDR x) {\n    auto* words = (int*)x;\n"
          "    for (int i = 0; i < 121; ++i) if (i < 32 || i >= 64) words[i] = i;\n}\n",
          "uint8_t* x = nullptr;\nchar h[512] = {};\naclrtMalloc((void**)&x, 512);\n"
          "stores<<<1, nullptr, nullptr>>>(x);\naclrtSynchronizeDevice();\n"
          "aclrtMemcpy(h, 256, x + 256, 256, ACL_MEMCPY_DEVICE_TO_HOST);\n"
          "aclrtMemcpy(h, 132, x, 132, ACL_MEMCPY_DEVICE_TO_HOST);\nreturn 0;");
    const Outcome outcome = run("parts.cpp", "--json 2>/dev/null");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    const auto hazards = nlohmann::json::parse(outcome.output).at("hazards");
    ASSERT_EQ(hazards.size(), 1U) << hazards;
    EXPECT_THAT(hazards[0].at("message"),
                HasSubstr("4 of its 132 bytes were never written, the first at byte 128"));
}

TEST_F(HostPrograms, WantAMain) {
    std::ofstream{folder / "none.cpp"} << "void f();\n";
    std::ofstream{folder / "none.toml"} << "[scenario]\nsource = \"none.cpp\"\n[program]\n";
    expect_failure(2, "none.toml", "none of the program's files has a main");
}

}  // namespace
}  // namespace ascendsim::cli
