// SPDX-License-Identifier: Apache-2.0
#include "app/skeleton/argument_scan.hpp"

#include <gmock/gmock.h>

namespace ascendsim::skeleton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<ScannedArgument> scan(std::string_view source, std::size_t entry = 0) {
    return scan_arguments(toolchain::scan_entries(source).at(entry), source);
}

std::vector<std::string> uses(const std::vector<ScannedArgument>& arguments) {
    std::vector<std::string> result;
    for (const ScannedArgument& one : arguments) {
        result.push_back(one.name + " " + std::string{name(one.use)} +
                         (one.type.empty() ? "" : " " + one.type));
    }
    return result;
}

constexpr std::string_view add = R"(
struct AddTiling { uint32_t total; uint16_t tiles[2]; float scale = 1.0f; };
class Add {
    void Init(GM_ADDR left, GM_ADDR b, GM_ADDR sum, GM_ADDR keep) {
        xGm.SetGlobalBuffer((__gm__ half*)left + GetBlockIdx() * 8, 8);
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), 8);
        zGm.SetGlobalBuffer((__gm__ float*)sum, 8);
        kGm.SetGlobalBuffer((__gm__ int32_t*)keep);
    }
    void CopyIn() { DataCopy(x, xGm[0], 8); DataCopyPad(y, yGm[8], p, q); DataCopy(k, kGm, 8); }
    void CopyOut() { DataCopy(zGm[i * 8], z, 8); DataCopy(kGm[8], k, 8); }
};
extern "C" __global__ __aicore__ void add(GM_ADDR z, GM_ADDR y, GM_ADDR in, GM_ADDR d, GM_ADDR workspace, AddTiling t, int32_t n, bool f) {
    Add op;
    op.Init(z, y, in, d);
}
)";

TEST(ArgumentScan, SeesWhatIsCopiedFromAndToUnderOtherNames) {
    // The names mislead on purpose: `z` is read, `in` is written.
    EXPECT_THAT(uses(scan(add)),
                ElementsAre("z input float16",
                            "y input float16",
                            "in output float32",
                            "d in_out int32",
                            "workspace workspace",
                            "t struct",
                            "n value int32",
                            "f value bool"));
    EXPECT_EQ(scan(add)[2].reason, "DataCopy writes zGm");
}

TEST(ArgumentScan, TakesTypesOfSeveralWordsTogether) {
    EXPECT_THAT(
        uses(scan("__global__ void k(unsigned long a, long long int b, const unsigned char c, short d, "
                  "unsigned int e, signed f, int g, const float h) {}")),
        ElementsAre("a value uint64",
                    "b value int64",
                    "c value uint8",
                    "d value int16",
                    "e value uint32",
                    "f value int32",
                    "g value int32",
                    "h value float32"));
}

TEST(ArgumentScan, ListsTheMembersOfAStruct) {
    const ScannedArgument tiling = scan(add)[5];
    ASSERT_EQ(tiling.fields.size(), 3U);
    EXPECT_EQ(tiling.fields[0].name, "total");
    EXPECT_EQ(tiling.fields[1].type, "uint16");
    EXPECT_EQ(tiling.fields[1].count, 2U);
    EXPECT_EQ(tiling.fields[2].type, "float32");
    EXPECT_EQ(tiling.unlisted, "");
}

TEST(ArgumentScan, KnowsTheMatmulObjectsTilingAndPutsMembersThatAreStructsInTheirPlace) {
    const auto arguments = scan(
        "struct All { uint32_t n; TCubeTiling cube; };\n"
        "__global__ void k(TCubeTiling t, All a) {}");
    ASSERT_EQ(arguments[0].fields.size(), 50U);  // of TCubeTiling
    EXPECT_EQ(arguments[0].fields[1].name, "M");
    EXPECT_EQ(arguments[1].fields.size(), 51U);
    EXPECT_EQ(arguments[1].fields[2].name, "cube_M");
}

TEST(ArgumentScan, FindsTilingDataAndItsStruct) {
    const auto arguments = scan(
        "BEGIN_TILING_DATA_DEF(Data)\nTILING_DATA_FIELD_DEF(uint64_t, n);\n"
        "TILING_DATA_FIELD_DEF_ARR(uint32_t, 4, sizes);\nEND_TILING_DATA_DEF;\n"
        "__global__ void k(GM_ADDR x, GM_ADDR data) { "
        "GET_TILING_DATA_WITH_STRUCT(Data, t, data); }");
    EXPECT_THAT(uses(arguments), ElementsAre("x input", "data tiling"));
    ASSERT_EQ(arguments[1].fields.size(), 2U);
    EXPECT_EQ(arguments[1].fields[1].count, 4U);
    EXPECT_THAT(scan("__global__ void k(GM_ADDR tiling) {}")[0].unlisted, HasSubstr("list its members"));
}

TEST(ArgumentScan, FindsTheStructThatAHelperCopies) {
    const std::string helper =
        "struct CoreContext { int32_t id; };\n"
        "__aicore__ inline void CopyTiling(TCubeTiling* tiling, GM_ADDR tilingGm) {}\n"
        "__aicore__ inline void Begin(CoreContext* context, GM_ADDR tilingGm) {}\n";
    const auto copied = scan(helper +
                             "__global__ void k(GM_ADDR a, GM_ADDR tilingGm) { TCubeTiling tiling; "
                             "CopyTiling(&tiling, tilingGm); }");
    EXPECT_EQ(copied[1].fields.size(), 50U);
    const auto other = scan(
        "struct CoreContext { int32_t id; };\n"
        "__aicore__ inline void Begin(CoreContext* context, GM_ADDR tilingGm) {}\n"
        "__global__ void k(GM_ADDR a, GM_ADDR tilingGm) { CoreContext c; Begin(&c, tilingGm); }");
    EXPECT_THAT(other[1].unlisted, HasSubstr("list its members"));
}

TEST(ArgumentScan, FindsTheStructThatALoopFillsWordByWord) {
    const auto copied = scan(
        "__global__ void k(GM_ADDR a, GM_ADDR bias, GM_ADDR tilingGm) { TCubeTiling tiling;\n"
        "auto words = reinterpret_cast<__gm__ uint32_t*>(tilingGm);\n"
        "for (int i = 0; i < sizeof(TCubeTiling) / sizeof(uint32_t); ++i) { put(i, words[i]); }\n"
        "biasGm.SetGlobalBuffer((__gm__ float*)bias); mm.SetBias(biasGm); }");
    ASSERT_EQ(copied[2].fields.size(), 50U);
    EXPECT_EQ(copied[2].struct_name, "TCubeTiling");
    for (const ScannedField& field : copied[2].fields) {
        EXPECT_TRUE(field.value.has_value()) << field.name << ": so that it runs as written";
        if (field.name == "isBias" || field.name == "usedCoreNum") {
            EXPECT_EQ(field.value, 1) << field.name;
        }
    }
}

TEST(ArgumentScan, FallsBackToConstAndToNames) {
    EXPECT_THAT(
        uses(
            scan("__global__ void k(const __gm__ float* out, __gm__ half* y_out, GM_ADDR a, GM_ADDR ws) {}")),
        ElementsAre("out input float32", "y_out output float16", "a input", "ws workspace"));
}

TEST(ArgumentScan, SeesResultsOfTheMatmulObject) {
    EXPECT_THAT(
        uses(scan("__global__ void k(GM_ADDR a, GM_ADDR b, GM_ADDR r) {\n"
                  "aGm.SetGlobalBuffer((__gm__ half*)a); bGm.SetGlobalBuffer((__gm__ half*)b);\n"
                  "cGm.SetGlobalBuffer((__gm__ float*)r); mm.SetTensorA(aGm[8]); mm.SetTensorB(bGm);\n"
                  "mm.template IterateAll<false>(cGm); }")),
        ElementsAre("a input float16", "b input float16", "r output float32"));
}

}  // namespace
}  // namespace ascendsim::skeleton
