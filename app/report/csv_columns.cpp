// SPDX-License-Identifier: Apache-2.0
// Names as the vendor documents them for msprof (op_summary) and msprof op (one table per metric group).
#include "app/report/csv_columns.hpp"

#include <array>

namespace ascendsim::report {

namespace {

using Names = std::string_view;

constexpr std::array<Names, 29> pipe_split{"block_id",
                                           "sub_block_id",
                                           "aic_time(us)",
                                           "aic_total_cycles",
                                           "aic_cube_time(us)",
                                           "aic_cube_ratio",
                                           "aic_mte1_time(us)",
                                           "aic_mte1_ratio",
                                           "aic_mte2_time(us)",
                                           "aic_mte2_ratio",
                                           "aic_mte2_active_bw(GB/s)",
                                           "aic_fixpipe_time(us)",
                                           "aic_fixpipe_ratio",
                                           "aic_fixpipe_active_bw(GB/s)",
                                           "aic_icache_miss_rate",
                                           "aic_scalar_time(us)",
                                           "aic_scalar_ratio",
                                           "aiv_time(us)",
                                           "aiv_total_cycles",
                                           "aiv_vec_time(us)",
                                           "aiv_vec_ratio",
                                           "aiv_mte2_time(us)",
                                           "aiv_mte2_ratio",
                                           "aiv_mte2_active_bw(GB/s)",
                                           "aiv_mte3_time(us)",
                                           "aiv_mte3_ratio",
                                           "aiv_mte3_active_bw(GB/s)",
                                           "aiv_icache_miss_rate",
                                           "aiv_scalar_time(us)"};
constexpr std::array<Names, 9> pipe_split_stalls{"aiv_scalar_ratio",
                                                 "aic_scalar_mte1_stall_time(us)",
                                                 "aic_scalar_mte2_stall_time(us)",
                                                 "aic_scalar_cube_stall_time(us)",
                                                 "aic_scalar_wait_time(us)",
                                                 "aiv_scalar_mte2_stall_time(us)",
                                                 "aiv_scalar_mte3_stall_time(us)",
                                                 "aiv_scalar_vector_stall_time(us)",
                                                 "aiv_scalar_wait_time(us)"};

constexpr auto joined = [] {
    std::array<Names, pipe_split.size() + pipe_split_stalls.size()> all{};
    std::size_t at = 0;
    for (const Names name : pipe_split) {
        all[at++] = name;
    }
    for (const Names name : pipe_split_stalls) {
        all[at++] = name;
    }
    return all;
}();

constexpr std::array<Names, 15> pipe_coupled{"aic_time(us)",
                                             "aic_total_cycles",
                                             "aic_cube_time(us)",
                                             "aic_cube_ratio",
                                             "aic_scalar_time(us)",
                                             "aic_scalar_ratio",
                                             "aic_mte1_time(us)",
                                             "aic_mte1_ratio",
                                             "aic_mte2_time(us)",
                                             "aic_mte2_ratio",
                                             "aic_mte3_time(us)",
                                             "aic_mte3_ratio",
                                             "aic_icache_miss_rate",
                                             "aic_vec_time(us)",
                                             "aic_vec_ratio"};

constexpr std::array<Names, 20> arithmetic_split{"block_id",
                                                 "sub_block_id",
                                                 "aic_time(us)",
                                                 "aic_total_cycles",
                                                 "aic_cube_ratio",
                                                 "aic_cube_fp16_ratio",
                                                 "aic_cube_int8_ratio",
                                                 "aic_cube_fops",
                                                 "aic_cube_total_instr_number",
                                                 "aic_cube_fp_instr_number",
                                                 "aic_cube_int_instr_number",
                                                 "aiv_time(us)",
                                                 "aiv_total_cycles",
                                                 "aiv_vec_ratio",
                                                 "aiv_vec_fp32_ratio",
                                                 "aiv_vec_fp16_ratio",
                                                 "aiv_vec_int32_ratio",
                                                 "aiv_vec_int16_ratio",
                                                 "aiv_vec_misc_ratio",
                                                 "aiv_vec_fops"};
constexpr std::array<Names, 14> arithmetic_coupled{"aic_time(us)",
                                                   "aic_total_cycles",
                                                   "aic_cube_ratio",
                                                   "aic_cube_fp16_ratio",
                                                   "aic_cube_int8_ratio",
                                                   "aic_cube_fops",
                                                   "aic_cube_total_instr_number",
                                                   "aic_vec_ratio",
                                                   "aic_vec_fp32_ratio",
                                                   "aic_vec_fp16_ratio",
                                                   "aic_vec_int32_ratio",
                                                   "aic_vec_int16_ratio",
                                                   "aic_vec_misc_ratio",
                                                   "aic_vec_fops"};

constexpr std::array<Names, 36> memory_split{"block_id",
                                             "sub_block_id",
                                             "aic_time(us)",
                                             "aic_total_cycles",
                                             "aic_l1_read_bw(GB/s)",
                                             "aic_l1_write_bw(GB/s)",
                                             "aic_main_mem_read_bw(GB/s)",
                                             "aic_main_mem_write_bw(GB/s)",
                                             "aic_mte1_instructions",
                                             "aic_mte1_ratio",
                                             "aic_mte2_instructions",
                                             "aic_mte2_ratio",
                                             "aic_mte3_instructions",
                                             "aic_mte3_ratio",
                                             "aiv_time(us)",
                                             "aiv_total_cycles",
                                             "aiv_ub_to_gm_bw(GB/s)",
                                             "aiv_gm_to_ub_bw(GB/s)",
                                             "aiv_main_mem_read_bw(GB/s)",
                                             "aiv_main_mem_write_bw(GB/s)",
                                             "aiv_mte2_instructions",
                                             "aiv_mte2_ratio",
                                             "aiv_mte3_instructions",
                                             "aiv_mte3_ratio",
                                             "read_main_memory_datas(KB)",
                                             "write_main_memory_datas(KB)",
                                             "GM_to_L1_datas(KB)",
                                             "GM_to_L1_bw_usage_rate(%)",
                                             "L0C_to_L1_datas(KB)",
                                             "L0C_to_L1_bw_usage_rate(%)",
                                             "L0C_to_GM_datas(KB)",
                                             "L0C_to_GM_bw_usage_rate(%)",
                                             "GM_to_UB_datas(KB)",
                                             "GM_to_UB_bw_usage_rate(%)",
                                             "UB_to_GM_datas(KB)",
                                             "UB_to_GM_bw_usage_rate(%)"};
constexpr std::array<Names, 14> memory_coupled{"aic_time(us)",
                                               "aic_total_cycles",
                                               "aic_l1_read_bw(GB/s)",
                                               "aic_l1_write_bw(GB/s)",
                                               "aic_ub_to_gm_bw(GB/s)",
                                               "aic_gm_to_ub_bw(GB/s)",
                                               "aic_main_mem_read_bw(GB/s)",
                                               "aic_main_mem_write_bw(GB/s)",
                                               "aic_mte1_instructions",
                                               "aic_mte1_ratio",
                                               "aic_mte2_instructions",
                                               "aic_mte2_ratio",
                                               "aic_mte3_instructions",
                                               "aic_mte3_ratio"};

constexpr std::array<Names, 12> l0_split{"block_id",
                                         "sub_block_id",
                                         "aic_time(us)",
                                         "aic_total_cycles",
                                         "aic_l0a_read_bw(GB/s)",
                                         "aic_l0a_write_bw(GB/s)",
                                         "aic_l0b_read_bw(GB/s)",
                                         "aic_l0b_write_bw(GB/s)",
                                         "aic_l0c_read_bw_cube(GB/s)",
                                         "aic_l0c_write_bw_cube(GB/s)",
                                         "aiv_time(us)",
                                         "aiv_total_cycles"};
constexpr std::array<Names, 8> l0_coupled{"aic_time(us)",
                                          "aic_total_cycles",
                                          "aic_l0a_read_bw(GB/s)",
                                          "aic_l0a_write_bw(GB/s)",
                                          "aic_l0b_read_bw(GB/s)",
                                          "aic_l0b_write_bw(GB/s)",
                                          "aic_l0c_read_bw_cube(GB/s)",
                                          "aic_l0c_write_bw_cube(GB/s)"};

constexpr std::array<Names, 24> l2_split{"block_id",
                                         "sub_block_id",
                                         "aic_time(us)",
                                         "aic_total_cycles",
                                         "aic_write_cache_hit",
                                         "aic_write_cache_miss_allocate",
                                         "aic_r0_read_cache_hit",
                                         "aic_r0_read_cache_miss_allocate",
                                         "aic_r1_read_cache_hit",
                                         "aic_r1_read_cache_miss_allocate",
                                         "aic_write_hit_rate(%)",
                                         "aic_read_hit_rate(%)",
                                         "aic_total_hit_rate(%)",
                                         "aiv_time(us)",
                                         "aiv_total_cycles",
                                         "aiv_write_cache_hit",
                                         "aiv_write_cache_miss_allocate",
                                         "aiv_r0_read_cache_hit",
                                         "aiv_r0_read_cache_miss_allocate",
                                         "aiv_r1_read_cache_hit",
                                         "aiv_r1_read_cache_miss_allocate",
                                         "aiv_write_hit_rate(%)",
                                         "aiv_read_hit_rate(%)",
                                         "aiv_total_hit_rate(%)"};
constexpr std::array<Names, 1> l2_coupled{"aic_l2_cache_hit_rate(%)"};

constexpr std::array<Names, 18> conflict_split{"block_id",
                                               "sub_block_id",
                                               "aic_time(us)",
                                               "aic_total_cycles",
                                               "aic_cube_wait_ratio",
                                               "aic_mte1_wait_ratio",
                                               "aic_mte2_wait_ratio",
                                               "aic_mte3_wait_ratio",
                                               "aiv_time(us)",
                                               "aiv_total_cycles",
                                               "aiv_vec_total_cflt_ratio",
                                               "aiv_vec_bankgroup_cflt_ratio",
                                               "aiv_vec_bank_cflt_ratio",
                                               "aiv_vec_resc_cflt_ratio",
                                               "aiv_vec_mte_cflt_ratio",
                                               "aiv_vec_wait_ratio",
                                               "aiv_mte2_wait_ratio",
                                               "aiv_mte3_wait_ratio"};
constexpr std::array<Names, 12> conflict_coupled{"aic_time(us)",
                                                 "aic_total_cycles",
                                                 "aic_cube_wait_ratio",
                                                 "aic_vec_wait_ratio",
                                                 "aic_mte1_wait_ratio",
                                                 "aic_mte2_wait_ratio",
                                                 "aic_mte3_wait_ratio",
                                                 "aic_vec_total_cflt_ratio",
                                                 "aic_vec_bankgroup_cflt_ratio",
                                                 "aic_vec_bank_cflt_ratio",
                                                 "aic_vec_resc_cflt_ratio",
                                                 "aic_vec_mte_cflt_ratio"};

// The profiler's MemoryUB.csv. What the scalar unit touches is not recorded, nor what some vector
// instructions read: then the columns say NA (docs/reports.md tells why).
constexpr std::array<Names, 10> ub_split{"block_id",
                                         "sub_block_id",
                                         "aic_time(us)",
                                         "aic_total_cycles",
                                         "aiv_time(us)",
                                         "aiv_total_cycles",
                                         "aiv_ub_read_bw_vector(GB/s)",
                                         "aiv_ub_write_bw_vector(GB/s)",
                                         "aiv_ub_read_bw_scalar(GB/s)",
                                         "aiv_ub_write_bw_scalar(GB/s)"};
constexpr std::array<Names, 6> ub_coupled{"aic_time(us)",
                                          "aic_total_cycles",
                                          "aic_ub_read_bw_vector(GB/s)",
                                          "aic_ub_write_bw_vector(GB/s)",
                                          "aic_ub_read_bw_scalar(GB/s)",
                                          "aic_ub_write_bw_scalar(GB/s)"};

constexpr std::array<CsvTable, 7> tables{
    CsvTable{"PipeUtilization", joined, pipe_coupled},
    CsvTable{"ArithmeticUtilization", arithmetic_split, arithmetic_coupled},
    CsvTable{"Memory", memory_split, memory_coupled},
    CsvTable{"MemoryL0", l0_split, l0_coupled},
    CsvTable{"MemoryUB", ub_split, ub_coupled},
    CsvTable{"L2Cache", l2_split, l2_coupled},
    CsvTable{"ResourceConflictRatio", conflict_split, conflict_coupled}};

constexpr std::array<Names, 46> op_summary{"Device_id",
                                           "Model ID",
                                           "Task ID",
                                           "Stream ID",
                                           "Op Name",
                                           "OP Type",
                                           "OP State",
                                           "Task Type",
                                           "Task Start Time(us)",
                                           "Task Duration(us)",
                                           "Task Wait Time(us)",
                                           "Block Dim",
                                           "Mix Block Dim",
                                           "HF32 Eligible",
                                           "Input Shapes",
                                           "Input Data Types",
                                           "Input Formats",
                                           "Output Shapes",
                                           "Output Data Types",
                                           "Output Formats",
                                           "Context ID",
                                           "aicore_time(us)",
                                           "aic_total_cycles",
                                           "aic_mac_time(us)",
                                           "aic_mac_ratio",
                                           "aic_scalar_time(us)",
                                           "aic_scalar_ratio",
                                           "aic_mte1_time(us)",
                                           "aic_mte1_ratio",
                                           "aic_mte2_time(us)",
                                           "aic_mte2_ratio",
                                           "aic_fixpipe_time(us)",
                                           "aic_fixpipe_ratio",
                                           "aic_icache_miss_rate",
                                           "aiv_time(us)",
                                           "aiv_total_cycles",
                                           "aiv_vec_time(us)",
                                           "aiv_vec_ratio",
                                           "aiv_scalar_time(us)",
                                           "aiv_scalar_ratio",
                                           "aiv_mte2_time(us)",
                                           "aiv_mte2_ratio",
                                           "aiv_mte3_time(us)",
                                           "aiv_mte3_ratio",
                                           "aiv_icache_miss_rate",
                                           "cube_utilization(%)"};

}  // namespace

std::span<const CsvTable> core_tables() {
    return tables;
}

std::span<const std::string_view> op_summary_columns() {
    return op_summary;
}

}  // namespace ascendsim::report
