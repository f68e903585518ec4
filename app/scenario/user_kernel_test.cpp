// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/user_kernel.hpp"

#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/scenario/packed_fields.hpp"
#include "sim/base/error.hpp"
#include "sim/config/text_mutation.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class UserKernelFile : public testing::Test {
protected:
    fs::path folder = fs::path{testing::TempDir()} /
                      (std::string{"user_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        fs::create_directories(folder);
        std::ofstream{folder / "k.cpp"} << "__global__ __cube__ void only(GM_ADDR x) {}\n";
    }

    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] UserKernel read(const std::string& text) const {
        TableReader root = TomlFile::parse(text, (folder / "k.toml").string()).reader();
        UserKernel kernel = read_user_kernel(root, folder / "k.cpp");
        root.finish();
        return kernel;
    }

    [[nodiscard]] std::string error(const std::string& text) const {
        try {
            static_cast<void>(read(text));
        } catch (const UserError& thrown) {
            return thrown.what();
        }
        return "no error";
    }
};

const std::string one_tensor = "[launch]\n[[args]]\nname = \"x\"\ntype = \"float16\"\nshape = [4, 8]\n";

TEST_F(UserKernelFile, TakesTheOnlyFunctionAndItsCores) {
    const UserKernel kernel = read(one_tensor);
    ASSERT_EQ(kernel.plan.launches.size(), 1);
    EXPECT_EQ(kernel.plan.launches[0].entry, "only");
    EXPECT_EQ(kernel.plan.launches[0].cores, CoreUse::aic);
    EXPECT_EQ(kernel.plan.buffers[0].bytes(), 64);
    EXPECT_EQ(kernel.plan.work.gm_bytes, 64);
}

TEST_F(UserKernelFile, TakesTheFirstDeclaredInstanceOfATemplate) {
    std::ofstream{folder / "k.cpp"}
        << "ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(T, C_DT_BF16, C_DT_FLOAT),\n"
           "ASCENDC_TPL_BOOL_SEL(last, 1, 0)));\n"
           "template <typename T, bool last> __global__ __vector__ void only(GM_ADDR x) {}\n";
    EXPECT_EQ(read(one_tensor).plan.launches[0].entry, "only<bfloat16_t, 1>");
    const std::string named = "entry = \"only<half, 0>\"\n";
    EXPECT_EQ(read("[launch]\n" + named + one_tensor.substr(9)).plan.launches[0].entry, "only<half, 0>");
}

TEST_F(UserKernelFile, ReadsEveryKindOfArgument) {
    const UserKernel kernel =
        read(one_tensor +
             "fill = { normal = [1, 2] }\n"
             "[[args]]\nname = \"w\"\nrole = \"workspace\"\nbytes = 1000\n"
             "[[args]]\nname = \"t\"\nrole = \"tiling\"\nfields = [{ name = \"n\", type = \"uint32\", value "
             "= 5 }]\n"
             "[[args]]\nname = \"n\"\nrole = \"value\"\ntype = \"float\"\nvalue = 0.5\n"
             "[[args]]\nname = \"s\"\nrole = \"struct\"\nfields = [{ type = \"int8\", value = 1 }]\n");
    const std::vector<host::Argument>& arguments = kernel.plan.launches[0].arguments;
    ASSERT_EQ(arguments.size(), 5);
    EXPECT_EQ(arguments[1].buffer, "w");
    EXPECT_EQ(arguments[3].value.size(), 4);
    EXPECT_EQ(arguments[4].value.size(), 1);
    EXPECT_EQ(std::get<host::fill::Normal>(kernel.plan.buffers[0].fill).deviation, 2);
    EXPECT_TRUE(kernel.plan.buffers[2].control);
}

TEST_F(UserKernelFile, ShapesAndValuesMayBeFormulasOfOtherArguments) {
    const std::string rows = "[[args]]\nname = \"rows\"\nrole = \"value\"\ntype = \"uint32\"\nvalue = 6\n";
    const std::string tail =
        "[[args]]\nname = \"total\"\nrole = \"value\"\ntype = \"uint32\"\nvalue = \"rows * 16\"\n";
    const std::string x = "[launch]\n[[args]]\nname = \"x\"\ntype = \"float16\"\nshape = ";
    const UserKernel kernel = read(x + "[\"rows\", 16]\n" + rows + tail);
    EXPECT_EQ(kernel.plan.buffers[0].shape, (std::vector<std::uint64_t>{6, 16}));
    std::uint32_t total = 0;
    std::memcpy(&total, kernel.plan.launches[0].arguments[2].value.data(), sizeof(total));
    EXPECT_EQ(total, 96U);
    EXPECT_THAT(error(x + "[\"row\"]\n" + rows), HasSubstr("did you mean 'rows'?"));
    EXPECT_THAT(error(x + "[\"rows / 4\"]\n" + rows), HasSubstr("comes to 1.5, which is no extent"));
}

TEST_F(UserKernelFile, AReferenceMayBeAFormulaOfTheInputs) {
    const std::string output =
        "[[args]]\nname = \"z\"\nrole = \"output\"\ntype = \"float16\"\nshape = [4, 8]\nexpect = ";
    const std::string scale = "[[args]]\nname = \"a\"\nrole = \"value\"\ntype = \"float\"\nvalue = 0.5\n";
    const UserKernel kernel = read(one_tensor + output + "\"relu(x) + a\"\n" + scale);
    ASSERT_TRUE(kernel.plan.reference);
    host::ReferenceData data;
    std::vector<std::byte> bytes(64);
    bytes[1] = std::byte{0x3c};  // the first half is 1
    bytes[3] = std::byte{0xbc};  // the second -1
    data.add(kernel.plan.buffers[0], bytes);
    data.add(kernel.plan.buffers[1], bytes);
    kernel.plan.reference(data);
    EXPECT_DOUBLE_EQ(data.expected("z")[0], 1.5);
    EXPECT_DOUBLE_EQ(data.expected("z")[1], 0.5);
    EXPECT_THAT(error(one_tensor + output + "\"relu(y)\"\n"),
                HasSubstr("'y' is neither a file (.npy) nor an argument of the kernel"));
}

TEST_F(UserKernelFile, ALaunchMayPickAndRepeatArguments) {
    const UserKernel kernel = read("[[launch]]\nblocks = 2\narguments = [\"x\", \"x\"]\n[[launch]]\n" +
                                   one_tensor.substr(one_tensor.find("[[args")));
    EXPECT_EQ(kernel.plan.launches.size(), 2);
    EXPECT_EQ(kernel.plan.launches[0].arguments.size(), 2);
}

TEST_F(UserKernelFile, ErrorsNamePlaceAndNearestName) {
    EXPECT_THAT(
        error("[launch]\nentry = \"onyl\"\n"),
        HasSubstr("k.toml:2: launch.entry: 'onyl' is no kernel function of k.cpp, did you mean 'only'?"));
    EXPECT_THAT(error(one_tensor + "fill = \"unifrom\"\n"), HasSubstr("did you mean 'uniform'?"));
    EXPECT_THAT(error(one_tensor + "controll = true\n"), HasSubstr("did you mean 'control'?"));
    EXPECT_THAT(
        error("[launch]\narguments = [\"y\"]\n[[args]]\nname = \"x\"\nrole = \"workspace\"\nbytes = 1\n"),
        HasSubstr("'y' is no argument"));
    EXPECT_THAT(error(one_tensor + "[[args]]\nname = \"x\"\n"), HasSubstr("'x' is there twice"));
    EXPECT_THAT(error("[[args]]\nname = \"x\"\ntype = \"float16\"\nshape = [1]\n"), HasSubstr("launch"));
}

TEST_F(UserKernelFile, TakesAFunctionThatAMacroOfTheSourceMakes) {
    std::ofstream{folder / "k.cpp"}
        << "#define DEF(S) extern \"C\" __global__ __aicore__ void k_##S(GM_ADDR x) {}\n"
           "DEF(half)\nDEF(float)\n";
    const auto named = [](const std::string& entry) { return "[launch]\nentry = \"" + entry + "\"\n"; };
    const std::string tensor = one_tensor.substr(one_tensor.find("[[args"));
    EXPECT_EQ(read(named("k_half") + tensor).plan.launches[0].entry, "k_half");
    EXPECT_THAT(
        error(named("k_haf") + tensor),
        HasSubstr(
            "'k_haf' is no kernel function of k.cpp, did you mean 'k_half'? (it has: k_half, k_float)"));
    std::ofstream{folder / "k.cpp"} << "#include \"entries.h\"\n";
    EXPECT_THAT(error(named("k_half") + tensor), HasSubstr("nor do macros of its own make one"));
}

TEST_F(UserKernelFile, HoldsTypesAgainstWhatTheKernelTakesThemFor) {
    std::ofstream{folder / "k.cpp"} << R"(
class Op {
    __aicore__ void Init(GM_ADDR x, GM_ADDR bits, GM_ADDR either, GM_ADDR raw) {
        a.SetGlobalBuffer((__gm__ half*)x, 4);
        b.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(bits));
        c.SetGlobalBuffer((__gm__ half*)either);
        d.SetGlobalBuffer((__gm__ float*)either);
        e.SetGlobalBuffer((__gm__ uint8_t*)raw);
    }
    GlobalTensor<half> a;
};
__global__ __aicore__ void only(GM_ADDR x, GM_ADDR bits, GM_ADDR either, GM_ADDR raw) {
    Op op;
    op.Init(x, bits, either, raw);
}
)";
    const auto with = [this](std::string_view types) {
        std::string text = "[launch]\n";
        std::istringstream words{std::string{types}};
        for (const char* name : {"x", "bits", "either", "raw"}) {
            std::string type;
            words >> type;
            text += fmt::format("[[args]]\nname = \"{}\"\ntype = \"{}\"\nshape = [4]\n", name, type);
        }
        return error(text);
    };
    EXPECT_EQ(with("float16 uint16 float64 float64"), "no error");
    EXPECT_EQ(with("uint8 bfloat16 int32 float16"), "no error");
    EXPECT_THAT(
        with("float64 bfloat16 float16 uint8"),
        HasSubstr(
            "k.toml:1: launch: argument 'x' has the type float64, but the kernel takes it for float16"));
    EXPECT_THAT(with("int32 bfloat16 float16 uint8"), HasSubstr("'x' has the type int32"));
    EXPECT_THAT(with("float16 float16 float16 uint8"), HasSubstr("'bits' has the type float16"));
}

TEST_F(UserKernelFile, HoldsValuesAgainstTheParametersTheyAreFor) {
    std::ofstream{folder / "k.cpp"} << R"(
enum class Mode : unsigned { plain };
__global__ __aicore__ void only(GM_ADDR x, uint32_t total, const float scale, Mode mode) {}
)";
    const auto with = [this](std::string_view total, std::string_view scale, std::string_view mode) {
        return error(
            fmt::format("[launch]\n[[args]]\nname = \"x\"\ntype = \"float16\"\nshape = [4]\n"
                        "[[args]]\nname = \"n\"\nrole = \"value\"\ntype = \"{}\"\nvalue = 7\n"
                        "[[args]]\nname = \"s\"\nrole = \"value\"\ntype = \"{}\"\nvalue = 2\n"
                        "[[args]]\nname = \"m\"\nrole = \"value\"\ntype = \"{}\"\nvalue = 0\n",
                        total,
                        scale,
                        mode));
    };
    EXPECT_EQ(with("uint32", "float32", "uint32"), "no error");
    EXPECT_EQ(with("int32", "float32", "uint8"), "no error");  // an enumeration may be of any width
    EXPECT_THAT(with("float32", "float32", "uint32"),
                HasSubstr("k.toml:1: launch: argument 'n' has the type float32, but the kernel takes uint32 "
                          "(uint32_t total); give it type uint32"));
    EXPECT_THAT(with("int64", "float32", "uint32"), HasSubstr("'n' has the type int64"));
    EXPECT_THAT(with("uint32", "int32", "uint32"), HasSubstr("'s' has the type int32"));
    EXPECT_THAT(with("uint32", "float16", "uint32"), HasSubstr("'s' has the type float16"));
    const std::string swapped =
        "[launch]\narguments = [\"n\", \"x\"]\n[[args]]\nname = \"x\"\ntype = \"float16\"\nshape = [4]\n"
        "[[args]]\nname = \"n\"\nrole = \"value\"\ntype = \"uint32\"\nvalue = 7\n";
    const std::string as_number = "[launch]\n[[args]]\nname = \"x\"\ntype = \"float16\"\nshape = [4]\n";
    std::ofstream{folder / "k.cpp"} << "__global__ __aicore__ void only(uint64_t x) {}\n";
    EXPECT_EQ(error(as_number), "no error");  // kernels take addresses as numbers, too
    std::ofstream{folder / "k.cpp"} << "__global__ __aicore__ void only(uint32_t x) {}\n";
    EXPECT_THAT(error(as_number),
                HasSubstr("argument 'x' is an address, but the kernel takes a value (uint32_t x)"));
    std::ofstream{folder / "k.cpp"} << "__global__ __aicore__ void only(GM_ADDR x, uint32_t total) {}\n";
    EXPECT_THAT(error(swapped),
                HasSubstr("argument 'n' is a value, but the kernel takes an address (GM_ADDR x)"));
}

TEST_F(UserKernelFile, AnyDamageEndsInAUserErrorOrAKernel) {
    TextMutation mutated{9};
    const std::string text =
        one_tensor +
        "fill = { uniform = [-1, 1] }\n[[args]]\nname = \"t\"\nrole = \"tiling\"\n"
        "fields = [{ name = \"n\", type = \"uint32\", value = [5, 6] }]\n[work]\ncube_flops = 1e9\n";
    for (int round = 0; round < 3000; ++round) {
        const std::string damaged = mutated(text);
        const std::string outcome = error(damaged);  // any other exception, or a crash, fails the test
        EXPECT_FALSE(outcome.empty()) << damaged;
    }
}

TEST_F(UserKernelFile, FieldsAreLaidOutAsACompilerDoes) {
    struct Mixed {
        std::uint8_t flag;
        std::uint32_t total;
        std::uint16_t tiles[3];
        std::int64_t offset;
        float scale;
    };

    const TomlFile file = TomlFile::parse(
        "f = [{ type = \"uint8\", value = 1 }, { type = \"uint32\", value = 4000000000 }, "
        "{ type = \"uint16\", value = [1, 2, 3] }, { type = \"int64\", value = -5 }, { type = \"float32\", "
        "value = 0.25 }]",
        "f.toml");
    const std::vector<std::byte> bytes = pack_fields(file.reader().require("f"));
    ASSERT_EQ(bytes.size(), sizeof(Mixed));
    Mixed mixed{};
    std::memcpy(&mixed, bytes.data(), sizeof mixed);
    EXPECT_EQ(mixed.flag, 1);
    EXPECT_EQ(mixed.total, 4000000000U);
    EXPECT_EQ(mixed.tiles[2], 3);
    EXPECT_EQ(mixed.offset, -5);
    EXPECT_EQ(mixed.scale, 0.25F);
}

TEST_F(UserKernelFile, AFieldMustFitItsType) {
    for (const char* text : {"f = [{ type = \"uint8\", value = 256 }]",
                             "f = [{ type = \"uint32\", value = -1 }]",
                             "f = [{ type = \"int64\", value = 1.5 }]",
                             "f = [{ type = \"int4\", value = 1 }]"}) {
        EXPECT_THROW(static_cast<void>(pack_fields(TomlFile::parse(text, "f").reader().require("f"))),
                     UserError)
            << text;
    }
}

}  // namespace
}  // namespace ascendsim::scenario
