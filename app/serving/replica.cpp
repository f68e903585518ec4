// SPDX-License-Identifier: Apache-2.0
#include "app/serving/replica.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/node/collectives.hpp"
#include "models/node/host_calls.hpp"

namespace ascendsim::serving {

using networks::llm::StepShape;
using networks::llm::StepTime;

void Replica::take_over(std::size_t request) {
    const std::uint64_t prompt = records_[request].prompt;
    waiting_.push_back(
        {.request = request, .wanted = prompt, .cached = prompt, .generated = 1, .handed_over = true});
}

void Replica::take(std::size_t request, bool with_prefix, double now) {
    Sequence sequence{
        .request = request, .wanted = records_[request].prompt, .ready_us = now, .has_prefix = with_prefix};
    const double us = inputs_us(records_[request]);
    if (config_.copies.double_buffered) {
        copied_ = std::max(copied_, now) + us;
        sequence.ready_us = copied_;
    } else {
        sequence.inputs_us = us;
    }
    waiting_.push_back(sequence);
}

double Replica::inputs_us(const ServedRequest& record) {
    const Copies& copies = config_.copies;
    if (copies.request_in_kb == 0) {
        return 0;
    }
    if (copies.distinct != 0) {
        const auto found = std::ranges::find(inputs_, record.input);
        const bool kept = found != inputs_.end();
        if (kept) {
            inputs_.erase(found);
        }
        inputs_.push_front(record.input);
        inputs_.resize(std::min<std::size_t>(inputs_.size(), copies.cached));
        if (kept) {
            return 0;
        }
    }
    return copies.us(config_.node, node::Direction::to_device, copies.request_in_kb);
}

double Replica::step_copies_us(const StepShape& shape) {
    const Copies& copies = config_.copies;
    double in = copies.us(
        config_.node, node::Direction::to_device, copies.token_in_kb * static_cast<double>(shape.rows()));
    if (copies.double_buffered) {  // while the step before ran
        in = std::max(0.0, in - last_step_us_);
    }
    for (const auto& [index, tokens] : in_step_) {
        in += std::exchange(running_[index].inputs_us, 0);
    }
    return in + copies.us(config_.node,
                          node::Direction::to_host,
                          copies.result_out_kb * static_cast<double>(shape.results));
}

double Replica::send_us(std::uint64_t rows) {
    const auto [at, is_new] = sends_us_.try_emplace(rows, 0);
    if (is_new) {  // each device of a stage sends its part to its counterpart, where they are gathered
        const std::uint64_t tensor = config_.layout.tensor;
        const std::uint64_t bytes =
            networks::llm::ceiling(rows * config_.model.hidden * networks::llm::half_bytes, tensor);
        at->second = node::collective_us(config_.node,
                                         {.kind = node::CollectiveKind::send_receive,
                                          .bytes = bytes,
                                          .ranks = {0, config_.layout.tensor}});
        if (tensor > 1) {
            std::vector<std::uint32_t> ranks(tensor);
            std::iota(ranks.begin(), ranks.end(), 0U);
            at->second += node::collective_us(
                config_.node,
                {.kind = node::CollectiveKind::all_gather, .bytes = bytes, .ranks = std::move(ranks)});
        }
    }
    return at->second;
}

double Replica::through_stages(double now, const StepTime& time, std::uint64_t rows) {
    const std::uint32_t count = config_.layout.pipeline;
    if (count == 1) {
        return now + time.us;
    }
    double last = 0;  // embedding, head and drafts; the embedding is next to nothing
    for (const char* part : {"head", "draft"}) {
        const auto found = time.parts.find(part);
        last += found == time.parts.end() ? 0 : found->second;
    }
    const double each = (time.us - last) / count;
    double at = now;
    for (std::uint32_t stage = 0; stage < count; ++stage) {
        at = std::max(at + (stage == 0 ? 0 : send_us(rows)), stages_[stage]);
        at += each + (stage + 1 == count ? last : 0);
        stages_[stage] = at;
    }
    return at;
}

void Replica::begin(double now, ServedLoad& load) {
    if (plan(now, load) > 0) {
        run({}, load);
    }
}

std::uint64_t Replica::plan(double now, ServedLoad& load) {
    now_ = now;
    shape_ = {};
    shape_.tokens_of_sequence = 1 + config_.speculation.drafted;
    in_step_.clear();
    std::uint64_t budget = config_.scheduler.max_tokens;
    const bool prompts_first = !config_.scheduler.chunked && can_admit();
    if (!prompts_first) {
        continue_running(budget, load);
    }
    admit(now, budget);
    if (in_step_.empty() && running_.empty() && !waiting_.empty() && kept_tokens_ > 0) {
        drop_prefix();
        admit(now, budget);
    }
    if (in_step_.empty()) {
        const bool comes = !waiting_.empty() && waiting_.front().ready_us > now;
        busy_until_ = comes ? waiting_.front().ready_us : never;
        return 0;
    }
    finish_shape();
    return shape_.rows();
}

void Replica::wait_until(double time, ServedLoad& load) {
    if (busy_until_ < time) {
        load.parts_us["replicas"] += time - busy_until_;
        load.steps[step_].us += time - busy_until_;
        busy_until_ = time;
    }
}

void Replica::run(const Together& among, ServedLoad& load) {
    shape_.shared = among.tokens;
    shape_.widest = among.widest;
    shape_.filling = among.filling;
    StepShape ran;
    const StepTime time = step_time(among, ran);
    const double host = between_steps_us(time);
    const double copies = step_copies_us(shape_);
    const double computed = through_stages(now_, time, shape_.rows());
    last_step_us_ = computed - now_ + host;
    busy_until_ = computed + copies + host;
    if (config_.layout.pipeline > 1) {
        load.parts_us["stages"] += computed - now_ - time.us;
    }
    if (copies > 0) {
        load.parts_us["copies"] += copies;
    }
    load.work += time.work * config_.layout.tensor;
    for (const auto& [part, us] : time.parts) {
        load.parts_us[part] += us;
    }
    load.parts_us["launch"] += time.host_us;
    load.parts_us["host"] += host;
    step_ = load.steps.size();
    load.steps.push_back({.start_us = now_,
                          .us = busy_until_ - now_,
                          .replica = number_ / config_.layout.pipeline,

                          .decoding = shape_.decoding,
                          .prompt_tokens = shape_.rows() - shape_.decoding * shape_.tokens_of_sequence,
                          .cache_blocks = blocks_ - free_,
                          .shape = std::move(ran),
                          .work = time.work * config_.layout.tensor,
                          .host_busy_us = host_busy_us(time.issue_us)});
    load.most_blocks = std::max(load.most_blocks, blocks_ - free_);
}

double Replica::between_steps_us(const StepTime& time) const {
    const Scheduler& scheduler = config_.scheduler;
    const Speculation& speculation = config_.speculation;
    const bool drafted = speculation.drafted > 0 && shape_.decoding > 0;
    if (!scheduler.overlapped) {
        const double passes = drafted && speculation.runs() > 0 ? speculation.runs() - 1 : 0;
        return scheduler.step_host_us + speculation.pass_host_us * passes;
    }
    if (!drafted) {
        return scheduler.overlapped_us;
    }
    const auto draft = time.parts.find("draft");  // none where tokens are looked up on the host
    const double hidden = draft == time.parts.end() ? 0 : draft->second;
    return std::max(scheduler.overlapped_us, scheduler.step_host_us - hidden);
}

/// Each device has a thread that issues its kernels; one thread schedules, for as long as the step takes at
/// most where it does that beside the step before.
double Replica::host_busy_us(double issue_us) const {
    return issue_us * config_.layout.tensor + std::min(config_.scheduler.step_host_us, busy_until_ - now_);
}

std::vector<Replica::Leaving> Replica::end(ServedLoad& load) {
    std::vector<Leaving> leaving;
    for (const auto& [index, tokens] : in_step_) {
        Sequence& sequence = running_[index];
        const bool decoded = sequence.decodes();
        const std::uint64_t made = decoded ? tokens_made(load) : 0;
        sequence.cached += decoded ? made : tokens;
        ServedRequest& record = records_[sequence.request];
        if (decoded) {
            sequence.generated = std::min(record.output, sequence.generated + made);
        } else if (sequence.decodes()) {
            if (sequence.generated == 0) {
                record.first_us = busy_until_;
            }
            ++sequence.generated;  // the last row of the prompt makes a token
            keep_prefix(sequence);
        }
        if (sequence.generated >= record.output) {
            record.end_us = busy_until_;
            record.replica = number_ / config_.layout.pipeline;
            leaving.push_back({sequence.request, true});
        } else if (prompts_only_ && sequence.generated > 0) {
            leaving.push_back({sequence.request, false});
        }
    }
    std::erase_if(running_, [&](const Sequence& sequence) {
        const bool leaves = sequence.generated >= records_[sequence.request].output ||
                            (prompts_only_ && sequence.generated > 0);
        free_ += leaves ? sequence.blocks : 0;
        return leaves;
    });
    return leaving;
}

std::uint64_t Replica::sharable(const Sequence& sequence) const {
    const std::uint64_t prompt = records_[sequence.request].prompt;
    return std::min(config_.requests.prefix, prompt - 1) / config_.cache_block * config_.cache_block;
}

void Replica::keep_prefix(Sequence& sequence) {
    const std::uint64_t tokens = config_.requests.prefix / config_.cache_block * config_.cache_block;
    if (sequence.has_prefix && kept_tokens_ == 0 &&
        records_[sequence.request].prompt >= config_.requests.prefix) {
        kept_tokens_ = tokens;
        sequence.shared = tokens;
        sequence.blocks -= tokens / config_.cache_block;
    }
}

void Replica::share_prefix(Sequence& sequence) const {
    if (sequence.has_prefix && sequence.cached == 0) {
        sequence.shared = std::min(sharable(sequence), kept_tokens_);
        sequence.cached = sequence.shared;
    }
}

void Replica::drop_prefix() {
    free_ += kept_tokens_ / config_.cache_block;
    kept_tokens_ = 0;
    for (Sequence& sequence : waiting_) {
        sequence.cached -= sequence.shared;
        sequence.shared = 0;
    }
}

std::uint64_t Replica::blocks_for(const Sequence& sequence, std::uint64_t tokens) const {
    const std::uint64_t shared = sequence.shared / config_.cache_block;
    const std::uint64_t all = (sequence.cached + tokens + config_.cache_block - 1) / config_.cache_block;
    const std::uint64_t own = all - std::min(all, shared);
    return own - std::min(own, sequence.blocks);
}

bool Replica::reserve(Sequence& sequence, std::uint64_t tokens) {
    const std::uint64_t more = blocks_for(sequence, tokens);
    if (more > free_) {
        return false;
    }
    free_ -= more;
    sequence.blocks += more;
    return true;
}

void Replica::preempt_last(ServedLoad& load) {
    Sequence last = running_.back();
    running_.pop_back();
    free_ += last.blocks;
    ++records_[last.request].preempted;
    ++load.preemptions;
    last.wanted = records_[last.request].prompt + last.generated;
    last.cached = last.shared;
    last.blocks = 0;
    waiting_.push_front(last);
}

void Replica::continue_running(std::uint64_t& budget, ServedLoad& load) {
    for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
        const std::uint64_t wanted =
            running_[i].decodes() ? shape_.tokens_of_sequence : running_[i].wanted - running_[i].cached;
        const std::uint64_t tokens = std::min(wanted, budget);
        while (!reserve(running_[i], tokens)) {
            const bool itself = i + 1 == running_.size();
            preempt_last(load);
            if (itself) {
                return;
            }
        }
        budget -= tokens;
        in_step_.emplace_back(i, tokens);
    }
}

std::uint64_t Replica::admissible(std::uint64_t budget) const {
    const std::uint32_t most = std::max(1U, config_.scheduler.max_sequences / config_.layout.pipeline);
    if (waiting_.empty() || running_.size() >= most || waiting_.front().ready_us > now_) {
        return 0;
    }
    const Sequence& sequence = waiting_.front();
    const std::uint64_t wanted =
        sequence.decodes() ? shape_.tokens_of_sequence : sequence.wanted - sequence.cached;
    const std::uint64_t tokens = std::min(wanted, budget);
    const bool cut = tokens < wanted;
    if (cut && !config_.scheduler.chunked) {
        return budget == config_.scheduler.max_tokens ? wanted : 0;  // longer than a step: alone
    }
    return blocks_for(sequence, tokens) <= free_ ? tokens : 0;
}

void Replica::admit(double now, std::uint64_t budget) {
    while (budget > 0) {
        if (!waiting_.empty()) {
            share_prefix(waiting_.front());
        }
        const std::uint64_t tokens = admissible(budget);
        if (tokens == 0 || !reserve(waiting_.front(), tokens)) {
            return;
        }
        ServedRequest& record = records_[waiting_.front().request];
        if (record.scheduled_us < record.arrival_us) {
            record.scheduled_us = now;
        }
        if (std::exchange(waiting_.front().handed_over, false)) {
            record.first_us = std::max(record.first_us, now);
        }
        running_.push_back(waiting_.front());
        waiting_.pop_front();
        in_step_.emplace_back(running_.size() - 1, tokens);
        budget -= std::min(budget, tokens);
    }
}

void Replica::finish_shape() {
    double keys = 0;
    for (const auto& [index, tokens] : in_step_) {
        const Sequence& sequence = running_[index];
        if (sequence.decodes()) {
            ++shape_.decoding;
            keys += static_cast<double>(sequence.cached + tokens);
            ++shape_.results;
        } else {
            shape_.prompts.push_back({.tokens = tokens, .past = sequence.cached});
            shape_.results += sequence.cached + tokens >= sequence.wanted ? 1 : 0;
        }
    }
    shape_.keys = shape_.decoding == 0 ? 0 : keys / static_cast<double>(shape_.decoding);
    shape_.results *= shape_.tokens_of_sequence;
}

bool Replica::captured_whatever(const StepShape& shape) const {
    constexpr std::uint64_t most = 512;
    const std::uint64_t captured = std::min<std::uint64_t>(2 * config_.scheduler.max_sequences, most);
    return config_.piecewise && shape.widest_rows() <= captured;
}

StepTime Replica::launched_time(const StepShape& shape, node::IssueMode mode) const {
    StepTime time = timer_(shape, mode, 0);
    const double pace = config_.scheduler.expert_layer_us * config_.model.expert_layers();
    const double more = std::max(0.0, pace - time.us);
    time.us += more;
    time.host_us += more;
    time.issue_us = std::max(time.issue_us, pace);
    return time;
}

std::uint64_t Replica::captured_for(std::uint64_t sequences) {
    constexpr std::uint64_t step = 8;
    return sequences <= 2 ? sequences : sequences <= 4 ? 4 : (sequences + step - 1) / step * step;
}

StepTime Replica::captured_time(const StepShape& shape, std::uint32_t layers) const {
    StepTime time = timer_(shape, node::IssueMode::graph, layers);
    if (config_.piecewise) {
        const std::uint32_t issued = layers == 0 ? config_.model.layers : layers;
        const double pace =
            config_.scheduler.piece_us * issued +
            time.between_graphs * node::steady_call_us(config_.host, node::IssueMode::eager, 0);
        const double more = std::max(0.0, pace - time.us);
        time.us += more;
        time.host_us += more;
        time.issue_us += pace;
    }
    return time;
}

StepTime Replica::step_time(const Together& among, StepShape& ran) {
    StepShape shape = shape_;
    node::IssueMode mode = config_.mode;
    if (mode == node::IssueMode::graph && shape.prompts.empty() && among.captured) {
        shape.decoding = std::max(captured_for(shape.decoding), among.sequences);
    } else if (mode == node::IssueMode::graph && !captured_whatever(shape)) {
        mode = node::IssueMode::eager;
    }
    ran = shape;
    StepTime time = mode == node::IssueMode::graph ? captured_time(shape, 0) : launched_time(shape, mode);
    if (config_.speculation.runs() > 0 && shape.decoding > 0) {
        StepShape draft = shape;
        const Speculation& speculation = config_.speculation;
        draft.prompts.clear();
        draft.filling = 0;
        draft.results = shape.decoding * (speculation.block ? speculation.drafted : 1);
        draft.shared = among.drafting * draft.tokens_of_sequence;
        draft.widest = among.decoding * draft.tokens_of_sequence;
        const bool captured = config_.speculation.captured || mode != node::IssueMode::graph;
        const StepTime one =
            captured && mode == node::IssueMode::graph
                ? captured_time(draft, speculation.layers)
                : timer_(draft, captured ? mode : node::IssueMode::eager, speculation.layers);
        const std::uint32_t runs = config_.speculation.runs();
        time.us += one.us * runs;
        time.host_us += one.host_us * runs;
        time.issue_us += one.issue_us * runs;
        time.work += one.work * runs;
        for (const auto& [part, us] : one.parts) {
            time.parts["draft"] += us * runs;
        }
    }
    return time;
}

std::uint64_t Replica::tokens_made(ServedLoad& load) {
    std::uint64_t made = 1;
    for (std::uint32_t i = 0; i < config_.speculation.drafted; ++i) {
        ++load.drafted;
        if (chance_() >= config_.speculation.acceptance) {
            load.drafted += config_.speculation.drafted - i - 1;
            break;
        }
        ++made;
        ++load.accepted;
    }
    return made;
}

}  // namespace ascendsim::serving
