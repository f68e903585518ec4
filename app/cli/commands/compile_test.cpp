// SPDX-License-Identifier: Apache-2.0
// `ascendsim compile`: what it says of kernels, programs and files that are wrong.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

struct Outcome {
    int exit = 0;
    std::string output;
};

class CompileCommandLine : public testing::Test {
protected:
    fs::path build = toolchain::Installation::find().libraries.parent_path();
    fs::path folder =
        build / "test_cache" / "compile" / testing::UnitTest::GetInstance()->current_test_info()->name();

    void SetUp() override {
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream{folder / name} << text;
    }

    [[nodiscard]] Outcome compile(const std::string& words) const {
        process::Subprocess process{{"sh",
                                     "-c",
                                     fmt::format("cd '{}' && '{}' compile {}",
                                                 folder.string(),
                                                 (build / "bin" / "ascendsim").string(),
                                                 words)}};
        const int exit = process.wait();
        return {exit, process.output()};
    }
};

// A sample as tutorials have it: a kernel whose size comes from CMake, launched by a function in its own
// file.
constexpr const char* sample =
    "#include \"acl/acl.h\"\n#include \"kernel_operator.h\"\n"
    "extern \"C\" __global__ __aicore__ void scale(GM_ADDR x) {\n"
    "    AscendC::GlobalTensor<float> values;\n    values.SetGlobalBuffer((__gm__ float*)x, TILE);\n}\n"
    "extern \"C\" void scale_do(uint32_t blocks, aclrtStream stream, uint8_t* x) {\n"
    "    scale<<<blocks, nullptr, stream>>>(x);\n}\n";

TEST_F(CompileCommandLine, TellsWhatCompilesAndTheFirstErrorOfWhatDoesNot) {
    write("CMakeLists.txt",
          "set(TILE 32)\nadd_library(k scale.cpp)\ntarget_compile_definitions(k PRIVATE TILE=${TILE})\n");
    write("scale.cpp", sample);
    write("wrong.cpp",
          "#include \"kernel_operator.h\"\nextern \"C\" __global__ __cube__ void wrong(GM_ADDR x) {\n"
          "    AscendC::NoSuchCall(x);\n    AscendC::NorThis(x);\n}\n");
    write("program.cpp", "#include \"acl/acl.h\"\nint main() { return aclInit(nullptr); }\n");
    const Outcome outcome = compile("scale.cpp wrong.cpp program.cpp missing.cpp --json -");
    EXPECT_EQ(outcome.exit, 2);
    const nlohmann::json all = nlohmann::json::parse(outcome.output).at("sources");
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0]["compiles"], true) << all[0]["error"];
    EXPECT_EQ(all[0]["cores"], nlohmann::json::array({"aiv"}));
    EXPECT_EQ(all[1]["compiles"], false);
    EXPECT_EQ(all[1]["cores"], nlohmann::json::array({"aic"}));
    EXPECT_THAT(std::string{all[1]["error"]}, HasSubstr("wrong.cpp:3:14: error: no type named 'NoSuchCall'"));
    EXPECT_EQ(all[2]["kind"], "program");
    EXPECT_EQ(all[2]["compiles"], true) << all[2]["error"];
    EXPECT_THAT(std::string{all[3]["error"]}, HasSubstr("missing.cpp: no such source"));
}

TEST_F(CompileCommandLine, TakesOneWordBehindEachDefinition) {
    write("scale.cpp", sample);
    const Outcome outcome = compile("-D TILE=64 scale.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, EndsWith("1 of 1 compile\n"));
}

}  // namespace
}  // namespace ascendsim::cli
