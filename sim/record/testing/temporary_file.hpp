// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ascendsim::record::testing {

/// A file name in the temporary folder that is of this test alone; the file goes when this does.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& ending = ".rec") {
        const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() /
                (std::string{"ascendsim_"} + info->test_suite_name() + "_" + info->name() + "_" +
                 std::to_string(::getpid()) + ending);
    }

    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    [[nodiscard]] std::string contents() const {
        std::ifstream file{path_, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    void write(const std::string& bytes) const { std::ofstream{path_, std::ios::binary} << bytes; }

private:
    std::filesystem::path path_;
};

}  // namespace ascendsim::record::testing
