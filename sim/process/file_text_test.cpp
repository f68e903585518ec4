// SPDX-License-Identifier: Apache-2.0
#include "sim/process/file_text.hpp"

#include <fstream>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

namespace fs = std::filesystem;

class FileText : public testing::Test {
protected:
    FileText() { fs::create_directories(folder_); }

    ~FileText() override { fs::remove_all(folder_); }

    fs::path file(const std::string& content) const {
        std::ofstream{folder_ / "text", std::ios::binary} << content;
        return folder_ / "text";
    }

    fs::path folder_ = fs::path{testing::TempDir()} / ("file_text-" + std::to_string(getpid()));
};

TEST_F(FileText, IsGivenToTheByte) {
    const std::string content{"a\r\n\0b\xFF\n", 7};
    EXPECT_EQ(text_of(file(content)), content);
    EXPECT_EQ(read_text(file(content)), content);
}

TEST_F(FileText, OfAnEmptyFileIsEmptyAndNoError) {
    EXPECT_EQ(text_of(file("")), "");
    EXPECT_EQ(read_text(file("")), "");
}

TEST_F(FileText, OfWhatCannotBeReadIsEmptyOrAnErrorThatNamesIt) {
    for (const auto& [wrong, why] :
         {std::pair{folder_ / "missing", "no such file"}, {folder_, "not a file"}}) {
        EXPECT_EQ(text_of(wrong), "") << wrong;
        try {
            static_cast<void>(read_text(wrong));
            ADD_FAILURE() << wrong << " was read";
        } catch (const UserError& error) {
            EXPECT_TRUE(std::string_view{error.what()}.starts_with(wrong.string() + ": " + why))
                << error.what();
        }
    }
}

}  // namespace
}  // namespace ascendsim::process
