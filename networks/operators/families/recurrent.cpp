// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN, step by step: a product for each step, and a generated kernel for the gates.
//
// States lie as [hidden, batch], and so do the gates, one behind the other: what a step reads of them is a
// section of memory, and no weight is turned.
//   [gates * hidden, depth] by [depth, batch] -> [gates * hidden, batch]
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;
using Indices = std::vector<std::int64_t>;

/// A function of gates, and its constants.
struct Activation {
    Op op = Op::tanh;
    std::vector<double> constants;
};

/// What the three operators share.
struct Recurrence {
    std::uint64_t gates = 1;
    std::uint64_t steps = 0;
    std::uint64_t batch = 0;
    std::uint64_t width = 0;  // of the input
    std::uint64_t hidden = 0;
    std::uint64_t directions = 1;
    bool backward_first = false;  // direction "reverse"
    bool batch_first = false;     // layout 1
    double clip = 0;              // 0: none
    std::vector<Activation> activations;
    Indices lengths;  // of each sequence; empty: all of them are whole
    DataType type = DataType::half;

    [[nodiscard]] host::Shape state() const { return {hidden, batch}; }
};

Activation activation_of(std::string word, std::optional<double> alpha, std::optional<double> beta) {
    std::ranges::transform(
        word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "relu") {
        return {Op::relu, {}};
    }
    if (word == "tanh") {
        return {Op::tanh, {}};
    }
    if (word == "sigmoid") {
        return {Op::sigmoid, {}};
    }
    if (word == "softplus") {
        return {Op::softplus, {}};
    }
    if (word == "softsign") {
        return {Op::softsign, {}};
    }
    if (word == "affine") {
        return {Op::scale, {alpha.value_or(1), beta.value_or(0)}};
    }
    if (word == "elu") {
        return {Op::elu, {alpha.value_or(1)}};
    }
    if (word == "leakyrelu") {
        return {Op::leaky_relu, {alpha.value_or(0.01)}};
    }
    if (word == "hardsigmoid") {
        return {Op::hard_sigmoid, {alpha.value_or(0.2), beta.value_or(0.5)}};
    }
    throw Refused{
        "activation '{}'; known are affine, elu, hardsigmoid, leakyrelu, relu, sigmoid, softplus, "
        "softsign and tanh",
        word};
}

template <class T>
std::vector<T> listed(const Operator& with, std::string_view name) {
    const auto found = with.node.attributes.find(name);
    if (found == with.node.attributes.end()) {
        return {};
    }
    const auto* list = std::get_if<std::vector<T>>(&found->second);
    if (list == nullptr) {
        throw Refused{"attribute '{}' is no list of its kind", name};
    }
    return *list;
}

/// The functions of all directions, in order.
std::vector<Activation> activations_of(const Operator& with,
                                       std::vector<std::string> otherwise,
                                       std::uint64_t directions) {
    std::vector<std::string> names = listed<std::string>(with, "activations");
    if (names.empty()) {
        const std::vector<std::string> once = otherwise;
        for (std::uint64_t d = 1; d < directions; ++d) {
            otherwise.insert(otherwise.end(), once.begin(), once.end());
        }
        names = otherwise;
    }
    if (names.size() % directions != 0 || names.size() < otherwise.size()) {
        throw Refused{"{} activations; {} are needed", names.size(), otherwise.size()};
    }
    const std::vector<double> alphas = listed<double>(with, "activation_alpha");
    const std::vector<double> betas = listed<double>(with, "activation_beta");
    // Constants are consumed in order, each by the next function that has one.
    const auto next = [](const std::vector<double>& list, std::size_t& at) {
        return at < list.size() ? std::optional{list[at++]} : std::nullopt;
    };
    std::size_t alpha = 0;
    std::size_t beta = 0;
    std::vector<Activation> result;
    for (const std::string& name : names) {
        Activation activation = activation_of(name, {}, {});
        if (!activation.constants.empty()) {
            const std::optional<double> first = next(alphas, alpha);
            const bool has_beta = activation.constants.size() > 1;
            activation = activation_of(name, first, has_beta ? next(betas, beta) : std::nullopt);
        }
        result.push_back(std::move(activation));
    }
    return result;
}

Recurrence recurrence_of(const Operator& with, std::uint64_t gates, std::vector<std::string> activations) {
    Recurrence r{.gates = gates};
    const host::Shape& x = with.input(0).shape;
    const host::Shape& w = with.input(1).shape;
    const host::Shape& recurrent = with.input(2).shape;
    const std::string direction = with.node.word("direction", "forward");
    r.directions = direction == "bidirectional" ? 2 : 1;
    r.backward_first = direction == "reverse";
    r.batch_first = with.node.integer("layout", 0) != 0;
    if (x.size() != 3 || w.size() != 3 || recurrent.size() != 3 || w[0] != r.directions ||
        w[1] != gates * recurrent[2] || recurrent[1] != w[1] || w[2] != x[2]) {
        throw Refused{"weights {} and {} for {}, direction {}",
                      with.input(1).text(),
                      with.input(2).text(),
                      with.input(0).text(),
                      direction};
    }
    r.steps = x[r.batch_first ? 1 : 0];
    r.batch = x[r.batch_first ? 0 : 1];
    r.width = x[2];
    r.hidden = recurrent[2];
    r.type = with.input(0).type;
    r.clip = with.node.real("clip", 0);
    r.activations = activations_of(with, std::move(activations), r.directions);
    if (with.has(4)) {
        r.lengths = with.known(4);
        const auto whole = [&r](std::int64_t length) { return length == static_cast<std::int64_t>(r.steps); };
        if (r.lengths.size() != r.batch) {
            throw Refused{"{} lengths for a batch of {}", r.lengths.size(), r.batch};
        }
        if (std::ranges::all_of(r.lengths, whole)) {
            r.lengths.clear();
        }
    }
    return r;
}

/// The part of one direction of a tensor whose first axis counts them.
Part of_direction(const Part& part, std::uint64_t direction) {
    const host::Shape shape{part.tensor.shape.begin() + 1, part.tensor.shape.end()};
    return Steps::section(part, direction * host::elements(shape), shape);
}

/// One direction of a recurrence while it is lowered.
class Direction {
public:
    Direction(Steps& steps, const Recurrence& recurrence, std::uint64_t number)
        : steps_{steps},
          r_{recurrence},
          number_{number},
          backward_{number == 1 || recurrence.backward_first},
          recurrent_{of_direction(steps.operand(2), number)} {
        const Part x = in_time(steps.operand(0));
        const Part w = of_direction(steps.operand(1), number);
        inputs_ = turned(product_of_inputs(x, w));
    }

    [[nodiscard]] const Recurrence& recurrence() const { return r_; }

    [[nodiscard]] Steps& steps() const { return steps_; }

    [[nodiscard]] std::uint64_t number() const { return number_; }

    [[nodiscard]] const Activation& activation(std::size_t index) const {
        return r_.activations.at(number_ * (r_.activations.size() / r_.directions) + index);
    }

    /// The initial state of operand `index`, zero where it is left out.
    Part initial(std::size_t index) {
        if (!steps_.with().has(index)) {
            return Steps::table(r_.type, r_.state(), std::vector<double>(r_.hidden * r_.batch, 0));
        }
        Part all = steps_.operand(index);
        if (r_.batch_first) {
            all = steps_.transposed(all, {1, 0, 2});
        }
        return steps_.transposed(of_direction(all, number_), {1, 0});
    }

    /// What gate `gate` takes from the input at a step.
    [[nodiscard]] Part input(std::uint64_t step, std::uint64_t gate) const {
        const std::uint64_t size = r_.hidden * r_.batch;
        return Steps::section(inputs_, (at(step) * r_.gates + gate) * size, r_.state());
    }

    /// Rows of the recurrent weights, from gate `first` on, by a state.
    Part recurrent(const Part& state, std::uint64_t first, std::uint64_t count) {
        const Part rows =
            Steps::section(recurrent_, first * r_.hidden * r_.hidden, {count * r_.hidden, r_.hidden});
        return steps_.product(rows, state);
    }

    /// Gate `gate` of a product of `recurrent()`.
    [[nodiscard]] Part gate(const Part& product, std::uint64_t gate) const {
        return Steps::section(product, gate * r_.hidden * r_.batch, r_.state());
    }

    /// A row of operand 3 (input biases first, then recurrent ones) as a column; nothing without biases.
    std::optional<Part> bias(std::uint64_t row) {
        if (!steps_.with().has(3)) {
            return std::nullopt;
        }
        const Part all = of_direction(steps_.operand(3), number_);
        return Steps::section(all, row * r_.hidden, {r_.hidden, 1});
    }

    /// Where a sequence is shorter, its state stays; its result is zero.
    Part held(const Part& next, const Part& before, std::uint64_t step) {
        return r_.lengths.empty() ? next : steps_.element(Op::where, {running(step), next, before});
    }

    void note(const Part& state, std::uint64_t step) {
        const Part zero = Steps::table(r_.type, {}, {0});
        states_.push_back(r_.lengths.empty() ? state
                                             : steps_.element(Op::where, {running(step), state, zero}));
    }

    /// States of all steps in the order of time, [steps, hidden, batch].
    Part states() {
        std::vector<Part> ordered = states_;
        if (backward_ && r_.lengths.empty()) {
            std::ranges::reverse(ordered);
        }
        const Part all = steps_.beside(ordered, 0);
        return backward_ && !r_.lengths.empty() ? reversed(all, {r_.steps, r_.hidden, r_.batch}, 2) : all;
    }

private:
    [[nodiscard]] std::uint64_t at(std::uint64_t step) const {
        return backward_ && r_.lengths.empty() ? r_.steps - 1 - step : step;
    }

    /// 1 for each sequence that has this step.
    [[nodiscard]] Part running(std::uint64_t step) const {
        std::vector<double> mask;
        for (const std::int64_t length : r_.lengths) {
            mask.push_back(static_cast<std::int64_t>(step) < length ? 1 : 0);
        }
        return Steps::table(DataType::boolean, {1, r_.batch}, std::move(mask));
    }

    /// Each sequence from its own last step to its first.
    Part reversed(const Part& part, const host::Shape& shape, std::size_t batch_axis) {
        const Indices own = strides_of(shape);
        Indices from = places(shape, own);
        for (std::int64_t& place : from) {
            const std::int64_t step = place / own[0];
            const auto row = static_cast<std::size_t>(place / own[batch_axis]) % shape[batch_axis];
            const std::int64_t length = r_.lengths[row];
            place += step < length ? (length - 1 - 2 * step) * own[0] : 0;
        }
        return steps_.moved(part, shape, from);
    }

    /// The input as [steps, batch, width].
    Part in_time(Part x) {
        if (r_.batch_first) {
            x = steps_.transposed(x, {1, 0, 2});
        }
        return backward_ && !r_.lengths.empty() ? reversed(x, x.tensor.shape, 1) : x;
    }

    /// All steps in one product: [steps * batch, gates * hidden], with the biases of the input.
    Part product_of_inputs(const Part& x, const Part& w) {
        const std::uint64_t rows = r_.steps * r_.batch;
        const std::uint64_t columns = r_.gates * r_.hidden;
        Part all = steps_.product_of(Steps::seen(x, {rows, r_.width}),
                                     w,
                                     {.m = rows, .n = columns, .k = r_.width, .turned_b = true},
                                     {rows, columns});
        if (steps_.with().has(3)) {
            const Part biases = of_direction(steps_.operand(3), number_);
            all = steps_.element(Op::add, {all, Steps::section(biases, 0, {columns})});
        }
        return Steps::seen(all, {r_.steps, r_.batch, columns});
    }

    Part turned(const Part& inputs) { return steps_.transposed(inputs, {0, 2, 1}); }

    Steps& steps_;
    const Recurrence& r_;
    std::uint64_t number_;
    bool backward_;
    Part recurrent_;
    Part inputs_;  // [steps, gates * hidden, batch]
    std::vector<Part> states_;
};

/// A loop over one step's gates, under construction.
class Gates {
public:
    explicit Gates(const Recurrence& recurrence) : r_{recurrence} {}

    std::size_t operand(const Part& part) {
        parts_.push_back(part);
        return parts_.size() - 1;
    }

    /// Of operands, all of which are there: begins the steps.
    void begin() { loop_.emplace(parts_); }

    std::size_t step(Op op, std::vector<std::size_t> inputs, std::vector<double> constants = {}) {
        return loop_->step(op, std::move(inputs), r_.state(), r_.type, std::move(constants));
    }

    std::size_t sum(const std::vector<std::size_t>& terms) {
        std::size_t all = terms.at(0);
        for (std::size_t i = 1; i < terms.size(); ++i) {
            all = step(Op::add, {all, terms[i]});
        }
        return all;
    }

    /// Clipped, then through the function.
    std::size_t activated(std::size_t value, const Activation& activation) {
        const std::size_t clipped = r_.clip > 0 ? step(Op::clip, {value}, {-r_.clip, r_.clip}) : value;
        return step(activation.op, {clipped}, activation.constants);
    }

    std::vector<Part> run(Steps& steps, std::vector<std::size_t> outputs) {
        return steps.run(loop_->outputs(std::move(outputs)), parts_);
    }

private:
    const Recurrence& r_;
    std::vector<Part> parts_;
    std::optional<LoopOf> loop_;
};

/// The operand's place, if there is one.
void add_operand(Gates& gates, std::vector<std::size_t>& terms, const std::optional<Part>& part) {
    if (part) {
        terms.push_back(gates.operand(*part));
    }
}

/// One step of an LSTM: gates i, o, f, c. Returns the state and the cell.
std::vector<Part> lstm_step(Direction& direction, const Part& state, const Part& cell, std::uint64_t step) {
    const Part product = direction.recurrent(state, 0, 4);
    Gates gates{direction.recurrence()};
    std::array<std::vector<std::size_t>, 4> terms;
    std::array<std::optional<std::size_t>, 3> peepholes;  // of i, o and f
    const bool coupled = direction.steps().with().node.integer("input_forget", 0) != 0;
    for (std::uint64_t g = 0; g < 4; ++g) {
        terms.at(g) = {gates.operand(direction.input(step, g)), gates.operand(direction.gate(product, g))};
        add_operand(gates, terms.at(g), direction.bias(4 + g));
    }
    if (direction.steps().with().has(7)) {
        const Part all = of_direction(direction.steps().operand(7), direction.number());
        const std::uint64_t hidden = direction.recurrence().hidden;
        for (std::uint64_t g = 0; g < 3; ++g) {
            peepholes.at(g) = gates.operand(Steps::section(all, g * hidden, {hidden, 1}));
        }
    }
    const std::size_t before = gates.operand(cell);
    gates.begin();
    const auto gate = [&](std::uint64_t g, std::size_t seen) {
        std::size_t value = gates.sum(terms.at(g));
        if (peepholes.at(g)) {
            value = gates.step(Op::add, {value, gates.step(Op::mul, {seen, *peepholes.at(g)})});
        }
        return gates.activated(value, direction.activation(0));
    };
    const std::size_t in = gate(0, before);
    const std::size_t forget = coupled ? gates.step(Op::scale, {in}, {-1, 1}) : gate(2, before);
    const std::size_t fresh = gates.activated(gates.sum(terms[3]), direction.activation(1));
    const std::size_t next =
        gates.step(Op::add, {gates.step(Op::mul, {forget, before}), gates.step(Op::mul, {in, fresh})});
    const std::size_t out = gate(1, next);
    const Activation& last = direction.activation(2);
    const std::size_t y = gates.step(Op::mul, {out, gates.step(last.op, {next}, last.constants)});
    return gates.run(direction.steps(), {y, next});
}

/// One step of a GRU: gates z, r, h. Returns the state.
Part gru_step(Direction& direction, const Part& state, std::uint64_t step) {
    const Recurrence& r = direction.recurrence();
    const bool linear_first = direction.steps().with().node.integer("linear_before_reset", 0) != 0;
    const Part product = direction.recurrent(state, 0, linear_first ? 3 : 2);
    const auto sums = [&](Gates& gates, std::uint64_t g) {
        std::vector<std::size_t> terms{gates.operand(direction.input(step, g)),
                                       gates.operand(direction.gate(product, g))};
        add_operand(gates, terms, direction.bias(3 + g));
        return terms;
    };
    if (linear_first) {
        Gates gates{r};
        const auto z_terms = sums(gates, 0);
        const auto r_terms = sums(gates, 1);
        const std::size_t input = gates.operand(direction.input(step, 2));
        std::vector<std::size_t> h_terms{gates.operand(direction.gate(product, 2))};
        add_operand(gates, h_terms, direction.bias(5));
        const std::size_t before = gates.operand(state);
        gates.begin();
        const std::size_t z = gates.activated(gates.sum(z_terms), direction.activation(0));
        const std::size_t reset = gates.activated(gates.sum(r_terms), direction.activation(0));
        const std::size_t seen = gates.step(Op::mul, {reset, gates.sum(h_terms)});
        const std::size_t h = gates.activated(gates.sum({input, seen}), direction.activation(1));
        const std::size_t less = gates.step(Op::sub, {before, h});
        return gates.run(direction.steps(), {gates.step(Op::add, {h, gates.step(Op::mul, {z, less})})})[0];
    }
    Gates reset{r};
    const auto z_terms = sums(reset, 0);
    const auto r_terms = sums(reset, 1);
    const std::size_t before = reset.operand(state);
    reset.begin();
    const std::size_t z = reset.activated(reset.sum(z_terms), direction.activation(0));
    const std::size_t kept = reset.activated(reset.sum(r_terms), direction.activation(0));
    const std::vector<Part> both = reset.run(direction.steps(), {reset.step(Op::mul, {kept, before}), z});
    Gates next{r};
    std::vector<std::size_t> terms{next.operand(direction.input(step, 2)),
                                   next.operand(direction.recurrent(both[0], 2, 1))};
    add_operand(next, terms, direction.bias(5));
    const std::size_t share = next.operand(both[1]);
    const std::size_t old = next.operand(state);
    next.begin();
    const std::size_t h = next.activated(next.sum(terms), direction.activation(1));
    const std::size_t less = next.step(Op::sub, {old, h});
    return next.run(direction.steps(), {next.step(Op::add, {h, next.step(Op::mul, {share, less})})})[0];
}

Part rnn_step(Direction& direction, const Part& state, std::uint64_t step) {
    Gates gates{direction.recurrence()};
    std::vector<std::size_t> terms{gates.operand(direction.input(step, 0)),
                                   gates.operand(direction.recurrent(state, 0, 1))};
    add_operand(gates, terms, direction.bias(1));
    gates.begin();
    return gates.run(direction.steps(), {gates.activated(gates.sum(terms), direction.activation(0))})[0];
}

/// States of all steps, and the last ones: [steps, hidden, batch] and [hidden, batch], the cell behind.
struct Ran {
    Part all;
    std::vector<Part> last;
};

/// Runs all steps; `step` makes the next states of those before.
template <class Step>
Ran ran(Direction& direction, std::vector<Part> states, Step&& step) {
    for (std::uint64_t i = 0; i < direction.recurrence().steps; ++i) {
        const std::vector<Part> next = step(states, i);
        direction.note(next[0], i);
        for (std::size_t s = 0; s < states.size(); ++s) {
            states[s] = direction.held(next[s], states[s], i);
        }
    }
    return {direction.states(), std::move(states)};
}

/// [directions, hidden, batch] of the directions' states, as the operator has them.
Part last_of(Steps& steps, const Recurrence& r, const std::vector<Part>& states) {
    std::vector<Part> rows;
    for (const Part& state : states) {
        rows.push_back(Steps::seen(steps.transposed(state, {1, 0}), {1, r.batch, r.hidden}));
    }
    const Part all = steps.beside(rows, 0);
    return r.batch_first ? steps.transposed(all, {1, 0, 2}) : all;
}

/// [steps, directions, batch, hidden] of the directions' states.
Part all_of(Steps& steps, const Recurrence& r, const std::vector<Part>& states) {
    std::vector<Part> rows;
    for (const Part& state : states) {
        const Part apart = Steps::seen(state, {r.steps, r.hidden, r.batch});
        rows.push_back(Steps::seen(steps.transposed(apart, {0, 2, 1}), {r.steps, 1, r.batch, r.hidden}));
    }
    const Part all = steps.beside(rows, 1);
    return r.batch_first ? steps.transposed(all, {2, 0, 1, 3}) : all;
}

/// The operator: `states` counts its states, `step` makes the next ones.
template <class Step>
Lowered lowered(const Operator& with, const Recurrence& r, std::size_t states, Step&& step) {
    if (!is_real(r.type) || r.type == DataType::float64) {
        throw Refused{"the cube multiplies float16, bfloat16 and float32 here, not {}", isa::name(r.type)};
    }
    if (r.steps == 0 || r.batch == 0 || r.hidden == 0 || r.width == 0) {
        throw Refused{"{} has no elements", with.input(0).text()};
    }
    Steps steps{with};
    std::vector<Part> all;
    std::vector<std::vector<Part>> last(states);
    for (std::uint64_t d = 0; d < r.directions; ++d) {
        Direction direction{steps, r, d};
        std::vector<Part> first;
        for (std::size_t s = 0; s < states; ++s) {
            first.push_back(direction.initial(5 + s));
        }
        const Ran result =
            ran(direction, std::move(first), [&](const std::vector<Part>& before, std::uint64_t i) {
                return step(direction, before, i);
            });
        all.push_back(result.all);
        for (std::size_t s = 0; s < states; ++s) {
            last[s].push_back(result.last[s]);
        }
    }
    std::vector<Part> results{all_of(steps, r, all)};
    for (const std::vector<Part>& of : last) {
        results.push_back(last_of(steps, r, of));
    }
    results.resize(std::min(results.size(), with.node.outputs.size()));
    return steps.done(results, "step by step, a product and a generated kernel each");
}

Lowered lstm(const Operator& with) {
    const Recurrence r = recurrence_of(with, 4, {"sigmoid", "tanh", "tanh"});
    return lowered(with, r, 2, [](Direction& direction, const std::vector<Part>& before, std::uint64_t i) {
        return lstm_step(direction, before[0], before[1], i);
    });
}

Lowered gru(const Operator& with) {
    const Recurrence r = recurrence_of(with, 3, {"sigmoid", "tanh"});
    return lowered(with, r, 1, [](Direction& direction, const std::vector<Part>& before, std::uint64_t i) {
        return std::vector{gru_step(direction, before[0], i)};
    });
}

Lowered rnn(const Operator& with) {
    const Recurrence r = recurrence_of(with, 1, {"tanh"});
    return lowered(with, r, 1, [](Direction& direction, const std::vector<Part>& before, std::uint64_t i) {
        return std::vector{rnn_step(direction, before[0], i)};
    });
}

}  // namespace

Operators recurrent_operators() {
    return {{"LSTM", lstm}, {"GRU", gru}, {"RNN", rnn}};
}

}  // namespace ascendsim::networks
