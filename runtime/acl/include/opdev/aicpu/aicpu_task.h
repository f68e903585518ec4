// SPDX-License-Identifier: Apache-2.0
// Launches on the AI CPU. They are recorded like others, and run where a kernel for the AI cores is there.
#pragma once

#include "opdev/make_op_executor.h"

namespace ge {

enum UnknowShapeOpType {
    DEPEND_IN_SHAPE = 1,
    DEPEND_CONST_VALUE = 2,
    DEPEND_SHAPE_RANGE = 3,
    DEPEND_COMPUTE = 4
};

}  // namespace ge

namespace op {
namespace internal {

class AicpuTaskSpace {
public:
    explicit AicpuTaskSpace(const char* /*type*/,
                            ge::UnknowShapeOpType /*shapes*/ = ge::DEPEND_IN_SHAPE,
                            bool /*in_one*/ = false) {}

    void SetRef(std::size_t /*input*/) {}
};

}  // namespace internal
}  // namespace op
