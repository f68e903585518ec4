// SPDX-License-Identifier: Apache-2.0
// What the handles of aclnn calls point to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/acl/include/acl/acl_base.h"
#include "runtime/acl/nn/operator_ask.hpp"

struct aclTensor {
    ascendsim::program::CallTensor value;
};

struct aclTensorList {
    std::vector<const aclTensor*> tensors;
};

struct aclScalar {
    aclDataType type = ACL_FLOAT;
    double real = 0;         // its value
    std::int64_t whole = 0;  // the same, exact for whole types
    bool is_whole = false;
};

struct aclScalarList {
    std::vector<const aclScalar*> scalars;
};

struct aclIntArray {
    std::vector<std::int64_t> values;
};

struct aclFloatArray {
    std::vector<float> values;
};

struct aclBoolArray {
    std::vector<bool> values;
};

struct aclOpExecutor {
    std::string function;
    std::shared_ptr<ascendsim::program::PreparedOperator> prepared;
    bool repeatable = false;
    bool used = false;
};
