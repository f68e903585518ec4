// SPDX-License-Identifier: Apache-2.0
// Host programs that call operators through aclnn: of a library, with and without a header of its own, and of
// the simulator.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_library.hpp"

namespace ascendsim::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class OperatorCalls : public SmallLibrary {
protected:
    /// A program as public examples are written, in a folder of its own. `call` is its two phases.
    void write_program(const std::string& header,
                       const std::string& call,
                       const std::string& name = "apart/main.cpp") const {
        write(
            name,
            fmt::format(
                "#include <cstdio>\n#include <vector>\n#include \"acl/acl.h\"\n#include \"{}\"\n"
                R"(static aclTensor* tensor(const std::vector<float>& values, const std::vector<int64_t>& shape, void** address,
                         std::vector<int64_t> strides = {{}}) {{
    aclrtMalloc(address, values.size() * 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(*address, values.size() * 4, values.data(), values.size() * 4, ACL_MEMCPY_HOST_TO_DEVICE);
    if (strides.empty()) {{
        strides.assign(shape.size(), 1);
        for (int64_t i = shape.size() - 2; i >= 0; i--) {{ strides[i] = shape[i + 1] * strides[i + 1]; }}
    }}
    return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                           shape.size(), *address);
}}
int main() {{
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    void* workspace = nullptr;
    void* x = nullptr;
    void* y = nullptr;
    std::vector<float> xs(100 * 64), ys(100 * 64);
    for (size_t i = 0; i < xs.size(); ++i) {{ xs[i] = float(i % 7); }}
    aclTensor* tx = tensor(xs, {{100, 64}}, &x);
    aclTensor* ty = tensor(ys, {{100, 64}}, &y);
{}
    if (ret != 0) {{ std::printf("refused %d\n", ret); return 1; }}
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(ys.data(), ys.size() * 4, y, ys.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("last %g\n", ys.back());
    aclDestroyTensor(tx);
    aclDestroyTensor(ty);
    return 0;
}}
)",
                header,
                call));
    }

    /// The last x is 6399 % 7 = 1.
    static constexpr const char* generated = R"(
    std::vector<int64_t> rows{100};
    aclIntArray* count = aclCreateIntArray(rows.data(), 1);
    auto ret = aclnnScaleRowsGetWorkspaceSize(tx, count, nullptr, 3.0, ty, &size, &executor);
    if (ret == 0 && size > 0) { aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST); }
    if (ret == 0) { ret = aclnnScaleRows(workspace, size, executor, stream); }
)";
};

TEST_F(OperatorCalls, RunTheLibrarysKernelAsItsOwnHostCodeTilesIt) {
    write_program("aclnnop/aclnn_scale_rows.h", generated);
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --json out.json");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("last 3\n"));
    EXPECT_THAT(outcome.output, HasSubstr("aclnnScaleRows (calls: 1): ScaleRows, "));
    EXPECT_THAT(outcome.output, HasSubstr("scale_rows/op_kernel/scale_rows.cpp"));
    std::ifstream stream{folder / "out.json"};
    const auto figures = nlohmann::json::parse(stream);
    // 100 rows over the 40 vector cores of this chip are 3 for a core, so 34 cores.
    EXPECT_EQ(figures.at("cores_used"), 34);
}

TEST_F(OperatorCalls, FindTheProjectThatTheProgramLiesIn) {
    write_program("aclnn_scale_rows.h", generated, "scale/scale_rows/examples/test_aclnn_scale_rows.cpp");
    const Outcome outcome = ascendsim("run scale/scale_rows/examples/test_aclnn_scale_rows.cpp --quiet");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("last 3\n"));
}

TEST_F(OperatorCalls, FollowTheLibrarysOwnHeaderByNames) {
    // Another order, other spellings, and a hint that changes nothing.
    write("scale/scale_rows/op_api/aclnn_scale.h",
          "#pragma once\n#include \"aclnn/aclnn_base.h\"\n"
          R"(extern "C" {
ACLNN_API aclnnStatus aclnnScaleGetWorkspaceSize(double factor, const aclIntArray *rowsOptional, const aclTensor *x,
    const aclTensor *biasOptional, int8_t cubeMathType, aclTensor *yOut, uint64_t *workspaceSize,
    aclOpExecutor **executor);
ACLNN_API aclnnStatus aclnnScale(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                 aclrtStream stream);
}
)");
    write_program("aclnnop/aclnn_scale.h", R"(
    std::vector<int64_t> rows{100};
    aclIntArray* count = aclCreateIntArray(rows.data(), 1);
    void* b = nullptr;
    aclTensor* bias = tensor(std::vector<float>(64), {64}, &b);
    auto ret = aclnnScaleGetWorkspaceSize(3.0, count, tx, bias, 1, ty, &size, &executor);
    if (ret == 0) { ret = aclnnScale(workspace, 0, executor, stream); }
)");
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --quiet");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("last 4\n"));  // with a bias its tiling adds 1 to the factor
}

TEST_F(OperatorCalls, CopyWhatLiesApart) {
    // x is seen as its transpose of 64 x 100; element (63, 99) of that is the last one, too.
    write_program("aclnn_scale_rows.h", R"(
    std::vector<int64_t> rows{64};
    std::vector<int64_t> seen{64, 96};
    std::vector<int64_t> strides{1, 64};
    aclIntArray* count = aclCreateIntArray(rows.data(), 1);
    aclTensor* turned = aclCreateTensor(seen.data(), 2, ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, seen.data(), 2, x);
    aclTensor* out = aclCreateTensor(seen.data(), 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, seen.data(), 2, y);
    auto ret = aclnnScaleRowsGetWorkspaceSize(turned, count, nullptr, 2.0, out, &size, &executor);
    if (ret == 0) { ret = aclnnScaleRows(workspace, 0, executor, stream); }
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(ys.data(), 64 * 96 * 4, y, 64 * 96 * 4, ACL_MEMCPY_DEVICE_TO_HOST);
    for (int64_t i = 0; i < 64 * 96; ++i) { if (ys[i] != 2 * xs[i % 96 * 64 + i / 96]) { return 3; } }
)");
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --quiet");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(OperatorCalls, ComeBackWithACodeWhereTheOperatorRefuses) {
    write_program("aclnn_scale_rows.h", R"(
    std::vector<int64_t> rows{100};
    std::vector<int64_t> odd{100, 60};
    aclIntArray* count = aclCreateIntArray(rows.data(), 1);
    aclTensor* narrow = aclCreateTensor(odd.data(), 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, odd.data(), 2, x);
    auto ret = aclnnScaleRowsGetWorkspaceSize(narrow, count, nullptr, 2.0, narrow, &size, &executor);
)");
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --quiet");
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("refused 161002"));
    EXPECT_THAT(outcome.output, HasSubstr("60 columns are no multiple of 16"));
    EXPECT_THAT(outcome.output, HasSubstr("main.cpp:"));
}

TEST_F(OperatorCalls, RefuseTensorsThatReachBeyondTheirMemory) {
    // Of the 6400 elements of x, the last that these strides name is 63 + 95 * 128 = 12223.
    write_program("aclnn_scale_rows.h", R"(
    std::vector<int64_t> rows{64};
    std::vector<int64_t> seen{64, 96};
    std::vector<int64_t> strides{1, 128};
    aclIntArray* count = aclCreateIntArray(rows.data(), 1);
    aclTensor* turned = aclCreateTensor(seen.data(), 2, ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, seen.data(), 2, x);
    aclTensor* out = aclCreateTensor(seen.data(), 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, seen.data(), 2, y);
    auto ret = aclnnScaleRowsGetWorkspaceSize(turned, count, nullptr, 2.0, out, &size, &executor);
)");
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --quiet");
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("reach beyond the allocation"));
}

TEST_F(OperatorCalls, RefuseHandlesThatWereDestroyed) {
    write_program("aclnnop/aclnn_scale_rows.h", R"(
    aclTensor* gone = tensor(xs, {100, 64}, &x);
    std::printf("first %d\n", aclDestroyTensor(gone));
    std::printf("second %d, null %d\n", aclDestroyTensor(gone), aclDestroyTensor(nullptr));
    auto ret = aclnnScaleRowsGetWorkspaceSize(gone, nullptr, nullptr, 3.0, ty, &size, &executor);
)");
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --quiet");
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("first 0\n"));
    EXPECT_THAT(outcome.output, HasSubstr("second 161002, null 0\n"));
    EXPECT_THAT(outcome.output, HasSubstr("aclDestroyTensor: no such handle; was it destroyed before?"));
    EXPECT_THAT(outcome.output, HasSubstr("`x` is no handle that is alive; was it destroyed before?"));
    EXPECT_THAT(outcome.output, HasSubstr("refused 161002"));
}

TEST_F(OperatorCalls, NameTheNearestOperatorWhereThereIsNone) {
    write_program("aclnn_scale_row.h", "int ret = 0;");
    const Outcome outcome = ascendsim("run apart/main.cpp --library scale --quiet");
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, ContainsRegex("includes aclnn_scale_row.h: no operator of that name"));
    EXPECT_THAT(outcome.output, HasSubstr("did you mean 'aclnnScaleRows'"));
}

TEST_F(OperatorCalls, RunOurOwnKernelsWhereTheseDoTheSame) {
    write_program("aclnnop/aclnn_add.h", R"(
    float one = 1;
    aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
    auto ret = aclnnAddGetWorkspaceSize(tx, tx, alpha, ty, &size, &executor);
    if (ret == 0) { ret = aclnnAdd(workspace, size, executor, stream); }
)");
    const Outcome outcome = ascendsim("run apart/main.cpp");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("last 2\n"));
    EXPECT_THAT(outcome.output, HasSubstr("aclnnAdd (calls: 1): Add, AscendSim's own kernel elementwise"));
}

}  // namespace
}  // namespace ascendsim::cli
