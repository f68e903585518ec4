// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/own_code_build.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "sim/process/temporary_folder.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;

class OwnSources : public ::testing::Test {
protected:
    process::TemporaryFolder temporary;
    fs::path folder = temporary.path();

    fs::path write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
        return folder / name;
    }
};

TEST_F(OwnSources, AreThoseThatDefineAFirstPhase) {
    const fs::path grow = write("scale/op_api/aclnn_grow.cpp",
                                "extern int aclnnInnerGrowGetWorkspaceSize(int);\n"
                                "int aclnnGrowGetWorkspaceSize(int (*with)(int), int level)\n{\n"
                                "    return aclnnInnerGrowGetWorkspaceSize(level); }\n");
    write("scale/tests/aclnn_grow.cpp", "int aclnnGrowGetWorkspaceSize() {}\n");
    write("scale/op_api/arch35/aclnn_grow.cpp", "int aclnnGrowGetWorkspaceSize() {}\n");
    EXPECT_THAT(own_sources(folder), ElementsAre(Pair("aclnnGrow", grow)));
    EXPECT_THAT(inner_functions(grow), ElementsAre("aclnnInnerGrow"));
}

}  // namespace
}  // namespace ascendsim::toolchain
