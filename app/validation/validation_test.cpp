// SPDX-License-Identifier: Apache-2.0
#include "app/validation/validation.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "app/validation/report.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

using nlohmann::ordered_json;

/// A file of measurements that goes away with it.
class DataFile {
public:
    explicit DataFile(const std::string& rows) {
        std::ofstream{path_}
            << "id,source,chip,kernel,shape,dtype,metric,value,unit,cores,notes,reliability\n"
            << rows;
    }

    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    ~DataFile() { std::filesystem::remove(path_); }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() /
        ("ascendsim-validation-" +
         std::string{::testing::UnitTest::GetInstance()->current_test_info()->name()} + ".csv");
};

constexpr const char* rows =
    "GEMM-900,a library,910B2,MatMul,M64 N64 K64,fp16,kernel_time,2,us,n/s,,high\n"
    "GEMM-900.1,a library,910B2,MatMul,M64 N64 K64,fp16,aic_mte2_time,1,us,n/s,breakdown,high\n"
    "GEMM-901,a library,Ascend 910B2,aclnnMatmul,64x64; 64x64,float16,task_duration,0.002,ms,n/s,,high\n"
    "XYZ-1,a library,910B1,frobnicate,8x8,fp16,kernel_time,3,us,n/s,,high\n"
    "GEMM-902,a library,a graphics card,MatMul,M64 N64 K64,fp16,kernel_time,2,us,n/s,,high\n"
    "GEMM-903,a library,910B2,MatMul,M64 N64 K64,fp16,kernel_time,2,us,n/s,,low\n";

TEST(Validation, RunsWhatItCanAndSaysWhyNotElsewhere) {
    const DataFile file{rows};
    const Validation result = validate({.data = file.path(), .jobs = 1}, toolchain::Installation::find());
    ASSERT_EQ(result.rows.size(), 3U);  // neither the card nor low reliability is judged
    EXPECT_TRUE(result.rows[0].ran()) << result.rows[0].why_not;
    EXPECT_EQ(result.rows[0].simulated_us, result.rows[1].simulated_us);
    EXPECT_EQ(result.rows[1].measured_us, 2);  // 0.002 ms
    EXPECT_EQ(result.simulations, 1U);         // the same run in two spellings
    EXPECT_FALSE(result.rows[2].ran());
    EXPECT_THAT(result.rows[2].why_not, ::testing::HasSubstr("frobnicate"));
    ASSERT_EQ(result.pipes.size(), 1U);
    EXPECT_EQ(result.pipes[0].pipe, "mte2");
    EXPECT_GT(result.pipes[0].us.simulated, 0);
}

TEST(Validation, AllRowsAreRowsOfEveryChipAndReliability) {
    const DataFile file{rows};
    const Validation result =
        validate({.data = file.path(), .all = true, .jobs = 1}, toolchain::Installation::find());
    EXPECT_EQ(result.rows.size(), 5U);
    EXPECT_EQ(result.count([](const JudgedRow& row) { return row.ran(); }), 3U);
}

TEST(Validation, TheJsonHoldsWhatScriptsRelyOn) {
    const DataFile file{rows};
    const ordered_json json =
        validation_json(validate({.data = file.path(), .jobs = 1}, toolchain::Installation::find()));
    for (const char* const place : {"known_source", "black_box"}) {
        for (const char* const figure : {"rows", "ran", "mape", "median_ape", "p90_ape", "bias", "kendall"}) {
            EXPECT_TRUE(json["summary"][place].contains(figure)) << place << '.' << figure;
        }
    }
    EXPECT_EQ(json["summary"]["black_box"]["rows"], 3);
    EXPECT_EQ(json["summary"]["black_box"]["ran"], 2);
    EXPECT_EQ(json["families"]["GEMM"]["black_box"]["ran"], 2);
    for (const char* const field :
         {"id", "class", "family", "measured_us", "simulated_us", "error", "why_not"}) {
        EXPECT_TRUE(json["rows"][0].contains(field)) << field;
    }
    const double measured = json["rows"][0]["measured_us"];
    const double simulated = json["rows"][0]["simulated_us"];
    EXPECT_NEAR(json["rows"][0]["error"], simulated / measured - 1, 1e-12);
    EXPECT_TRUE(json["rows"][2]["error"].is_null());
}

TEST(Validation, NamesThatDoNotExistAreRefused) {
    const DataFile file{rows};
    EXPECT_THROW(static_cast<void>(
                     validate({.data = file.path(), .families = {"GEM"}}, toolchain::Installation::find())),
                 UserError);
    EXPECT_THROW(static_cast<void>(
                     validate({.data = file.path(), .chips = {"910b9"}}, toolchain::Installation::find())),
                 UserError);
    EXPECT_THROW(static_cast<void>(validate({.data = "/nowhere.csv"}, toolchain::Installation::find())),
                 UserError);
}

}  // namespace
}  // namespace ascendsim::validation
