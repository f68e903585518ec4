// SPDX-License-Identifier: Apache-2.0
// In front of every host source of an extension: PyTorch's headers, before names of the device become those
// of the CPU.
#pragma once
#include <ascendsim_npu.hpp>
#include <torch/extension.h>
#include <torch/library.h>

#include "runtime/acl/launch.hpp"
