# SPDX-License-Identifier: Apache-2.0
"""aclnn functions of a library from Python. The library is written here as public ones are."""

import os
from pathlib import Path

import numpy as np
import pytest

import ascendsim
import library_sources

# Code around the operator, as libraries have it: refuses what it does not take and calls the operator with twice the factor.
HEADER = """
#include "aclnn/acl_meta.h"
extern "C" {
aclnnStatus aclnnScaleTwiceGetWorkspaceSize(const aclTensor* x, const aclIntArray* rows, double factor, const aclScalar* more,
                                            const aclTensorList* outs, char* mode, bool twice, uint64_t* bytes, aclOpExecutor** executor);
aclnnStatus aclnnScaleTwice(void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream);
}
"""

CODE = """
#include "aclnn_scale_twice.h"
#include "opdev/op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_def.h"
#include "opdev/common_types.h"
#include "aclnn_kernels/common/op_error_check.h"
namespace l0op {
OP_TYPE_REGISTER(ScaleRows);
static void Scale(const aclTensor* x, const aclTensor* rows, float factor, const aclTensor* y, aclOpExecutor* executor) {
    ADD_TO_LAUNCHER_LIST_AICORE(ScaleRows, OP_INPUT(x, rows, static_cast<const aclTensor*>(nullptr)), OP_OUTPUT(y), OP_ATTR(factor, 0L));
}
}
extern "C" aclnnStatus aclnnScaleTwiceGetWorkspaceSize(const aclTensor* x, const aclIntArray* rows, double factor, const aclScalar* more,
                                                       const aclTensorList* outs, char* mode, bool twice, uint64_t* bytes, aclOpExecutor** executor) {
    auto unique = CREATE_EXECUTOR();
    if (mode == nullptr || mode[0] != 'a') {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "mode must be all, not %s", mode == nullptr ? "nothing" : mode);
        return ACLNN_ERR_PARAM_INVALID;
    }
    const aclTensor* number = unique.get()->ConvertToTensor(rows, op::DataType::DT_INT64);
    const float times = static_cast<float>(factor) * (twice ? 2.0f : 1.0f) * more->ToFloat();
    l0op::Scale(x, number, times, (*outs)[0], unique.get());
    *bytes = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}
extern "C" aclnnStatus aclnnScaleTwice(void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {
    return CommonOpExecutorRun(workspace, bytes, executor, stream);
}
"""

# A list of each kind; halves alone.
LISTS_HEADER = """
#include "aclnn/acl_meta.h"
extern "C" {
aclnnStatus aclnnScaleListsGetWorkspaceSize(const aclTensor* x, const aclIntArray* rows, const aclFloatArray* reals, const aclBoolArray* flags,
                                            const aclScalarList* scalars, aclDataType type, aclTensor* y, uint64_t* bytes, aclOpExecutor** executor);
aclnnStatus aclnnScaleLists(void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream);
}
"""

LISTS_CODE = CODE.replace("aclnn_scale_twice.h", "aclnn_scale_lists.h")
LISTS_CODE = LISTS_CODE[: LISTS_CODE.index('extern "C" aclnnStatus')] + """
extern "C" aclnnStatus aclnnScaleListsGetWorkspaceSize(const aclTensor* x, const aclIntArray* rows, const aclFloatArray* reals, const aclBoolArray* flags,
                                                       const aclScalarList* scalars, aclDataType type, aclTensor* y, uint64_t* bytes, aclOpExecutor** executor) {
    auto unique = CREATE_EXECUTOR();
    if (type != ACL_FLOAT16 || !(*flags)[1] || (*flags)[0]) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    const aclTensor* number = unique.get()->ConvertToTensor(rows, op::DataType::DT_INT64);
    l0op::Scale(x, number, (*reals)[1] * (*scalars)[0]->ToFloat() * (*scalars)[1]->ToFloat(), y, unique.get());
    *bytes = unique->GetWorkspaceSize();
    unique.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}
extern "C" aclnnStatus aclnnScaleLists(void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {
    return CommonOpExecutorRun(workspace, bytes, executor, stream);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    # The same path in each run: what was compiled is in the cache then.
    folder = Path(os.environ.get("TEST_TMPDIR", tmp_path_factory.mktemp("library"))) / "aclnn"
    library_sources.write(folder)
    library_sources.write_file(folder / "scale_rows/op_host/op_api/aclnn_scale_twice.h", HEADER)
    library_sources.write_file(folder / "scale_rows/op_host/op_api/aclnn_scale_twice.cpp", CODE)
    library_sources.write_file(folder / "scale_rows/op_host/op_api/aclnn_scale_lists.h", LISTS_HEADER)
    library_sources.write_file(folder / "scale_rows/op_host/op_api/aclnn_scale_lists.cpp", LISTS_CODE)
    return folder


X = np.arange(24 * 64, dtype=np.float32).reshape(24, 64)


def test_arguments_are_those_of_the_first_phase(library):
    y = np.zeros((16, 64), np.float32)
    bias = np.ones(64, np.float32)
    result = ascendsim.aclnn("aclnnScaleRows", X, [16], bias, 3.0, 0, y, library=library)
    np.testing.assert_array_equal(y, 3 * X[:16] + 1)
    assert [cores for _, cores, _, _ in result.launches] == [2] and not result.hazards
    assert result.time_us > 0
    half = np.zeros((8, 64), np.float16)
    ascendsim.aclnn("aclnnScaleRows", X.astype(np.float16), np.array([8]).tolist(), None, 0.5, 0, half, library=[library])
    np.testing.assert_array_equal(half, (0.5 * X[:8]).astype(np.float16))


def test_the_librarys_own_code_runs(library):
    y = np.zeros((8, 64), np.float32)
    ascendsim.aclnn("aclnnScaleTwice", X, [8], 1.5, ascendsim.Scalar(4), [y], "all", True, library=library)
    np.testing.assert_array_equal(y, 12 * X[:8])  # 1.5, by the number 4, twice


def test_lists_keep_kind_and_order(library):
    y = np.zeros((8, 64), np.float16)
    scalars = [ascendsim.Scalar(2), ascendsim.Scalar(0.25)]
    ascendsim.aclnn("aclnnScaleLists", X.astype(np.float16), [8], [9.0, 3.0], [False, True], scalars, np.float16, y, library=library)
    np.testing.assert_array_equal(y, (1.5 * X[:8]).astype(np.float16))  # 3 x 2 x 0.25


@pytest.mark.parametrize(
    "name, arguments, sentence",
    [
        ("scaleRows", [X], "'scaleRows' is no aclnn function"),
        ("aclnnScaleColumns", [X, X], "aclnn_scale_columns.h: no operator of that name"),
        ("aclnnScaleTwice", [X, [8], 1.0, ascendsim.Scalar(1.0), [X], "one", False], "aclnnScaleTwice: the function refuses .*mode must be all, not one"),
        ("aclnnScaleRows", [X, [8], None, 1.0, X], "GetWorkspaceSize"),
        ("aclnnScaleRows", [X, [8], None, object(), 0, X], "object is no argument of such a function"),
        ("aclnnScaleRows", [X, [8, "a"], None, 1.0, 0, X], "a list holds arrays, numbers, bools or scalars"),
    ],
)
def test_what_is_wrong_is_said(library, name, arguments, sentence):
    with pytest.raises(ascendsim.UserError, match=sentence):
        ascendsim.aclnn(name, *arguments, library=library)
