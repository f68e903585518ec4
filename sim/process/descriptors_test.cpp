// SPDX-License-Identifier: Apache-2.0
#include "sim/process/descriptors.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

using testing::HasSubstr;

TEST(Descriptors, APipeHasTwoEnds) {
    const PipeEnds ends = open_pipe();
    ASSERT_EQ(write(ends.write, "a", 1), 1);
    char read_back = 0;
    EXPECT_EQ(read(ends.read, &read_back, 1), 1);
    EXPECT_EQ(read_back, 'a');
    close(ends.read);
    close(ends.write);
}

TEST(Descriptors, ALimitOfOpenFilesIsTheUsers) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    std::string told;
    try {
        static_cast<void>(open_pipe());
    } catch (const UserError& error) {
        told = error.what();
    }
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_THAT(told, HasSubstr("pipe2: Too many open files"));
    EXPECT_THAT(told, HasSubstr("ulimit -n"));
}

}  // namespace
}  // namespace ascendsim::process
