// SPDX-License-Identifier: Apache-2.0
// Host programs whose aclnn calls go through a library's own code around its operators (op_api).
#include <gmock/gmock.h>

#include "app/cli/testing/small_library.hpp"

namespace ascendsim::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class OwnCode : public SmallLibrary {
protected:
    static constexpr const char* header = R"(#pragma once
#include <aclnn/aclnn_base.h>
#ifdef __cplusplus
extern "C" {
#endif
ACLNN_API aclnnStatus aclnnGrowGetWorkspaceSize(const aclTensor* self, int64_t level, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnGrow(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);
#ifdef __cplusplus
}
#endif
)";

    /// A level is a number that the operator, which has a factor and rows, knows nothing of.
    static constexpr const char* around =
        "#include \"aclnn_grow.h\"\n#include \"scale_rows.h\"\n"
        R"(#include <level0/squeeze.h>
#include <aclnn_kernels/cast.h>
#include <aclnn_kernels/common/op_error_check.h>
#include <aclnn_kernels/contiguous.h>
#include <opdev/op_dfx.h>
#include <opdev/op_executor.h>
using namespace op;
static const std::initializer_list<DataType> types = {DataType::DT_FLOAT, DataType::DT_FLOAT16};
static bool Check(const aclTensor* self, int64_t level, const aclTensor* out) {
    OP_CHECK_NULL(self, return false);
    OP_CHECK_NULL(out, return false);
    OP_CHECK_DTYPE_NOT_SUPPORT(self, types, return false);
    OP_CHECK_MAX_DIM(self, 2, return false);
    OP_CHECK_SHAPE_NOT_EQUAL(self, out, return false);
    OP_CHECK(level < 9, OP_LOGE(ACLNN_ERR_PARAM_INVALID, "level %ld is too high", level), return false);
    return true;
}
aclnnStatus aclnnGrowGetWorkspaceSize(const aclTensor* self, int64_t level, aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
    L2_DFX_PHASE_1(aclnnGrow, DFX_IN(self, level), DFX_OUT(out));
    auto uniqueExecutor = CREATE_EXECUTOR();
    CHECK_RET(uniqueExecutor.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);
    CHECK_RET(Check(self, level, out), ACLNN_ERR_PARAM_INVALID);
    auto rows = l0op::Contiguous(self, uniqueExecutor.get());
    CHECK_RET(rows != nullptr, ACLNN_ERR_INNER_NULLPTR);
    auto low = l0op::Cast(rows, DataType::DT_FLOAT16, uniqueExecutor.get());
    auto scaled = l0op::ScaleRows(low, level * 0.5f, uniqueExecutor.get());
    CHECK_RET(scaled != nullptr, ACLNN_ERR_INNER_NULLPTR);
    auto high = l0op::Cast(scaled, out->GetDataType(), uniqueExecutor.get());
    CHECK_RET(l0op::ViewCopy(high, out, uniqueExecutor.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);
    *workspaceSize = uniqueExecutor->GetWorkspaceSize();
    uniqueExecutor.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}
aclnnStatus aclnnGrow(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) {
    L2_DFX_PHASE_2(aclnnGrow);
    return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);
}
)";

    static constexpr const char* one_operator =
        "#include \"scale_rows.h\"\n"
        R"(#include <opdev/make_op_executor.h>
#include <opdev/op_def.h>
namespace l0op {
OP_TYPE_REGISTER(ScaleRows);
const aclTensor* ScaleRows(const aclTensor* x, float factor, aclOpExecutor* executor) {
    L0_DFX(ScaleRows, x, factor);
    const int64_t rows = x->GetViewShape().GetDim(0);
    auto count = executor->ConvertToTensor(&rows, 1, op::DataType::DT_INT64);
    auto y = executor->AllocTensor(x->GetDataType(), op::Format::FORMAT_ND, op::Format::FORMAT_ND);
    auto ret = INFER_SHAPE(ScaleRows, OP_INPUT(x, count, nullptr), OP_OUTPUT(y), OP_ATTR(factor));
    OP_CHECK(ret == ACLNN_SUCCESS, OP_LOGE(ret, "InferShape failed."), return nullptr);
    ret = ADD_TO_LAUNCHER_LIST_AICORE(ScaleRows, OP_INPUT(x, count, nullptr), OP_OUTPUT(y), OP_ATTR(factor));
    OP_CHECK(ret == ACLNN_SUCCESS, OP_LOGE(ret, "launch failed."), return nullptr);
    return y;
}
}
)";

    void SetUp() override {
        SmallLibrary::SetUp();
        write("scale/scale_rows/op_api/aclnn_grow.h", header);
        write("scale/scale_rows/op_api/aclnn_grow.cpp", around);
        write("scale/scale_rows/op_api/scale_rows.cpp", one_operator);
        // A header of one operator may lie in the folder that several share.
        write("scale/common/op_api/scale_rows.h",
              "#pragma once\n#include \"opdev/op_executor.h\"\nnamespace l0op {\n"
              "const aclTensor* ScaleRows(const aclTensor* x, float factor, aclOpExecutor* executor);\n}\n");
        // Of another library, which this one knows by its declarations.
        write("common/stub/op_api/level0/squeeze.h", "#pragma once\n");
        write("apart/main.cpp", R"(#include <cstdio>
#include <cstdlib>
#include <vector>
#include <acl/acl.h>
#include <aclnnop/aclnn_grow.h>
int main(int, char** words) {
    const int64_t level = std::atoi(std::getenv("LEVEL"));
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    const int64_t rows = 96, columns = 64;
    std::vector<float> values(rows * columns), results(rows * columns);
    for (size_t i = 0; i < values.size(); ++i) { values[i] = float(i % 7); }
    const size_t bytes = values.size() * 4;
    void *x = nullptr, *y = nullptr, *workspace = nullptr;
    aclrtMalloc(&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(x, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    const std::vector<int64_t> shape{columns, rows}, strides{1, columns}, stored{rows, columns};
    // x is seen turned.
    aclTensor* self = aclCreateTensor(shape.data(), 2, ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, stored.data(), 2, x);
    aclTensor* out = aclCreateTensor(shape.data(), 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape.data(), 2, y);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    for (int round = 0; round < 3; ++round) {  // the later ones have the memory of those before
        auto ret = aclnnGrowGetWorkspaceSize(self, level, out, &size, &executor);
        if (ret != 0) { std::printf("refused %d\n", ret); return 1; }
        if (size > 0 && workspace == nullptr) { aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST); }
        ret = aclnnGrow(workspace, size, executor, stream);
        if (ret != 0) { std::printf("not started %d\n", ret); return 1; }
    }
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(results.data(), bytes, y, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (int64_t c = 0; c < columns; ++c) {
        for (int64_t r = 0; r < rows; ++r) { wrong += results[c * rows + r] != level * 0.5f * values[r * columns + c]; }
    }
    std::printf("wrong %d\n", wrong);
    return wrong;
}
)");
    }

    [[nodiscard]] Outcome run(int level) const {
        setenv("LEVEL", std::to_string(level).c_str(), 1);
        return ascendsim("run apart/main.cpp --library .");
    }
};

TEST_F(OwnCode, IsRunAndLaunchesWhatItRecords) {
    const Outcome outcome = run(4);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("wrong 0\n"));
    EXPECT_THAT(outcome.output, HasSubstr("aclnnGrow (calls: 3): Contiguous, a copy of AscendSim's own"));
    EXPECT_THAT(outcome.output, HasSubstr("Cast, AscendSim's own kernel elementwise"));
    EXPECT_THAT(outcome.output, ContainsRegex("ScaleRows, .*scale_rows/op_kernel/scale_rows.cpp"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("note:")));
}

TEST_F(OwnCode, RefusesInItsOwnWords) {
    const Outcome outcome = run(9);
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("level 9 is too high"));
    EXPECT_THAT(outcome.output, ContainsRegex("main.cpp:[0-9]+"));
    EXPECT_THAT(outcome.output, HasSubstr("refused 161002"));
}

TEST_F(OwnCode, ThatDoesNotCompileLeavesTheArgumentsToTheirNames) {
    write("scale/scale_rows/op_api/aclnn_grow.cpp",
          "#include \"aclnn_grow.h\"\naclnnStatus aclnnGrowGetWorkspaceSize(const aclTensor*, int64_t, "
          "aclTensor*, "
          "uint64_t*, aclOpExecutor**) { return not_there; }\n");
    const Outcome outcome = run(4);
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("note: aclnnGrow: its arguments go to the operator by their names"));
    EXPECT_THAT(outcome.output, ContainsRegex("aclnn_grow.cpp:2:.*not_there"));
}

TEST_F(OwnCode, ThatNeedsAnOperatorNobodyHasSaysWhich) {
    write("scale/scale_rows/op_api/scale_rows.cpp",
          "#include \"scale_rows.h\"\n"
          R"(#include <opdev/make_op_executor.h>
namespace l0op {
const aclTensor* ScaleRows(const aclTensor* x, float factor, aclOpExecutor* executor) {
    auto y = executor->AllocTensor(x->GetViewShape(), x->GetDataType());
    ADD_TO_LAUNCHER_LIST_AICORE(ScaleColumns, OP_INPUT(x), OP_OUTPUT(y), OP_ATTR(factor));
    return y;
}
}
)");
    const Outcome outcome = run(4);
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(
        outcome.output,
        ContainsRegex("aclnnGrowGetWorkspaceSize at .*main.cpp:[0-9]+: the library's own code behind it: "
                      "launches the operator ScaleColumns"));
    EXPECT_THAT(outcome.output, HasSubstr("another --library DIR"));
}

}  // namespace
}  // namespace ascendsim::cli
