// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "networks/llm/layer_traffic.hpp"
#include "networks/llm/step.hpp"

namespace ascendsim::networks::llm {

/// Tokens of a prompt behind which attention takes as much longer as they see more keys.
inline constexpr std::uint64_t most_prompt_tokens = 2048;

/// Collects what a step runs, part by part: attention of each kind (step_attention.cpp, step_latent.cpp,
/// step_linear.cpp), experts (step_experts.cpp), feed-forward parts, embedding and head (step.cpp).
class StepBuilder {
public:
    /// `drafted`: tokens that a layer of its own drafts for each sequence of a step.
    StepBuilder(const Deployment& deployment, std::uint64_t cache_block, std::uint64_t drafted);

    [[nodiscard]] StepProgram build();

private:
    using Extent = std::uint64_t;
    using Make = std::function<Task(Extent, Extent)>;

    static std::int64_t knob(Extent value) { return static_cast<std::int64_t>(value); }

    /// Rows behind which a kernel's time grows as they do.
    [[nodiscard]] Extent most_rows(Axis axis) const;

    // How operators are added: `times` is the number of layers that have them.
    void add(std::string name, Axis axis, std::uint32_t times, Make task, Extent tokens_of_sequence = 0);
    /// A kernel of the sequences that decode: `make` takes sequences, tokens of each, keys. Of shared tokens,
    /// each is a sequence.
    void add_decoding(const std::string& name, const std::function<Task(Extent, Extent, Extent)>& make);
    /// The last operators of that name take time as keys do behind so many (StepOperator::most_keys).
    void grows_with_keys(const std::string& name);
    /// A kernel of prompts: `make` takes tokens and the keys they see. Of more than `most`, it runs again.
    void add_prompt(const std::string& name, Extent most, const Make& make);
    void exchange(std::string name,
                  node::CollectiveKind kind,
                  std::uint32_t times,
                  double bytes,
                  std::uint32_t ranks,
                  Axis axis = Axis::rows);
    /// The sum of what each device of a replica has of the hidden states.
    void sum_over_devices(const std::string& name, std::uint32_t times);
    /// x [rows, k] by weights [n, k]; of W8A8 and W4A8, the rows are quantised first.
    void product(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent n);
    /// The same with weights of 16 bits whatever others have.
    void half_product(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent n);
    /// Rows become bytes with a scale each: `each` rows of `k` elements for a row of the step.
    void quantise(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent each = 1);
    /// The product just added is simulated up to fewer rows than other kernels: it takes longest to, and a
    /// row takes as long as another (docs/serving.md).
    void simulate_product(std::uint32_t times);
    void norm(
        const std::string& name, std::uint32_t times, Extent rows_of_token, Extent width, bool residual);
    /// What runs on such a chip are operators whose sources are published: their kernels here have the same
    /// order.
    [[nodiscard]] bool published_orders() const;
    /// A kernel's word for it, `otherwise` on other chips.
    [[nodiscard]] std::string library_order(const char* otherwise) const;
    void rotate(Extent heads, Extent width);
    /// Queries and keys, in one kernel where the library has one for them.
    void rotate_grouped(Extent heads, Extent kv_heads, Extent width);
    /// Heads of queries whose neighbours are pairs, as latent attention has them; its key goes with the
    /// cache.
    void rotate_latent(Extent heads, Extent width);
    /// Rows in bytes for the product that follows: by their own largest magnitude, or by factors that the
    /// model file has.
    void quantise_operand(Axis axis, std::uint32_t times, Extent width);
    void gate(std::uint32_t times, Extent width);
    /// An operation on `width` elements of each row that reads and writes them.
    void by_element(const std::string& name, std::uint32_t times, Extent width);

    /// What a token leaves in a cache, elements.
    struct KeptRows {
        Extent keys = 0;
        Extent values = 0;             // 0: there are keys alone
        bool values_quantised = true;  // of a cache of bytes; false: they stay of 16 bits
    };

    /// Rows of the step go to their slots in the cache, by the library's kernel where there are keys and
    /// values.
    void keep(const std::string& name, std::uint32_t times, const KeptRows& kept);
    /// Mixes the model's streams of hidden states in front of a part and behind it.
    void mix_streams(const std::string& part);

    void embedding();
    void word_tables();
    void framework_calls();
    void head();

    // Attention of the layers of `group_`.
    void attention(const AttentionLayers& group);
    void grouped_attention();
    void fused_grouped();
    void picked_grouped();
    void add_apart(const std::string& name, const Make& make);
    void attention_apart();
    void key_index(Extent query_width);
    void latent_attention();
    /// Marks the operators and exchanges from these on as between graphs.
    void leave_to_host(std::size_t operators, std::size_t exchanges);

    /// True if attention of `group_` takes a share of the tokens, not of the heads.
    [[nodiscard]] bool by_tokens() const {
        return deployment_.layout.attention_by_tokens && tensor_ > 1 && model_.latent &&
               (group_.index || model_.latent->direct);
    }

    void gather_keys(std::uint32_t times, Extent width, Extent whole);
    void gather_all_keys();
    /// Behind them, attention by tokens goes back to hidden states of all tokens.
    void outputs_of_tokens();
    void latent_output(Extent heads, Extent groups);
    void by_head(const std::string& name, Extent heads, Extent k, Extent n, bool prompts);
    [[nodiscard]] bool queries_in_bytes() const;
    void quantise_queries(Extent heads);
    void latent_decoding(Extent heads);
    void latent_prompts(Extent heads);
    void expanded_prefill(const LatentAttention& latent, Extent heads);
    void linear_attention();
    void linear_prompts(Extent heads);

    void gated(const std::string& which, std::uint32_t times, Extent width);
    void feed_forward();
    void experts();
    using OfRows = std::function<Extent(Extent)>;
    using OfExperts = std::function<std::vector<Extent>(Extent)>;

    /// Of a layer's tokens, the rows of each expert of the device that has most of them; and their sum.
    [[nodiscard]] OfExperts rows_of_experts() const;
    [[nodiscard]] OfRows rows_of_device() const;

    /// Devices of a replica that share its tokens among themselves to send them.
    [[nodiscard]] std::uint32_t senders() const { return tensor_ / deployment_.layout.copies(); }

    void grouped_product(const std::string& name, Extent k, Extent n);
    void send_row_by_row();
    void send_at_once();
    void gather_tokens();
    void choose_experts(Axis axis);
    void add_up_choices(Axis axis);
    /// Rows of hidden states are put in another order, `to` of `from`.
    void sort_rows(const std::string& name, Axis axis, bool bytes, const OfRows& from, const OfRows& to);
    /// So many calls on a few numbers, `of_row` of each row and `of_call` however many there are.
    void small_calls(const std::string& name, std::uint32_t times, Extent of_row, Extent of_call);
    /// Each choice of a token goes to its expert, or comes back.
    void exchange_choices(const std::string& name, double bytes);
    void gather_results();
    void shared_experts();

    /// What the work of experts depends on.
    [[nodiscard]] Axis shared_axis() const {
        return deployment_.layout.expert_parallel ? Axis::shared : Axis::rows;
    }

    [[nodiscard]] LayerTraffic traffic() const;

    [[nodiscard]] std::string half() const { return deployment_.half_type(); }

    /// The attention kernel's word for the type of the cache.
    [[nodiscard]] std::string cache_word() const {
        return deployment_.cache == Cache::int8 ? "int8" : "as_q";
    }

    const Deployment& deployment_;
    const ModelConfig& model_;
    std::uint32_t tensor_;
    Extent cache_block_;
    std::vector<Extent> decoding_tokens_;  // of a sequence in a step: of the layer that drafts, of the model
    std::string part_;
    AttentionLayers group_;
    std::uint32_t layers_ = 0;        // of that group
    bool drafts_ = true;              // a layer that drafts has what is added
    StepRows steps_;                  // that have what is added
    Extent share_ = 1;                // of the step's rows, what is added works on one in so many
    std::optional<Dealing> dealing_;  // of a mixture of experts
    StepProgram program_;
};

}  // namespace ascendsim::networks::llm
