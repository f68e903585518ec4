// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "acl/acl_base.h"
