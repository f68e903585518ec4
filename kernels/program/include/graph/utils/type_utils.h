// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/program/host_context.hpp"
