// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/fixpipe.hpp"

#include <bit>
#include <cmath>

#include <gmock/gmock.h>

#include "models/isa/testing/cube_fixture.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

class FixpipeTest : public CubeFixture {
protected:
    void SetUp() override {
        for (std::size_t i = 0; i < 32768; ++i) {
            put<float>(
                local(Memory::l0c), i, std::uniform_real_distribution<float>{-300.0F, 300.0F}(random_));
        }
    }

    float result(const FixpipeOperands& operands, std::uint32_t row, std::uint32_t column) {
        return get<float>(local(Memory::l0c, operands.source),
                          (column / 16 * operands.source_pitch + row) * 16 + column % 16);
    }

    FixpipeOperands random_operands() {
        FixpipeOperands operands{.source = 64 * random(0, 4), .n = random(1, 70), .m = random(1, 60)};
        operands.source_pitch = round_up(operands.m, 16U);
        operands.destination_pitch = operands.n + random(0, 10);
        return operands;
    }

    std::byte* output_ = memory_.allocate("output", 1U << 20U);
    std::uint64_t offset_ = memory_.offset_of(output_);
};

TEST_F(FixpipeTest, WritesRowsInEveryFloatType) {
    for (int trial = 0; trial < 30; ++trial) {
        FixpipeOperands operands = random_operands();
        operands.relu = trial % 2 == 0;
        constexpr DataType types[]{DataType::float32, DataType::half, DataType::bfloat16};
        operands.destination_type = types[trial % 3];
        issue(FixpipeToGm{.operands = operands, .destination = offset_}, Site::here());
        for (std::uint32_t row = 0; row < operands.m; ++row) {
            for (std::uint32_t column = 0; column < operands.n; ++column) {
                const float value = result(operands, row, column);
                const float expected = operands.relu && value < 0 ? 0.0F : value;
                const std::size_t at = row * operands.destination_pitch + column;
                switch (trial % 3) {
                    case 0:
                        ASSERT_EQ(get<float>(output_, at), expected);
                        break;
                    case 1:
                        ASSERT_EQ(get<half>(output_, at).bits(), half{expected}.bits());
                        break;
                    default:
                        ASSERT_EQ(get<bfloat16>(output_, at).bits(), bfloat16{expected}.bits());
                        break;
                }
            }
        }
    }
}

TEST_F(FixpipeTest, WritesSeveralMatricesAtTheirPitches) {
    FixpipeOperands operands{.n = 16,
                             .m = 16,
                             .source_pitch = 16,
                             .destination_pitch = 40,
                             .count = 3,
                             .source_matrix_pitch = 2,
                             .destination_matrix_pitch = 1000};
    const TimedOp op = issued(FixpipeToGm{.operands = operands, .destination = offset_});
    EXPECT_EQ(get<float>(output_, 2 * 1000 + 5 * 40 + 3),
              get<float>(local(Memory::l0c), 2 * 2 * 256 + 5 * 16 + 3));
    const Transfer& transfer = core_.transfer(op);
    EXPECT_EQ(transfer.planes, 3U);
    EXPECT_EQ(transfer.plane_pitch, 4000U);
    EXPECT_EQ(transfer.row_pitch, 160U);
    EXPECT_EQ(transfer.route, Route::l0c_to_gm_nz2nd);
}

TEST_F(FixpipeTest, WritesColumnsOfBlocks) {
    FixpipeOperands operands{.n = 64, .m = 19, .source_pitch = 32, .destination_pitch = 40, .to_nd = false};

    struct Form {
        DataType type;
        bool split;
        std::uint32_t width;  // columns of a block
    };

    for (const Form form : {Form{DataType::float32, false, 16},
                            {DataType::float32, true, 8},
                            {DataType::half, false, 16},
                            {DataType::int8, false, 32}}) {
        operands.destination_type = form.type;
        operands.channel_split = form.split;
        operands.quantise = form.type == DataType::int8 ? Quantise::scalar : Quantise::none;
        operands.scale = std::bit_cast<std::uint32_t>(0.25F);
        issue(FixpipeToGm{.operands = operands, .destination = offset_}, Site::here());
        issue(FixpipeToL1{.operands = operands, .destination = 64}, Site::here());
        for (std::uint32_t row = 0; row < operands.m; ++row) {
            for (std::uint32_t column = 0; column < operands.n; ++column) {
                const std::size_t size = bits(form.type) / 8;
                const std::size_t at = column / form.width * operands.destination_pitch * 32 +
                                       (row * form.width + column % form.width) * size;
                const float value = result(operands, row, column);
                for (const std::byte* to : {output_ + at, local(Memory::l1, 64 + at)}) {
                    switch (form.type) {
                        case DataType::float32:
                            ASSERT_EQ(get<float>(to, 0), value);
                            break;
                        case DataType::half:
                            ASSERT_EQ(get<half>(to, 0).bits(), half{value}.bits());
                            break;
                        default:
                            ASSERT_EQ(get<std::int8_t>(to, 0), std::nearbyint(value * 0.25F));
                            break;
                    }
                }
            }
        }
    }
}

TEST_F(FixpipeTest, ScalesOffsetsAndSaturates) {
    const auto packed = [](float scale, std::int32_t offset) {
        return std::bit_cast<std::uint32_t>(scale) |
               (std::uint64_t{static_cast<std::uint32_t>(offset) & 0x1FFU} << 37U);
    };
    put<std::int32_t>(local(Memory::l0c), 0, 1000);
    put<std::int32_t>(local(Memory::l0c), 1, -1000);
    put<std::int32_t>(local(Memory::l0c), 2, 37);
    FixpipeOperands operands{.source_type = DataType::int32,
                             .destination_type = DataType::int8,
                             .n = 3,
                             .m = 1,
                             .source_pitch = 16,
                             .destination_pitch = 3,
                             .quantise = Quantise::scalar,
                             .scale = packed(0.5F, -3)};
    issue(FixpipeToGm{.operands = operands, .destination = offset_}, Site::here());
    EXPECT_EQ(get<std::int8_t>(output_, 0), 127);
    EXPECT_EQ(get<std::int8_t>(output_, 1), -128);
    EXPECT_EQ(get<std::int8_t>(output_, 2), 15);  // 18.5 goes to 18, the even one
    operands.destination_type = DataType::half;
    operands.quantise = Quantise::vector;
    operands.scales = {Memory::fixpipe_buffer, 0};
    for (std::uint32_t i = 0; i < 3; ++i) {
        put<std::uint64_t>(local(Memory::fixpipe_buffer), i, packed(static_cast<float>(i + 1), 0));
    }
    issue(FixpipeToGm{.operands = operands, .destination = offset_}, Site::here());
    EXPECT_EQ(get<half>(output_, 0), half{1000.0F});
    EXPECT_EQ(get<half>(output_, 1), half{-2000.0F});
    EXPECT_EQ(get<half>(output_, 2), half{111.0F});
}

TEST_F(FixpipeTest, ShiftsInt32ToInt16) {
    put<std::int32_t>(local(Memory::l0c), 0, 1003);
    put<std::int32_t>(local(Memory::l0c), 1, -7);
    put<std::int32_t>(local(Memory::l0c), 2, 1 << 20);
    FixpipeOperands operands{.source_type = DataType::int32,
                             .destination_type = DataType::int16,
                             .n = 3,
                             .m = 1,
                             .source_pitch = 16,
                             .destination_pitch = 3,
                             .quantise = Quantise::scalar,
                             .scale = std::uint64_t{2} << 32U};
    issue(FixpipeToGm{.operands = operands, .destination = offset_}, Site::here());
    EXPECT_EQ(get<std::int16_t>(output_, 0), 125);  // 1003 / 8, down
    EXPECT_EQ(get<std::int16_t>(output_, 1), -1);
    EXPECT_EQ(get<std::int16_t>(output_, 2), 32767);  // 131072 is too large
    operands.relu = true;
    operands.quantise = Quantise::vector;
    operands.scales = {Memory::fixpipe_buffer, 0};
    for (std::uint32_t i = 0; i < 3; ++i) {
        put<std::uint64_t>(local(Memory::fixpipe_buffer), i, std::uint64_t{i} << 32U);
    }
    issue(FixpipeToGm{.operands = operands, .destination = offset_}, Site::here());
    EXPECT_EQ(get<std::int16_t>(output_, 0), 501);
    EXPECT_EQ(get<std::int16_t>(output_, 1), 0);
}

TEST_F(FixpipeTest, AScaleLosesItsLowThirteenBits) {
    const QuantiseScale scale = QuantiseScale::unpack(0x3F800000U | 0x1FFFU | (std::uint64_t{0x1FF} << 37U));
    EXPECT_EQ(scale.scale, 1.0F);
    EXPECT_EQ(scale.offset, -1);
}

TEST_F(FixpipeTest, AddsToGlobalMemoryWhileAtomic) {
    FixpipeOperands operands{.n = 16, .m = 16, .source_pitch = 16, .destination_pitch = 16};
    put<float>(output_, 7, 0.5F);
    const FixpipeToGm plain{.operands = operands, .destination = offset_};
    FixpipeToGm adding = plain;
    adding.atomic = {AtomicMode::add, DataType::float32};
    const TimedOp op = issued(adding);
    EXPECT_EQ(get<float>(output_, 7), 0.5F + get<float>(local(Memory::l0c), 7));
    EXPECT_TRUE(core_.transfer(op).atomic);
    // 1024 B at 128 B/cycle; at 0.4 of that while adding.
    EXPECT_EQ(op.occupies, 20U);
    EXPECT_EQ(issued(plain).occupies, 8U);
}

TEST_F(FixpipeTest, ToL1Moves64ElementsACycle) {
    FixpipeOperands operands{.destination_type = DataType::half,
                             .n = 128,
                             .m = 100,
                             .source_pitch = 112,
                             .destination_pitch = 112,
                             .to_nd = false};
    const TimedOp op = issued(FixpipeToL1{.operands = operands});
    EXPECT_EQ(op.occupies, 112U * 128 / 64);
    EXPECT_EQ(op.latency, 20U);
    EXPECT_EQ(op.pipe, Pipe::fixpipe);
    EXPECT_EQ(op.kind, OpKind::compute);
}

TEST_F(FixpipeTest, ReachesUbByTheVectorUnitOfACoupledCore) {
    chip_.coupled.l0c_ub_bytes_per_cycle = 512;  // as on 310P3
    PlainCore coupled{chip_, memory_, CoreKind::coupled};
    const FixpipeOperands operands{.destination_type = DataType::half,
                                   .n = 32,
                                   .m = 48,
                                   .source_pitch = 64,
                                   .destination_pitch = 50,
                                   .to_nd = false};
    std::byte* l0c = coupled.local(Memory::l0c).data();
    const auto value = [](std::uint32_t row, std::uint32_t column) {
        return static_cast<float>(row) - 20.0F + static_cast<float>(column) / 4;
    };
    for (std::uint32_t row = 0; row < operands.m; ++row) {
        for (std::uint32_t column = 0; column < operands.n; ++column) {
            put<float>(l0c, (column / 16 * 64 + row) * 16 + column % 16, value(row, column));
        }
    }
    issue(CopyResultToUb{.operands = operands, .destination = 96}, Site::here());
    const std::byte* ub = coupled.local(Memory::ub).data() + 96;
    for (std::uint32_t row = 0; row < operands.m; ++row) {
        for (std::uint32_t column = 0; column < operands.n; ++column) {
            // NZ: 50 blocks of 32 bytes from one column of blocks to the next, 16 halves a row
            const std::size_t at = column / 16 * (50 * 32 / 2) + row * 16 + column % 16;
            ASSERT_EQ(get<half>(ub, at).bits(), half{value(row, column)}.bits());
        }
    }
    const TimedOp op = coupled.ops().back();
    EXPECT_EQ(op.occupies, 48U * 32 * 4 / 512);
    EXPECT_EQ(op.pipe, Pipe::vector);
}

TEST_F(FixpipeTest, FaultsNamePlaceAndRule) {
    FixpipeOperands operands{.source_type = DataType::int32,
                             .destination_type = DataType::half,
                             .n = 16,
                             .m = 16,
                             .source_pitch = 16,
                             .destination_pitch = 16};
    EXPECT_THAT(failure(FixpipeToGm{.operands = operands, .destination = offset_}),
                testing::HasSubstr("int32 in l0c cannot become float16 without a scale"));
    operands.source_type = DataType::float32;
    EXPECT_THAT(failure(FixpipeToL1{.operands = operands}), testing::HasSubstr("CFG_NZ"));
    EXPECT_THAT(failure(FixpipeToGm{.operands = operands, .destination = offset_ + (1U << 20U) - 64}),
                testing::HasSubstr("'output', which has 1048576 bytes"));
}

}  // namespace
}  // namespace ascendsim::isa
