// SPDX-License-Identifier: Apache-2.0
#include "networks/onnx/read_onnx.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::filesystem::path file_of(const std::string& name, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path{testing::TempDir()} / name;
    std::ofstream{file, std::ios::binary} << text;
    return file;
}

std::string network(const std::string& body, int opset = 17) {
    return "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
           "]>\nnet (float[N,4] x) => (float[N,4] y) {\n" + body + "\n}\n";
}

TEST(ReadOnnx, ReadsTheTextForm) {
    const Graph graph = read_onnx(file_of("good.onnxtxt", network("y = LeakyRelu <alpha = 0.25> (x)")));
    EXPECT_EQ(graph.name, "net");
    EXPECT_EQ(graph.opset, 17);
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_EQ(graph.nodes[0].op, "LeakyRelu");
    EXPECT_EQ(graph.nodes[0].real("alpha", 0), 0.25);
    ASSERT_EQ(graph.inputs.size(), 1U);
    EXPECT_EQ(graph.inputs[0].shape, (std::vector<Extent>{std::string{"N"}, std::uint64_t{4}}));
}

TEST(ReadOnnx, KeepsTheElementsOfSmallConstants) {
    const Graph graph = read_onnx(
        file_of("constant.onnxtxt", network("s = Constant <value_ints = [2, -1]> ()\ny = Reshape (x, s)")));
    EXPECT_EQ(graph.nodes[0].integers("value_ints", {}), (std::vector<std::int64_t>{2, -1}));
}

TEST(ReadOnnx, KeepsAllElementsOfConstantNodesIfAsked) {
    std::string list = "0";
    for (int i = 1; i < 70'000; ++i) {
        list += ", 0";
    }
    const std::filesystem::path file = file_of(
        "large.onnxtxt", network("s = Constant <value = float[70000] {" + list + "}> ()\ny = Relu (x)"));
    const auto kept = [&](Weights weights) {
        const Graph graph = read_onnx(file, weights);
        return std::get<Tensor>(graph.nodes[0].attributes.at("value")).known();
    };
    EXPECT_TRUE(kept(Weights::all));
    EXPECT_FALSE(kept(Weights::small));
}

TEST(ReadOnnx, ReadsBranches) {
    const Graph graph =
        read_onnx(file_of("branches.onnxtxt",
                          network("c = Constant <value = bool {1}> ()\n"
                                  "y = If (c) <then_branch = a () => (float[N,4] t) { t = Relu (x) }, "
                                  "else_branch = b () => (float[N,4] e) { e = Tanh (x) }>")));
    ASSERT_EQ(graph.nodes.size(), 2U);
    ASSERT_EQ(graph.nodes[1].branches.size(), 2U);
    EXPECT_EQ(graph.nodes[1].branches.at("then_branch")->nodes.at(0).op, "Relu");
    EXPECT_THAT(graph.nodes[1].branches.at("else_branch")->outputs, testing::ElementsAre("e"));
}

TEST(ReadOnnx, RefusesWhatIsNoNetwork) {
    EXPECT_THAT([] { (void)read_onnx(file_of("bad.onnx", "not a protobuf at all")); },
                ThrowsMessage<UserError>(HasSubstr("bad.onnx")));
    EXPECT_THAT([] { (void)read_onnx(file_of("bad.onnxtxt", "net (")); },
                ThrowsMessage<UserError>(HasSubstr("text form")));
    EXPECT_THAT([] { (void)read_onnx("/nowhere/net.onnx"); },
                ThrowsMessage<UserError>(HasSubstr("no such file")));
}

TEST(ReadOnnx, RefusesWhatLibonnxRefuses) {
    EXPECT_THAT([] { (void)read_onnx(file_of("op.onnxtxt", network("y = Smooth (x)"))); },
                ThrowsMessage<UserError>(HasSubstr("libonnx refuses it")));
}

TEST(ReadOnnx, RefusesAnOutputThatNoNodeMakes) {
    EXPECT_THAT([] { (void)read_onnx(file_of("output.onnxtxt", network("z = Relu (x)"))); },
                ThrowsMessage<UserError>(HasSubstr("no node makes the network's output 'y'")));
}

TEST(ReadOnnx, ConvertsOldOpsets) {
    EXPECT_EQ(read_onnx(file_of("old.onnxtxt", network("y = Relu (x)", 6))).opset, 7);
}

TEST(ReadOnnx, RefusesNewerOpsets) {
    EXPECT_THAT([] { (void)read_onnx(file_of("new.onnxtxt", network("y = Relu (x)", 18))); },
                ThrowsMessage<UserError>(HasSubstr("new.onnxtxt")));
}

/// A field of bytes as protobuf writes it.
std::string field(int number, const std::string& bytes) {
    return std::string{static_cast<char>(number * 8 + 2)} + static_cast<char>(bytes.size()) + bytes;
}

/// A network, as protobuf writes it, that adds to x [4] the constant w; `elements` is what its file has of
/// that.
std::string network_with_constant(const std::string& extents, const std::string& elements) {
    const std::string type = field(2, field(1, "\x08\x01" + field(2, field(1, "\x08\x04"))));
    const std::string w = extents + "\x10\x01" + field(8, "w") + elements;
    const std::string node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add");
    return "\x08\x08" +
           field(7,
                 field(1, node) + field(2, "net") + field(5, w) + field(11, field(1, "x") + type) +
                     field(12, field(1, "y") + type)) +
           field(8, "\x10\x0e");
}

/// One whose w [4] another file holds. `place` says more of where.
std::string network_with_weights_in(const std::string& file, const std::string& place = {}) {
    return network_with_constant("\x08\x04",
                                 field(13, field(1, "location") + field(2, file)) + place + "\x70\x01");
}

TEST(ReadOnnx, FindsWeightsBesideTheNetworkFromAnyFolder) {
    file_of("beside.bin", std::string(16, '\0'));
    const std::filesystem::path file = file_of("beside.onnx", network_with_weights_in("beside.bin"));
    EXPECT_TRUE(read_onnx(file, Weights::all).constants.at("w").known());
}

TEST(ReadOnnx, RefusesANetworkWithoutItsWeights) {
    const std::filesystem::path file = file_of("alone.onnx", network_with_weights_in("nowhere.bin"));
    EXPECT_THAT([&file] { (void)read_onnx(file); }, ThrowsMessage<UserError>(HasSubstr("nowhere.bin")));
}

/// Whether elements are read or not, as for times alone.
TEST(ReadOnnx, RefusesWeightsBesideTheNetworkThatEndEarly) {
    file_of("short.bin", std::string(12, '\0'));  // of 4 x 4 B
    const std::filesystem::path file = file_of("short.onnx", network_with_weights_in("short.bin"));
    for (const Weights weights : {Weights::small, Weights::all}) {
        EXPECT_THAT([&] { (void)read_onnx(file, weights); },
                    ThrowsMessage<UserError>(AllOf(
                        HasSubstr("constant 'w' of float32 [4] needs 16 B from byte 0 of 'short.bin' on"),
                        HasSubstr("the file has 12 B there"))));
    }
}

TEST(ReadOnnx, AConstantEndsWhereItsLengthSaysSo) {
    file_of("long.bin", std::string(20, '\0'));
    const auto file = [](const std::string& length) {
        return file_of("length.onnx",
                       network_with_weights_in("long.bin",
                                               field(13, field(1, "offset") + field(2, "4")) +
                                                   field(13, field(1, "length") + field(2, length))));
    };
    EXPECT_NO_THROW((void)read_onnx(file("16")));  // bytes 4 to 19
    EXPECT_THAT([&] { (void)read_onnx(file("8")); },
                ThrowsMessage<UserError>(HasSubstr("16 B there, of which 8 are the constant's")));
    EXPECT_THAT([&] { (void)read_onnx(file("8x")); },
                ThrowsMessage<UserError>(HasSubstr("its length in another file is '8x'")));
}

/// Constants so large that their elements are not read for times alone.
TEST(ReadOnnx, RefusesConstantsThatEndEarly) {
    const std::string extents = "\x08\x80\x80\x08";  // 2^17
    const std::string three(12, '\0');               // floats
    const auto raw = file_of("raw.onnx", network_with_constant(extents, field(9, three)));
    EXPECT_THAT([&] { (void)read_onnx(raw); },
                ThrowsMessage<UserError>(HasSubstr("'w' of float32 [131072] needs 524288 B: the network's "
                                                   "file has 12 B of it")));
    const auto listed = file_of("listed.onnx", network_with_constant(extents, field(4, three)));
    EXPECT_THAT([&] { (void)read_onnx(listed); },
                ThrowsMessage<UserError>(HasSubstr("'w' of float32 [131072] holds 3 elements")));
}

/// A network, as protobuf writes it, of a ReLU from x to a tensor, and an output.
std::string network_of_names(const std::string& made, const std::string& output) {
    const std::string type = field(2, field(1, "\x08\x01" + field(2, field(1, "\x08\x04"))));
    const std::string node = field(1, "x") + field(2, made) + field(4, "Relu");
    return "\x08\x08" +
           field(7,
                 field(1, node) + field(2, "net") + field(11, field(1, "x") + type) +
                     field(12, field(1, output) + type)) +
           field(8, "\x10\x0e");
}

TEST(ReadOnnx, NamesCanBePrinted) {
    const std::filesystem::path file =
        file_of("names.onnx", network_of_names("y\x1b[2J\xff", "y\x1b[2J\xff"));
    const Graph graph = read_onnx(file);
    EXPECT_THAT(graph.outputs, testing::ElementsAre("y\\x1b[2J\\xff"));
    EXPECT_EQ(graph.nodes.at(0).outputs, graph.outputs);
}

TEST(ReadOnnx, MessagesShowNamesThatCanBePrinted) {
    const std::filesystem::path file = file_of("unmade.onnx", network_of_names("y", "z\a\xfe"));
    EXPECT_THAT([&file] { (void)read_onnx(file); },
                ThrowsMessage<UserError>(HasSubstr("no node makes the network's output 'z\\x07\\xfe'")));
}

TEST(ReadOnnx, WhatLibonnxSaysCanBePrinted) {
    // libonnx names the constant whose file is missing.
    const std::filesystem::path file = file_of("raw_name.onnx", network_with_weights_in("no\x1b\xfd.bin"));
    EXPECT_THAT([&file] { (void)read_onnx(file); }, ThrowsMessage<UserError>(HasSubstr("no\\x1b\\xfd.bin")));
}

/// Every prefix of a sound file ends with a network or a sentence.
TEST(ReadOnnx, SurvivesFilesThatEndEarly) {
    const std::string whole = network("y = Relu (x)");
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        const std::filesystem::path file = file_of("cut.onnxtxt", whole.substr(0, length));
        EXPECT_THROW((void)read_onnx(file), UserError) << length;
    }
}

}  // namespace
}  // namespace ascendsim::networks
