// SPDX-License-Identifier: Apache-2.0
// The macros that declare which template arguments a kernel is built for, as its host side reads them: the
// declarations become data (runtime/acl/template_selection.hpp).
#pragma once

#include "kernels/ascendc/graph/c_types.h"
#include "runtime/acl/template_selection.hpp"

#define ASCENDSIM_TPL ::ascendsim::tiling::
#define ASCENDSIM_TPL_JOIN_AGAIN(a, b) a##b
#define ASCENDSIM_TPL_JOIN(a, b) ASCENDSIM_TPL_JOIN_AGAIN(a, b)

#define ASCENDC_TPL_ARGS_DECL(type, ...)                                                             \
    [[gnu::used]] static const bool ASCENDSIM_TPL_JOIN(ascendsim_declares_arguments_, __COUNTER__) = \
        ASCENDSIM_TPL declare_template(#type, {__VA_ARGS__})
#define ASCENDC_TPL_SEL(...)                                                                        \
    [[gnu::used]] static const bool ASCENDSIM_TPL_JOIN(ascendsim_selects_arguments_, __COUNTER__) = \
        ASCENDSIM_TPL select_templates({__VA_ARGS__})
#define ASCENDC_TPL_ARGS_SEL(...) \
    ASCENDSIM_TPL TemplateItems { \
        __VA_ARGS__               \
    }
#define ASCENDSIM_TPL_VALUES(name, bits, ...) \
    ASCENDSIM_TPL value_item(ASCENDSIM_TPL TemplateItemKind::argument, #name, bits, {__VA_ARGS__})
// Selections name values that nothing may define, where no selection takes them: their text is read.
#define ASCENDSIM_TPL_TEXT_AGAIN(...) #__VA_ARGS__
#define ASCENDSIM_TPL_TEXT(...) ASCENDSIM_TPL_TEXT_AGAIN(__VA_ARGS__)
#define ASCENDC_TPL_DTYPE_DECL(name, ...) ASCENDSIM_TPL_VALUES(name, 8, __VA_ARGS__)
#define ASCENDC_TPL_DTYPE_SEL(name, ...) ASCENDSIM_TPL selected_values(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_DATATYPE_DECL(name, ...) ASCENDSIM_TPL_VALUES(name, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(name, ...) \
    ASCENDSIM_TPL selected_values(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_FORMAT_DECL(name, ...) ASCENDSIM_TPL_VALUES(name, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(name, ...) \
    ASCENDSIM_TPL selected_values(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_BOOL_DECL(name, ...) ASCENDSIM_TPL_VALUES(name, 1, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(name, ...) ASCENDSIM_TPL selected_values(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_UINT_DECL(name, bits, ...) ASCENDSIM_TPL number_item(#name, bits, {__VA_ARGS__})
#define ASCENDC_TPL_UINT_SEL(name, ...) ASCENDSIM_TPL selected_numbers(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_INT_DECL(name, bits, ...) ASCENDSIM_TPL number_item(#name, bits, {__VA_ARGS__})
#define ASCENDC_TPL_INT_SEL(name, ...) ASCENDSIM_TPL selected_numbers(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_KERNEL_TYPE_DECL(name, ...) \
    ASCENDSIM_TPL value_item(ASCENDSIM_TPL TemplateItemKind::core_argument, #name, 8, {__VA_ARGS__})
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(name, ...) \
    ASCENDSIM_TPL selected_values(#name, ASCENDSIM_TPL_TEXT(__VA_ARGS__))
#define ASCENDC_TPL_KERNEL_TYPE_SEL(kind) \
    ASCENDSIM_TPL value_item(ASCENDSIM_TPL TemplateItemKind::core_kind, "", 0, {kind})
#define ASCENDC_TPL_DETERMINISTIC_DECL(...) \
    ASCENDSIM_TPL TemplateItem {}
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) \
    ASCENDSIM_TPL TemplateItem {}
#define ASCENDC_TPL_TILING_STRUCT_SEL(tiling_type)                     \
    ASCENDSIM_TPL TemplateItem {                                       \
        ASCENDSIM_TPL TemplateItemKind::structure, #tiling_type, 0, {} \
    }
#define ASCENDC_TPL_SHAPE_TYPE_DECL(...) \
    ASCENDSIM_TPL TemplateItem {}
#define ASCENDC_TPL_SHAPE_TYPE_SEL(...) \
    ASCENDSIM_TPL TemplateItem {}
#define ASCENDC_TPL_INPUT(i) (-1 - (i))
#define ASCENDC_TPL_OUTPUT(i) (-101 - (i))
#define GET_TPL_TILING_KEY(...) ASCENDSIM_TPL template_key(__VA_ARGS__)

/// Sets the key of these arguments.
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2
#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_3_BW 3
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_5_BW 5
#define ASCENDC_TPL_6_BW 6
#define ASCENDC_TPL_7_BW 7
#define ASCENDC_TPL_8_BW 8
#define ASCENDC_TPL_9_BW 9
#define ASCENDC_TPL_10_BW 10
#define ASCENDC_TPL_11_BW 11
#define ASCENDC_TPL_12_BW 12
#define ASCENDC_TPL_13_BW 13
#define ASCENDC_TPL_14_BW 14
#define ASCENDC_TPL_15_BW 15
#define ASCENDC_TPL_16_BW 16
#define ASCENDC_TPL_17_BW 17
#define ASCENDC_TPL_18_BW 18
#define ASCENDC_TPL_19_BW 19
#define ASCENDC_TPL_20_BW 20
#define ASCENDC_TPL_21_BW 21
#define ASCENDC_TPL_22_BW 22
#define ASCENDC_TPL_23_BW 23
#define ASCENDC_TPL_24_BW 24
#define ASCENDC_TPL_25_BW 25
#define ASCENDC_TPL_26_BW 26
#define ASCENDC_TPL_27_BW 27
#define ASCENDC_TPL_28_BW 28
#define ASCENDC_TPL_29_BW 29
#define ASCENDC_TPL_30_BW 30
#define ASCENDC_TPL_31_BW 31
#define ASCENDC_TPL_32_BW 32
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 2
#define ASCENDC_TPL_MIX_AIC_1_0 3
#define ASCENDC_TPL_MIX_AIC_1_1 4
#define ASCENDC_TPL_MIX_AIC_1_2 5
#define ASCENDC_TPL_AICORE 6
#define ASCENDC_TPL_VECTORCORE 7
#define ASCENDC_TPL_MIX_AICORE 8
#define ASCENDC_TPL_MIX_VECTOR_CORE 9
