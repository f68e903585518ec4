// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/operator_columns.hpp"

#include <gmock/gmock.h>

#include "runtime/acl/host_inference.hpp"
#include "runtime/acl/include/util/math_util.h"
#include "runtime/acl/template_selection.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::tiling {
namespace {

using testing::ElementsAre;

/// Two types on every chip, a third on one; a mask that is always bool, an index of either width.
ops::OpDef definition() {
    ops::OpDef result{"Choose"};
    result.Input("x").DataType({ge::DT_FLOAT16, ge::DT_FLOAT}).Format({ge::FORMAT_FRACTAL_NZ, ge::FORMAT_ND});
    result.Input("mask").ParamType(ops::OPTIONAL).DataType({ge::DT_BOOL, ge::DT_BOOL});
    result.Input("index").DataTypeList({ge::DT_INT32, ge::DT_INT64});
    result.Output("y").Follow("x");
    ops::OpAICoreConfig config;
    config.Input("x").DataType({ge::DT_BF16}).Format({ge::FORMAT_ND});
    result.AICore().AddConfig("ascend910b").AddConfig("ascend910_93", config);
    return result;
}

OperatorCall call_with(const std::string& name, std::int32_t type) {
    OperatorCall call;
    call.parameters.push_back({name, {{.shape = {}, .type = type, .format = {}, .data = {}}}});
    return call;
}

TEST(OperatorColumns, PlainLayoutsComeFirst) {
    const ops::OpDef all = definition();
    const Column column = chosen_column(definition_on(all, "ascend910b"), OperatorCall{});
    EXPECT_EQ(column.at("x").type, ge::DT_FLOAT);
    EXPECT_EQ(column.at("x").format, ge::FORMAT_ND);
    EXPECT_EQ(column.at("out:y").type, ge::DT_FLOAT);
    EXPECT_EQ(column.at("mask").type, ge::DT_BOOL);
}

TEST(OperatorColumns, ATypeThatIsNamedChoosesTheColumn) {
    const ops::OpDef all = definition();
    const ChipDefinition here = definition_on(all, "ascend910b");
    const Column column = chosen_column(here, call_with("x", ge::DT_FLOAT16));
    EXPECT_EQ(column.at("x").format, ge::FORMAT_FRACTAL_NZ);
    EXPECT_EQ(column.at("out:y").type, ge::DT_FLOAT16);
    EXPECT_EQ(chosen_column(here, call_with("index", ge::DT_INT64)).at("index").type, ge::DT_INT64);
    EXPECT_THROW(static_cast<void>(chosen_column(here, call_with("mask", ge::DT_INT8))), UserError);
}

TEST(OperatorColumns, AChipHasParametersOfItsOwn) {
    const ops::OpDef all = definition();
    const Column column = chosen_column(definition_on(all, "ascend910_93"), OperatorCall{});
    EXPECT_EQ(column.at("x").type, ge::DT_BF16);
    EXPECT_THROW(static_cast<void>(definition_on(all, "ascend310p")), UserError);
}

std::vector<std::int64_t> extents(const gert::Shape& shape) {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        all.push_back(shape.GetDim(i));
    }
    return all;
}

// A fractal is 16 rows of 32 bytes: 16 halves, 32 bytes of int8, 64 of int4.
TEST(OperatorColumns, PrivateLayoutsAreStoredInFractals) {
    const auto stored = [](gert::Shape shape, ge::DataType type, ge::Format format) {
        return extents(stored_shape(shape, {type, format}));
    };
    EXPECT_THAT(stored({3, 40, 100}, ge::DT_FLOAT16, ge::FORMAT_FRACTAL_NZ), ElementsAre(3, 7, 3, 16, 16));
    EXPECT_THAT(stored({40, 100}, ge::DT_INT8, ge::FORMAT_FRACTAL_NZ), ElementsAre(4, 3, 16, 32));
    EXPECT_THAT(stored({40, 100}, ge::DT_INT4, ge::FORMAT_FRACTAL_NZ), ElementsAre(2, 3, 16, 64));
    EXPECT_THAT(stored({2, 20, 5, 6}, ge::DT_FLOAT16, ge::FORMAT_NC1HWC0), ElementsAre(2, 2, 5, 6, 16));
    EXPECT_THAT(stored({2, 20}, ge::DT_FLOAT16, ge::FORMAT_ND), ElementsAre(2, 20));
}

TEST(TemplateSelection, AKeyLeadsBackToItsArguments) {
    using Kind = TemplateItemKind;
    declare_template("Chosen",
                     {value_item(Kind::argument, "type", 8, {0, 1}),
                      number_item("depth", 4, {1, 2, 8}),
                      value_item(Kind::argument, "flag", 1, {0, 1})});
    select_templates({{value_item(Kind::argument, "type", 8, {1}),
                       number_item("depth", 8, {1, 2}),
                       value_item(Kind::core_kind, "", 0, {4})},
                      {value_item(Kind::argument, "type", 8, {1}),
                       number_item("depth", 8, {0, 1, 7, 9}),
                       TemplateItem{Kind::structure, "Deep", 0, {}}}});
    const TemplateChoice first = template_choice("Chosen", template_key(1, 2, true));
    EXPECT_THAT(first.arguments, ElementsAre(1, 2, 1));
    EXPECT_THAT(first.names, ElementsAre("type", "depth", "flag"));
    EXPECT_EQ(first.core_kind, 4);
    // 8 lies in the range from 7 to 9 of the second selection.
    EXPECT_EQ(template_choice("Chosen", template_key(1, 8, false)).structure, "Deep");
    // 40 does not fit its 4 bits: its key differs from that of what it would run into all the same.
    EXPECT_NE(template_key(1, 40, false), template_key(1, 8, true));
    EXPECT_FALSE(template_choice("Chosen", 12345).known);
}

TEST(TemplateSelection, AnArgumentSaysTheKindOfCores) {
    using Kind = TemplateItemKind;
    // a process knows all templates by how many arguments they have: as many as no other test's
    declare_template("ByCores",
                     {value_item(Kind::argument, "a", 1, {0, 1}),
                      value_item(Kind::argument, "b", 1, {0, 1}),
                      value_item(Kind::argument, "c", 1, {0, 1}),
                      value_item(Kind::core_argument, "cores", 8, {4, 5})});
    select_templates({{selected_values("a", "1"), selected_values("cores", "4, 5")}});
    EXPECT_EQ(template_choice("ByCores", template_key(1, 0, 1, 5)).core_kind, 5);
    EXPECT_EQ(template_choice("ByCores", template_key(1, 0, 1, 4)).core_kind, 4);
}

TEST(TemplateSelection, WithoutAKeyTheChipTakesTheFirstNumberOfEachList) {
    using Kind = TemplateItemKind;
    // Five and six arguments: as many as no other test's. Keys hold the place of a number in its list.
    const TemplateItem flag = value_item(Kind::argument, "flag", 1, {0, 1});
    const TemplateItem mode = number_item("mode", 2, {1, 7, 3});
    declare_template("Keyless", {flag, mode, mode, mode, mode});
    select_templates({{number_item("mode", 0, {1, 7})}});
    EXPECT_THAT(template_choice("Keyless", 0).arguments, ElementsAre(0, 7, 7, 7, 7));
    EXPECT_FALSE(template_choice("Keyless", 1).known);
    EXPECT_FALSE(template_choice("OfAnother", 0).known);
    // Types are in a key by their number, and no selection is for 0, float.
    declare_template("KeylessType",
                     {value_item(Kind::argument, "type", 8, {0, 1}), mode, mode, mode, mode, mode});
    select_templates({{selected_values("type", "C_DT_FLOAT16")}});
    EXPECT_FALSE(template_choice("KeylessType", 0).known);
}

TEST(TemplateSelection, WordsThatNothingDefinesAreLeftOut) {
    EXPECT_THAT(selected_numbers("n", "1, 3, NOT_DEFINED, 5").values, ElementsAre(3, 5));
    EXPECT_THAT(selected_values("t", "C_DT_BF16, 7, true").values, ElementsAre(27, 7, 1));
}

TEST(HostInference, ShapesAreBroadcastFromTheRight) {
    const gert::Shape a{4, 1, 6};
    const gert::Shape b{5, 1};
    gert::Shape result;
    ASSERT_TRUE(Ops::Base::BroadcastShape(&a, &b, &result));
    EXPECT_THAT(extents(result), ElementsAre(4, 5, 6));
    const gert::Shape none{4, 5, 5};
    EXPECT_FALSE(Ops::Base::BroadcastShape(&a, &none, &result));
}

TEST(HostArithmetic, DivisionRoundsUpAndByZeroGivesTheNumber) {
    EXPECT_EQ(Ops::Base::CeilDiv(7, 2), 4);
    EXPECT_EQ(Ops::Base::CeilDiv(-7, 2), -3);
    EXPECT_EQ(Ops::Base::CeilDiv(7U, 0U), 7U);
    EXPECT_EQ(Ops::Base::CeilAlign(33, 32), 64);
    EXPECT_EQ(Ops::Base::FloorAlign(63, 32), 32);
}

}  // namespace
}  // namespace ascendsim::tiling
