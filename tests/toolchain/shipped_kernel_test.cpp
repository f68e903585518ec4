// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/shipped_kernel.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/plan/plugin.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

/// The libraries of the build without its kernels, and a cache of its own.
class ShippedKernel : public testing::Test {
protected:
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"shipped_"} + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::path plugins = folder / "lib" / "ascendsim" / "kernels";
    Toolchain toolchain{.installation = Installation::find()};

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(plugins);
        const fs::path built = toolchain.installation.libraries;
        for (const char* file :
             {"libmodels_isa.so", "libkernels_plan.so", "libruntime_acl.so", "ascendsim/scalar_steps.so"}) {
            fs::create_symlink(built / file, folder / "lib" / file);
        }
        toolchain.installation.libraries = folder / "lib";
        setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
    }

    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] std::size_t plugins_in_cache() const {
        std::size_t count = 0;
        for (const fs::directory_entry& file :
             fs::directory_iterator{folder / "cache" / "ascendsim" / "kernels"}) {
            count += file.path().extension() == ".so" ? 1U : 0U;
        }
        return count;
    }

    [[nodiscard]] fs::path vector_plugin() const { return shipped_plugin("nd2nz", Pass::aiv, {}, toolchain); }
};

TEST_F(ShippedKernel, IsCompiledOnFirstUseAndKept) {
    const fs::path first = vector_plugin();
    EXPECT_TRUE(first.string().starts_with((folder / "cache").string())) << first;
    EXPECT_FALSE(host::DevicePlugin{first}.entry("nd2nz_b16").argument_count == 0);
    EXPECT_EQ(vector_plugin(), first);
    const std::size_t compiled = plugins_in_cache();
    const fs::path host = shipped_plugin("nd2nz", Pass::host, {}, toolchain);
    EXPECT_EQ(plugins_in_cache(), compiled) << "the host's side was compiled beside the first";
    EXPECT_FALSE(host::load_kernel_host(host).knobs().empty());
}

TEST_F(ShippedKernel, ThatWasBuiltIsTakenUnlessItsSourceIsYounger) {
    const fs::path ready = plugins / "nd2nz.aiv.so";
    const fs::path source = folder / "nd2nz.cpp";
    std::ofstream{ready} << "a plug-in";
    std::ofstream{source} << "its source";
    std::ofstream{ready.string() + ".d"} << ready.string() << ": " << source.string() << "\n";
    const auto built = fs::last_write_time(ready);
    fs::last_write_time(source, built - std::chrono::seconds{1});
    EXPECT_EQ(vector_plugin(), ready);
    fs::last_write_time(source, built + std::chrono::seconds{1});
    EXPECT_NE(vector_plugin(), ready);
}

TEST_F(ShippedKernel, ThatIsNotThereIsTheUsersError) {
    EXPECT_THROW(static_cast<void>(shipped_plugin("no_such_kernel", Pass::aiv, {}, toolchain)), UserError);
}

}  // namespace
}  // namespace ascendsim::toolchain
