// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/theme.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sim/record/words.hpp"

namespace ascendsim::gui {
namespace {

using record::Reason;

constexpr Pixel hex(std::uint32_t rgb) {
    return rgba(rgb >> 16U, (rgb >> 8U) & 255U, rgb & 255U);
}

struct PipeRow {
    std::string_view pipe;
    std::string_view label;
    std::uint32_t dark;
    std::uint32_t light;
    std::string_view meaning;
};

// Okabe and Ito's palette, which readers with any colour vision tell apart; blue is lifted on dark, yellow
// lowered on light, for contrast with the background.
constexpr std::array pipe_rows{
    PipeRow{"scalar", "Scalar", 0x747e8a, 0x4a535e, "issues instructions, runs control flow"},
    PipeRow{"vector", "Vector", 0x12b083, 0x009e73, "element-wise work on the unified buffer"},
    PipeRow{"cube", "Cube", 0x3f8fd6, 0x0072b2, "matrix multiply-accumulate"},
    PipeRow{"mte1", "MTE1", 0xf0e442, 0xe6d71e, "L1 to L0A and L0B"},
    PipeRow{"mte2", "MTE2", 0xe69f00, 0xd98f00, "global memory to the core"},
    PipeRow{"mte3", "MTE3", 0xe0662a, 0xc8500a, "the core to global memory"},
    PipeRow{"fixpipe", "FixPipe", 0xcc79a7, 0xb8578d, "L0C out, with quantisation and activation"}};

/// How a reason looks; its words are record::label() and record::meaning().
struct CauseRow {
    Reason reason;
    char letter;
    Pattern pattern;
    std::uint32_t dark;
    std::uint32_t light;
};

constexpr std::array cause_rows{
    CauseRow{Reason::none, ' ', Pattern::solid, 0x9aa3ae, 0x6b7480},
    CauseRow{Reason::launch, 'L', Pattern::sparse_horizontal, 0x8f97a6, 0x767e8c},
    CauseRow{Reason::issue, 'I', Pattern::sparse_diagonal, 0xb3b9c4, 0x5b6370},
    CauseRow{Reason::queue_full, 'Q', Pattern::grid, 0xb5b53c, 0x7d7d12},
    CauseRow{Reason::flag_data, 'D', Pattern::diagonal, 0xe27a88, 0xb8394c},
    CauseRow{Reason::flag_buffer, 'B', Pattern::back_diagonal, 0xddcc77, 0x9c8a1e},
    CauseRow{Reason::flag_scalar, 'S', Pattern::horizontal, 0x4fbfae, 0x1f8474},
    CauseRow{Reason::barrier, 'P', Pattern::vertical, 0xd06aa5, 0x96206a},
    CauseRow{Reason::memory, 'M', Pattern::dots, 0x88ccee, 0x2a7ea8},
    CauseRow{Reason::fetch, 'F', Pattern::cross, 0xb782d9, 0x7a3aa8},
    CauseRow{Reason::cross_core, 'C', Pattern::sparse_back_diagonal, 0x9a9af0, 0x4848b8},
    CauseRow{Reason::sync_all, 'A', Pattern::checker, 0x6fc07a, 0x2f7d3a},
    CauseRow{Reason::block, 'K', Pattern::sparse_vertical, 0xa38f7a, 0x806248},
    CauseRow{Reason::tail, 'T', Pattern::sparse_dots, 0x8a93a3, 0x7a8494},
    CauseRow{Reason::unused, 'U', Pattern::dashes, 0x59616d, 0xa7aeb8}};

static_assert(cause_rows.size() == record::reason_count);

void add_styles(Theme& theme) {
    const bool dark = theme.name == ThemeName::dark;
    for (std::size_t i = 0; i < pipe_rows.size(); ++i) {
        const PipeRow& row = pipe_rows.at(i);
        theme.pipes.at(i) = {row.pipe, row.label, hex(dark ? row.dark : row.light), row.meaning};
    }
    for (const CauseRow& row : cause_rows) {
        theme.causes.at(static_cast<std::size_t>(row.reason)) = {row.reason,
                                                                 record::label(row.reason),
                                                                 row.letter,
                                                                 row.pattern,
                                                                 hex(dark ? row.dark : row.light),
                                                                 record::meaning(row.reason)};
    }
}

Theme make_dark() {
    Theme theme{.name = ThemeName::dark,
                .window = hex(0x111418),
                .panel = hex(0x171b21),
                .raised = hex(0x20262e),
                .hover = hex(0x2b333d),
                .border = hex(0x2a313a),
                .grid = hex(0x262d35),
                .text = hex(0xe4e8ee),
                .text_dim = hex(0x9ba5b3),
                .text_faint = hex(0x838d9a),
                .accent = hex(0x56b4e9),
                .accent_soft = with_alpha(hex(0x56b4e9), 40),
                .guide = with_alpha(hex(0xffffff), 150),
                .good = hex(0x3fc08f),
                .warning = hex(0xe6b450),
                .bad = hex(0xf0706a),
                .run_a = hex(0x56b4e9),
                .run_b = hex(0xe6a04b),
                .l2_reads = hex(0x3fc08f),
                .l2_writes = hex(0xb4e6cf),
                .pipes = {},
                .causes = {}};
    add_styles(theme);
    return theme;
}

Theme make_light() {
    Theme theme{.name = ThemeName::light,
                .window = hex(0xeceff3),
                .panel = hex(0xffffff),
                .raised = hex(0xf1f4f7),
                .hover = hex(0xe2e8ef),
                .border = hex(0xd3d9e0),
                .grid = hex(0xe6eaef),
                .text = hex(0x1b2129),
                .text_dim = hex(0x55606d),
                .text_faint = hex(0x616b78),
                .accent = hex(0x0069a8),
                .accent_soft = with_alpha(hex(0x0069a8), 36),
                .guide = with_alpha(hex(0x000000), 150),
                .good = hex(0x0a7a52),
                .warning = hex(0x9a6700),
                .bad = hex(0xc0352b),
                .run_a = hex(0x0069a8),
                .run_b = hex(0xb35c00),
                .l2_reads = hex(0x0a7a52),
                .l2_writes = hex(0x72bfa0),
                .pipes = {},
                .causes = {}};
    add_styles(theme);
    return theme;
}

/// Relative luminance of WCAG 2.
double luminance(Pixel colour) {
    const auto linear = [&](unsigned i) {
        const double part = channel(colour, i) / 255.0;
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2);
}

}  // namespace

std::string_view name(ThemeName theme) {
    return theme == ThemeName::dark ? "dark" : "light";
}

std::optional<ThemeName> theme_from_name(std::string_view text) {
    for (const ThemeName known : {ThemeName::dark, ThemeName::light}) {
        if (name(known) == text) {
            return known;
        }
    }
    return std::nullopt;
}

const PipeStyle& Theme::pipe(std::string_view recorded_name) const {
    const auto found = std::ranges::find(pipes, recorded_name, &PipeStyle::pipe);
    return found == pipes.end() ? pipes.front() : *found;
}

const CauseStyle& Theme::cause(record::Reason reason) const {
    return causes.at(static_cast<std::size_t>(reason));
}

Pixel Theme::series(std::size_t number) const {
    constexpr std::array order{"mte2", "vector", "fixpipe", "mte3", "mte1"};
    const std::size_t place = number % (order.size() + 1);
    return place == 0 ? accent : pipe(order.at(place - 1)).colour;
}

Pixel Theme::task(std::string_view what) const {
    what = what.substr(0, what.find(" '"));
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char letter : what) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    }
    constexpr float calm = 0.3F;  // below the pipes of cores, which these are not
    return mix(series((hash >> 16U) % 6), panel, calm);
}

const Theme& theme(ThemeName name) {
    static const Theme dark = make_dark();
    static const Theme light = make_light();
    return name == ThemeName::dark ? dark : light;
}

double contrast(Pixel a, Pixel b) {
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Pixel readable_on(Pixel background) {
    const Pixel dark = rgba(0, 0, 0);  // with white, at least 4.58 on any colour
    const Pixel bright = rgba(255, 255, 255);
    return contrast(background, dark) >= contrast(background, bright) ? dark : bright;
}

Pixel with_alpha(Pixel colour, unsigned alpha) {
    return rgba(channel(colour, 0), channel(colour, 1), channel(colour, 2), alpha);
}

Pixel mix(Pixel a, Pixel b, float share) {
    const auto part = [&](unsigned i) {
        const float value =
            static_cast<float>(channel(a, i)) * (1 - share) + static_cast<float>(channel(b, i)) * share;
        return static_cast<unsigned>(std::lround(std::clamp(value, 0.0F, 255.0F)));
    };
    return rgba(part(0), part(1), part(2), part(3));
}

}  // namespace ascendsim::gui
