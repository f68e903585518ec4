// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class RowNormCases : public ::testing::TestWithParam<Settings> {};

TEST_P(RowNormCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("row_norm", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* shape, const char* dtype, const char* kind, const char* quant, Settings more = {}) {
    Settings settings{{"shape", shape}, {"dtype", dtype}, {"kind", kind}, {"quant", quant}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

const Settings residual{{"residual", "true"}};
const Settings stats{{"stats", "true"}};
const Settings library{{"schedule", "library"}};

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    RowNormCases,
    ::testing::Values(
        of("61,768", "float16", "rms", "none", stats),
        of("7,5,373", "float32", "rms", "none", stats),
        of("61,100", "bfloat16", "layer", "none", stats),
        of("130,2", "bfloat16", "rms", "none"),
        of("61,1021", "float16", "none", "int8"),
        of("61,512", "bfloat16", "none", "int4"),
        of("61,513", "float16", "rms", "int8", residual),
        of("61,512", "bfloat16", "rms", "int8", {{"residual", "true"}, {"smooth", "true"}}),
        of("61,1018", "float16", "rms", "none", {{"schedule", "library"}, {"stats", "true"}}),
        of("7,5,374", "float32", "rms", "none", {{"schedule", "library"}, {"stats", "true"}}),
        of("70,2050", "bfloat16", "rms", "none", {{"schedule", "library"}, {"stats", "true"}}),
        of("5,2049", "float32", "rms", "none", {{"schedule", "library"}, {"stats", "true"}}),
        of("61,513", "float16", "none", "int8", library),
        of("61,512", "bfloat16", "none", "int8", library),
        of("99,1021", "bfloat16", "rms", "int8", {{"schedule", "library"}, {"residual", "true"}}),
        of("5,1500", "float16", "rms", "int8", {{"residual", "true"}, {"chunk", "640"}}),
        of("5,1500", "float32", "layer", "none", {{"stats", "true"}, {"chunk", "640"}}),
        of("5,1500", "float16", "none", "int8", {{"chunk", "640"}, {"smooth", "true"}})));

}  // namespace
}  // namespace ascendsim
