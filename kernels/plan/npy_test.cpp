// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/npy.hpp"

#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "kernels/plan/element.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;
using testing::HasSubstr;

class NpyFile : public testing::Test {
protected:
    std::filesystem::path file =
        std::filesystem::path{testing::TempDir()} /
        (std::string{testing::UnitTest::GetInstance()->current_test_info()->name()} + ".npy");

    void TearDown() override { std::filesystem::remove(file); }

    void write(const std::string& text) const { std::ofstream{file, std::ios::binary} << text; }

    [[nodiscard]] std::string error() const {
        try {
            static_cast<void>(read_npy(file, "x"));
        } catch (const UserError& thrown) {
            return thrown.what();
        }
        return "no error";
    }
};

std::string with_header(std::string header, std::size_t data_bytes) {
    header += '\n';
    return std::string{"\x93NUMPY\x01\x00", 8} + static_cast<char>(header.size()) + '\0' + header +
           std::string(data_bytes, 'a');
}

TEST_F(NpyFile, ReadsBackEveryTypeItWrites) {
    for (const DataType type : {DataType::int8,
                                DataType::uint8,
                                DataType::int16,
                                DataType::uint16,
                                DataType::int32,
                                DataType::uint32,
                                DataType::int64,
                                DataType::uint64,
                                DataType::half,
                                DataType::bfloat16,
                                DataType::float32,
                                DataType::float64,
                                DataType::boolean}) {
        std::vector<std::byte> bytes(isa::bytes_of(type, 6));
        for (std::uint64_t i = 0; i < 6; ++i) {
            write_element(type, bytes, i, static_cast<double>(i % 2));
        }
        write_npy(file, type, {2, 3}, bytes);
        const NpyArray array = read_npy(file);
        EXPECT_EQ(array.type, type);
        EXPECT_EQ(array.shape, (Shape{2, 3}));
        EXPECT_EQ(array.bytes, bytes);
        EXPECT_EQ(std::filesystem::file_size(file) % 64,
                  isa::bytes_of(type, 6) % 64);  // the header is padded to 64
    }
}

TEST_F(NpyFile, KeepsScalarsVectorsAndEmptyTensors) {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{0, 7}}) {
        write_npy(file, DataType::float32, shape, std::vector<std::byte>(4 * elements(shape)));
        EXPECT_EQ(read_npy(file).shape, shape);
    }
}

TEST_F(NpyFile, RefusesWhatItCannotRead) {
    EXPECT_THAT(error(), HasSubstr("x: "));
    EXPECT_THAT(error(), HasSubstr("no such file"));
    write("hello");
    EXPECT_THAT(error(), HasSubstr("not a .npy file"));
    write(with_header("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4));
    EXPECT_THAT(error(), HasSubstr("'>f4'"));
    write(with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", 4));
    EXPECT_THAT(error(), HasSubstr("ascontiguousarray"));
    write(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 4));
    EXPECT_THAT(error(), HasSubstr("takes 8 bytes, the file holds 4"));
    write(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", 4));
    EXPECT_THAT(error(), HasSubstr("too large"));
    write(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4));
    EXPECT_THAT(error(), HasSubstr("'-' in its shape"));
    write(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1L,), }",
                      4));  // as Python 2 wrote it
    EXPECT_EQ(error(), "no error");
}

TEST_F(NpyFile, DoesNotWaitForAPipe) {
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_THAT(error(), HasSubstr("not a file"));
}

TEST_F(NpyFile, SurvivesAnyDamage) {
    std::mt19937 random{7};
    const std::string good = with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    for (int round = 0; round < 3000; ++round) {
        std::string bad = good.substr(0, random() % good.size() + 1);
        for (unsigned flips = random() % 4; flips > 0; --flips) {
            bad[random() % bad.size()] = static_cast<char>(random());
        }
        try {
            const NpyArray array = parse_npy(std::as_bytes(std::span{bad}), "fuzz");
            EXPECT_EQ(array.bytes.size(), isa::bytes_of(array.type, elements(array.shape)));
        } catch (const UserError&) {
        }
    }
}

}  // namespace
}  // namespace ascendsim::host
