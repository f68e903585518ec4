// SPDX-License-Identifier: Apache-2.0
// Words for what a library shows; here everything shows.
#pragma once

#define FMK_FUNC_HOST_VISIBILITY
#define FMK_FUNC_DEV_VISIBILITY
