// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/operator_rows.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "kernels/plan/work_split.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {
namespace {

void strip_front(std::string& name, std::string_view prefix) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
        name.erase(0, prefix.size());
    }
}

void strip_back(std::string& name, std::string_view suffix) {
    if (name.ends_with(suffix) && name.size() > suffix.size() + 1) {
        name.erase(name.size() - suffix.size());
    }
}

std::string stripped(std::string name) {
    for (std::size_t size = name.size() + 1; size > name.size();) {  // "torch_npu.npu_gelu" twice
        size = name.size();
        for (const char* prefix : {"aclnn", "aten", "torch", "npu", "inplace"}) {
            strip_front(name, prefix);
        }
    }
    for (const char* suffix : {"aicore", "v2", "v3", "v4", "v5", "composed"}) {
        strip_back(name, suffix);
    }
    return name;
}

/// Words that say where an operator comes from or on what it works, not which it is.
bool is_qualifier(const std::string& word) {
    static constexpr std::array words{
        "torch",  "npu",     "nn",          "functional",  "f",       "ops",  "op",       "aten",
        "kernel", "foreach", "ascend",      "ascendc",     "c",       "core", "cores",    "aicore",
        "native", "high",    "performance", "elementwise", "vector",  "d",    "composed", "fused",
        "scalar", "tensor",  "inplace",     "custom",      "forward", "fwd"};
    static const Pattern counted{"(dim|axis|case|s|x|k|n|b)?\\d+"};
    return std::ranges::find(words, word) != words.end() || type_named(word).has_value() ||
           counted.whole(word);
}

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words{""};
    for (const char letter : lower(text)) {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
            words.back() += letter;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

std::string joined(const std::vector<std::string>& words) {
    std::string result;
    for (const std::string& word : words) {
        result += word;
    }
    return result;
}

/// The words without those that qualify, each without prefix and version; one that comes twice in a row,
/// once.
std::vector<std::string> telling(const std::vector<std::string>& words) {
    std::vector<std::string> kept;
    for (const std::string& word : words) {
        const std::string name = stripped(word);
        if (!is_qualifier(word) && !is_qualifier(name) && (kept.empty() || kept.back() != name)) {
            kept.push_back(name);
        }
    }
    return kept;
}

/// Words that names of operators are made of whose work the kernels that stand for rows, and for movements,
/// do.
constexpr std::string_view known_words =
    "adam adamw adaptive add addcdiv addcmul ai all any apply arg argmax argmin asymmetric avg axis "
    "backward batch bias bound broadcast buffer cast ceil clamp clip codebook col column compress "
    "compute concat copy core cores cos cube cum cumprod cumsum decode dequant difference dim div "
    "draft drop dropout dynamic elements elu emb embedding eq equal erf exp expand expert experts "
    "extract fast fill finalize flatten floor full fusion gate gather gating gcd geglu gelu gemma "
    "glu grad greater group grouped h hard head hidden hyper in index indices infra init instance "
    "int inverse k kv last latent layer leaky less linear list log logical lp lu mask masked max "
    "maximum mean median mhc min minimum mish mix mixing mla mod moe mul multiply n nan neg no non "
    "nonzero norm normalize not of on one ones only op operator or out over p2 pad penalty per "
    "permute polar pool pos post pow pre prefill prefix prelu prod prolog pure qkv quant quantize "
    "range rank ranks re read real reciprocal reduce relu repeat res reshape residual rms rmsnorm "
    "rope rotary round routing row rows rsqrt s scale scaled scales scan scatter score segment "
    "select selu sequence sigmoid sign silu sin single sinkhorn slice smooth soft softmax softplus "
    "softsign sort split sqrt square squared stack static std stream strided sub sum sweep swi "
    "swiglu swish symmetric t tail tan tanh tile to token tokens top topk transpose tril triu trunc "
    "turbo unary unique unpack unpermute unsorted up update v value values var vocabulary w weight "
    "weighted where width with write writes x y zero zeros";

bool is_known(std::string_view word) {
    for (std::size_t at = known_words.find(word); at != std::string_view::npos;
         at = known_words.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || known_words[at - 1] == ' ') &&
            (end == known_words.size() || known_words[end] == ' ')) {
            return true;
        }
    }
    return false;
}

/// True if a word is one of these, or several in a row: "addrmsnorm".
bool is_made_of_known_words(std::string_view word) {
    std::vector<bool> reached(word.size() + 1);
    reached[0] = true;
    for (std::size_t end = 1; end <= word.size(); ++end) {
        for (std::size_t begin = 0; begin < end && !reached[end]; ++begin) {
            const std::string_view part = word.substr(begin, end - begin);
            reached[end] = reached[begin] &&
                           (is_known(part) || is_qualifier(std::string{part}) ||
                            (part.size() == 1 && std::isdigit(static_cast<unsigned char>(part[0])) != 0));
        }
    }
    return reached[word.size()];
}

/// A word of the operator's name for work that is not known; empty if there is none.
std::string unknown_word(const Row& row) {
    const std::string& raw = row.measurement->kernel;
    const std::vector<std::string> words = words_of(raw.substr(0, raw.find('(')));
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool cores = words[i] == "multi" && i + 1 < words.size() && words[i + 1].starts_with("core");
        static const Pattern version{"v\\d+"};
        const std::string name = stripped(words[i]);
        if (!cores && !version.whole(words[i]) && !is_qualifier(words[i]) && !is_made_of_known_words(name)) {
            return words[i];
        }
    }
    return {};
}

/// A run that a part of the operator's name has chosen stands for it only if nothing in the name is unknown.
std::optional<Adapted> unless_it_does_more(const Row& row, std::optional<Adapted> adapted) {
    if (!adapted || std::holds_alternative<WhyNot>(*adapted)) {
        return adapted;
    }
    const std::string word = unknown_word(row);
    return word.empty() ? adapted
                        : Adapted{WhyNot{"no kernel of ours does the work of '" + row.measurement->kernel +
                                         "': '" + word + "' in its name is unknown"}};
}

}  // namespace

std::vector<std::string> operator_names(const Row& row) {
    const std::string& raw = row.measurement->kernel;
    const std::size_t open = raw.find('(');
    std::vector<std::string> names;
    const auto add = [&names](std::string name) {
        if (!name.empty()) {
            names.push_back(std::move(name));
        }
    };
    const auto add_words = [&add](const std::vector<std::string>& words) {
        std::string all = joined(words);
        add(all);
        add(stripped(all));
        strip_front(all, "foreach");
        add(stripped(all));
        add(stripped(joined(telling(words))));
    };
    add_words(words_of(raw));
    if (open != std::string::npos) {  // "softmax (SoftmaxV2)": the operator, and the kernel that was measured
        add_words(words_of(raw.substr(0, open)));
        const std::vector<std::string> inside = words_of(raw.substr(open + 1));
        if (inside.size() == 1) {
            add_words(inside);
        }
    }
    for (std::size_t i = 0, count = names.size(); i < count; ++i) {
        std::string shorter = names[i];
        strip_back(shorter, "d");
        if (shorter != names[i]) {
            names.push_back(std::move(shorter));
        }
    }
    return names;
}

bool operator_is(const Row& row, std::initializer_list<std::string_view> names) {
    const std::vector<std::string> spellings = operator_names(row);
    return std::ranges::any_of(spellings, [&](const std::string& spelling) {
        return std::ranges::find(names, spelling) != names.end();
    });
}

std::uint64_t elements_of(const Row& row, std::size_t argument) {
    if (argument >= row.shape.arguments.size()) {
        return argument == 0 ? row.shape.elements().value_or(0) : 0;
    }
    std::uint64_t count = 0;
    for (const TensorShape& tensor : row.shape.arguments[argument]) {
        count += tensor.given ? tensor.elements() : 0;
    }
    return count;
}

std::optional<Extents> first_shape(const Row& row) {
    if (const Extents* shape = row.shape.tensor(0)) {
        return shape->empty() ? Extents{1} : *shape;
    }
    const auto count = row.shape.elements();
    return count ? std::optional{Extents{*count}} : std::nullopt;
}

isa::DataType first_type(const Row& row) {
    return row.types.inputs.empty() ? isa::DataType::half : row.types.inputs.front();
}

void set_cores(KernelRun& run, const Row& row, const Context& context) {
    const auto cores = row.cores.aiv ? row.cores.aiv : row.cores.count;
    if (cores && *cores > 0 && *cores <= host::vector_cores(context.chip)) {
        run.knob("blocks", *cores);
    }
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const std::int64_t positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(positive, 0, static_cast<std::int64_t>(rank) - 1));
}

std::uint64_t product(const Extents& extents, std::size_t from, std::size_t to) {
    std::uint64_t count = 1;
    for (std::size_t i = from; i < to && i < extents.size(); ++i) {
        count *= extents[i];
    }
    return count;
}

void set_without_pipe(KernelRun& run) {
    run.chip("scalar.init_cycles", 0);
    run.chip("scalar.pipe_lines", 0);
    run.chip("scalar.queue_op_cycles", 0);
}

void set_pipe_in_object(KernelRun& run) {
    run.chip("scalar.pipe_lines", pipe_object_lines);
}

KernelRun kernel_of(const Row& row, const Context& context, std::string kernel) {
    KernelRun run{.kernel = std::move(kernel), .set = {}, .warm_l2 = context.source.warm_l2()};
    set_cores(run, row, context);
    return run;
}

std::optional<Adapted> refused_case(const Row& row) {
    if (operator_is(row, {"rnn"})) {
        return WhyNot{"which cell the recurrent layer has is not stated"};
    }
    if (row.kernel_has({"grad", "backward", "backprop"}) && !is_elementwise(row)) {
        return WhyNot{"the gradient of this operator has no kernel of ours"};
    }
    if (row.kernel_has({"genmask",
                        "randomuniform",
                        "randomnormal",
                        "bernoulli",
                        "multinomial",
                        "randperm",
                        "truncatednormal"})) {
        return WhyNot{"random numbers are not drawn by any kernel of ours"};
    }
    return std::nullopt;
}

Adapted operator_case(const Row& row, const Context& context) {
    using Adapter = std::optional<Adapted> (*)(const Row&, const Context&);
    constexpr Adapter refuse = [](const Row& one, const Context&) { return refused_case(one); };
    constexpr Adapter rows = [](const Row& one, const Context& with) {
        return unless_it_does_more(one, row_case(one, with));
    };
    constexpr Adapter movements = [](const Row& one, const Context& with) {
        return unless_it_does_more(one, movement_case(one, with));
    };
    // Those that know whole names come first, then what would take a gradient for its operator is refused.
    for (const Adapter adapter : {Adapter{composed_case},
                                  Adapter{published_case},
                                  Adapter{arranged_case},
                                  Adapter{axis_case},
                                  Adapter{index_case},
                                  Adapter{recurrent_case},
                                  refuse,
                                  rows,
                                  movements,
                                  Adapter{elementwise_case}}) {
        if (std::optional<Adapted> adapted = adapter(row, context)) {
            return *adapted;
        }
    }
    return WhyNot{"no vector kernel has the name '" + row.measurement->kernel + "'"};
}

}  // namespace ascendsim::validation
