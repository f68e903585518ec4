// SPDX-License-Identifier: Apache-2.0
#include "app/serving/replica.hpp"

#include <algorithm>

namespace ascendsim::serving {

using networks::llm::StepShape;
using networks::llm::StepTime;

void Replica::take_over(std::size_t request) {
    const std::uint64_t prompt = records_[request].prompt;
    waiting_.push_back({.request = request, .wanted = prompt, .cached = prompt, .generated = 1});
}

void Replica::take(std::size_t request, bool with_prefix) {
    waiting_.push_back({.request = request, .wanted = records_[request].prompt, .has_prefix = with_prefix});
}

void Replica::begin(double now, ServedLoad& load) {
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
        busy_until_ = never;
        return;
    }
    finish_shape();
    StepShape ran;
    const StepTime time = step_time(ran);
    const double host =
        config_.scheduler.overlapped ? config_.scheduler.overlapped_us : config_.scheduler.step_host_us;
    busy_until_ = now + time.us + host;
    for (const auto& [part, us] : time.parts) {
        load.parts_us[part] += us;
    }
    load.parts_us["launch"] += time.host_us;
    load.parts_us["host"] += host;
    load.steps.push_back({.start_us = now,
                          .us = time.us + host,
                          .replica = number_,
                          .decoding = shape_.decoding,
                          .prompt_tokens = shape_.rows() - shape_.decoding * shape_.tokens_of_sequence,
                          .cache_blocks = blocks_ - free_,
                          .shape = std::move(ran)});
    load.most_blocks = std::max(load.most_blocks, blocks_ - free_);
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
            record.replica = number_;
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
    if (waiting_.empty() || running_.size() >= config_.scheduler.max_sequences) {
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

StepTime Replica::step_time(StepShape& ran) {
    const bool decodes_only = shape_.prompts.empty();
    StepShape shape = shape_;
    node::IssueMode mode = config_.mode;
    if (mode == node::IssueMode::graph) {
        constexpr std::uint64_t step = 8;
        if (decodes_only) {
            shape.decoding = shape.decoding <= 2   ? shape.decoding
                             : shape.decoding <= 4 ? 4
                                                   : (shape.decoding + step - 1) / step * step;
        } else {
            mode = node::IssueMode::queue;
        }
    }
    ran = shape;
    StepTime time = timer_(shape, mode, 0);
    if (config_.speculation.drafted > 0 && shape.decoding > 0) {
        StepShape draft = shape;
        draft.tokens_of_sequence = 1;
        draft.prompts.clear();
        draft.results = shape.decoding;
        const StepTime one = timer_(draft, mode, 1);
        time.us += one.us * config_.speculation.drafted;
        time.host_us += one.host_us * config_.speculation.drafted;
        for (const auto& [part, us] : one.parts) {
            time.parts["draft"] += us * config_.speculation.drafted;
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
