// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/words/buffer_names.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "sim/process/temporary_folder.hpp"

namespace ascendsim::sanitize {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BufferNames, AreTheFirstArgumentsOfTheCallsInTheLine) {
    constexpr std::string_view source =
        "void Init() {\n"
        "    pipe.InitBuffer(tmpBuf, 256);\n"
        "    pipe->InitBuffer(this->in[index(0, 1)], 2, 128); pipe->InitBuffer( out , 2, 128);\n"
        "    pipe.InitBuffer(  // not (this, one)\n"
        "        work,\n"
        "        size * sizeof(float));\n"
        "    pipe\n"
        "        .InitBuffer(last, 32);\n"
        "    Other(tmpBuf);\n"
        "    pipe.InitBuffer(next, 32);\n"
        "}\n";
    EXPECT_THAT(buffer_names(source, 2), ElementsAre("tmpBuf"));
    EXPECT_THAT(buffer_names(source, 3), ElementsAre("in[index(0, 1)]", "out"));
    EXPECT_THAT(buffer_names(source, 4), ElementsAre("work"));
    EXPECT_THAT(buffer_names(source, 7), ElementsAre("last"));
    EXPECT_THAT(buffer_names(source, 9), IsEmpty());
    EXPECT_THAT(buffer_names(source, 0), IsEmpty());
    EXPECT_THAT(buffer_names(source, 99), IsEmpty());
    EXPECT_THAT(buffer_names("pipe.InitBuffer(cut", 1), IsEmpty());
}

TEST(BufferNames, NameAllOfALineAndNoneOfAFileThatIsNotThere) {
    const process::TemporaryFolder folder;
    const std::string path = (folder.path() / "k.cpp").string();
    std::ofstream{path} << "InitBuffer(a, 32); InitBuffer(b, 32);\n";
    BufferNames names;
    EXPECT_EQ(names.at({path.c_str(), 1}), "a or b");
    EXPECT_EQ(names.at({path.c_str(), 2}), "");
    EXPECT_EQ(names.at({"/no/such/file.cpp", 1}), "");
}

}  // namespace

}  // namespace ascendsim::sanitize
