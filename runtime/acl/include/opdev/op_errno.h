// SPDX-License-Identifier: Apache-2.0
// Codes of failures within aclnn calls, as documented.
#pragma once

#include "aclnn/acl_meta.h"

inline constexpr aclnnStatus ACLNN_ERR_INNER_INFERSHAPE_ERROR = 561001;
inline constexpr aclnnStatus ACLNN_ERR_INNER_TILING_ERROR = 561002;
inline constexpr aclnnStatus ACLNN_ERR_INNER_FIND_KERNEL_ERROR = 561003;
inline constexpr aclnnStatus ACLNN_ERR_INNER_CREATE_EXECUTOR = 561101;
inline constexpr aclnnStatus ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR = 561102;
inline constexpr aclnnStatus ACLNN_ERR_INNER_NULLPTR = 561103;
inline constexpr aclnnStatus ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE = 561104;
inline constexpr aclnnStatus ACLNN_ERR_INNER_KEY_CONFILICT = 561105;
inline constexpr aclnnStatus ACLNN_ERR_INNER_INVALID_IMPL_MODE = 561106;
inline constexpr aclnnStatus ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND = 561107;
inline constexpr aclnnStatus ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID = 561112;
