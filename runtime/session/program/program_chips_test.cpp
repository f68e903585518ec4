// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_chips.hpp"

#include <gtest/gtest.h>

namespace ascendsim::runtime {
namespace {

TEST(ProgramChips, SeeThatAProgramStaysOnDeviceZero) {
    EXPECT_FALSE(selects_other_devices("int main() { aclrtSetDevice(0); }"));
    EXPECT_FALSE(
        selects_other_devices("int32_t deviceId = 0; aclrtSetDevice(deviceId); aclrtResetDevice(deviceId);"));
    EXPECT_FALSE(selects_other_devices("int32_t id{0};\nif (id == 1) {}\naclrtCreateContext(&context, id);"));
    EXPECT_FALSE(selects_other_devices("// my_aclrtSetDevice(3)\nint aclrtSetDeviceNumber;"));
}

TEST(ProgramChips, SeeThatAProgramMaySelectOthers) {
    EXPECT_TRUE(selects_other_devices("aclrtSetDevice(1);"));
    EXPECT_TRUE(selects_other_devices("void run(int32_t device) { aclrtSetDevice(device); }"));
    EXPECT_TRUE(selects_other_devices("for (int i = 0; i < 2; ++i) aclrtSetDevice(i);"));
    EXPECT_TRUE(selects_other_devices("int32_t id = 0; id = 1; aclrtSetDevice(id);"));
    EXPECT_TRUE(selects_other_devices("aclrtSetDevice(0); aclrtCreateContext(&context, 2);"));
    EXPECT_TRUE(selects_other_devices("aclrtSetDevice(devices[rank]);"));
}

}  // namespace
}  // namespace ascendsim::runtime
