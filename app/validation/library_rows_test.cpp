// SPDX-License-Identifier: Apache-2.0
// Rows as calls of a library's operators. The library here has definitions alone: nothing is run.
#include "app/validation/library_rows.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

namespace ascendsim::validation {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* definition = R"(#include <register/op_def_registry.h>
namespace ops {
class FusedInferAttentionScore : public OpDef {
public:
    explicit FusedInferAttentionScore(const char* name) : OpDef(name) {
        for (const char* one : {"query", "key", "value"}) {
            this->Input(one).ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_BF16});
        }
        this->Input("atten_mask").ParamType(OPTIONAL).DataTypeList({ge::DT_BOOL});
        this->Input("actual_seq_lengths_kv").ParamType(OPTIONAL).DataTypeList({ge::DT_INT64}).ValueDepend(OPTIONAL);
        this->Input("query_rope").ParamType(OPTIONAL).Follow("query");
        this->Input("key_rope").ParamType(OPTIONAL).Follow("query");
        this->Output("attention_out").ParamType(REQUIRED).Follow("query");
        this->Attr("num_heads").AttrType(REQUIRED).Int();
        this->Attr("scale").AttrType(OPTIONAL).Float(1.0);
        this->Attr("input_layout").AttrType(OPTIONAL).String("BSH");
        this->Attr("num_key_value_heads").AttrType(OPTIONAL).Int(0);
        this->Attr("sparse_mode").AttrType(OPTIONAL).Int(0);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(FusedInferAttentionScore);
}
)";

class AttentionOfALibrary : public testing::Test {
protected:
    const toolchain::Installation installation = toolchain::Installation::find();
    const fs::path cache = installation.libraries.parent_path() / "test_cache";
    const fs::path folder =
        cache / "attention_library" / testing::UnitTest::GetInstance()->current_test_info()->name();

    void SetUp() override {
        setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        const fs::path file = folder / "fused_infer_attention_score/op_host/attention_def.cpp";
        fs::create_directories(file.parent_path());
        std::ofstream{file} << definition;
    }

    /// The scenario of a row, as text; why there is none, if so.
    [[nodiscard]] std::string scenario(const char* shape, const char* dtype, const char* notes) {
        const Measurement given{
            .kernel = "gqa (FusedInferAttentionScore)", .shape = shape, .dtype = dtype, .notes = notes};
        ChipSpec chip;
        chip.name = "910b2";
        const std::optional<LibraryCase> found = LibraryRows{folder, installation}.of(Row{given}, chip);
        if (!found || found->scenario.empty()) {
            return found ? found->why_not : "no such operator";
        }
        std::ifstream stream{found->scenario};
        return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    }
};

TEST_F(AttentionOfALibrary, GetsHeadsLayoutScaleAndLengthsOfTheRow) {
    const std::string text =
        scenario("16x1x32x128; 16x1024x8x128; 16x1024x8x128", "bf16", "inputLayout: BSND, is_causal: true");
    EXPECT_THAT(text, HasSubstr("num_heads = 32, num_key_value_heads = 8, input_layout = \"BSND\""));
    EXPECT_THAT(text, HasSubstr("scale = 0.088388"));  // 1 / sqrt(128)
    // One token sees all keys before it: no mask.
    EXPECT_THAT(text, HasSubstr("sparse_mode = 0"));
    EXPECT_THAT(text, Not(HasSubstr("atten_mask")));
    EXPECT_THAT(text, HasSubstr("name = \"query\"\nshape = [16, 1, 32, 128]\ntype = \"bfloat16\""));
    EXPECT_THAT(text, HasSubstr("name = \"key\"\nshape = [16, 1024, 8, 128]"));
    EXPECT_THAT(text,
                HasSubstr("name = \"actual_seq_lengths_kv\"\nvalues = [1024, 1024, 1024, 1024, 1024, 1024,"));
    // The definition has no input of this name.
    EXPECT_THAT(text, Not(HasSubstr("name = \"actual_seq_lengths\"\n")));
}

TEST_F(AttentionOfALibrary, GetsTheMaskThatACausalRunWants) {
    const std::string text =
        scenario("2x256x8x64; 2x256x8x64; 2x256x8x64", "fp16", "inputLayout: BSND, is_causal: true");
    EXPECT_THAT(text, HasSubstr("sparse_mode = 3"));
    EXPECT_THAT(text, HasSubstr("name = \"atten_mask\"\nshape = [2048, 2048]\ntype = \"bool\""));
}

TEST_F(AttentionOfALibrary, GetsRotatedPartsAndHeadsBeforeTokens) {
    const std::string text = scenario("60x128x1x512; 60x128x1x64; 60x1x2048x512; 60x1x2048x64; 60x1x2048x512",
                                      "fp16",
                                      "inputLayout: BNSD, is_causal: false");
    EXPECT_THAT(text, HasSubstr("input_layout = \"BNSD\""));
    EXPECT_THAT(text, HasSubstr("scale = 0.041667"));  // 1 / sqrt(512 + 64)
    EXPECT_THAT(text, HasSubstr("name = \"query_rope\"\nshape = [60, 128, 1, 64]"));
    EXPECT_THAT(text, HasSubstr("name = \"key_rope\"\nshape = [60, 1, 2048, 64]"));
}

}  // namespace
}  // namespace ascendsim::validation
