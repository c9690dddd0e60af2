// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL TaskBoard& task_board() {
    static TaskBoard& board = *new TaskBoard;
    return board;
}

SIGMA_IMPL void detail::TaskBoard::notify(const std::shared_ptr<TaskState>& state, TaskEvent event) noexcept {
    if (listening.load() == 0) return;
    std::unique_lock lock(mutex);
    const std::shared_ptr<const Listeners> all = listeners;
    lock.unlock();
    for (const std::shared_ptr<TaskListening>& listener : *all) {
        const std::scoped_lock calling(listener->mutex);
        try {
            if (listener->active) listener->call(TaskView(state), event);
        } catch (...) {}
    }
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL CanceledError::CanceledError(TaskKind kind_, std::string description_, std::uint64_t done,
                                        std::string_view unit)
    : Error(sentence(detail::task_word(kind_), " '", description_, "': canceled after ", done, ' ', unit)), kind(kind_),
      description(std::move(description_)) {}

SIGMA_IMPL std::optional<std::uint64_t> TaskView::total() const {
    const std::uint64_t total = state_->total.load(std::memory_order_relaxed);
    return total == detail::unknown_total ? std::nullopt : std::optional(total);
}

SIGMA_IMPL std::optional<double> TaskView::progress() const {
    const auto all = total();
    if (!all) return {};
    return *all == 0 ? 1.0 : std::min(1.0, static_cast<double>(done()) / static_cast<double>(*all));
}

SIGMA_IMPL void TaskView::cancel() const {
    if (!state_->canceled.exchange(true)) detail::task_board().notify(state_, TaskEvent::canceled);
}

SIGMA_IMPL Task::Task(TaskKind kind, std::string description, std::optional<std::uint64_t> total, std::string unit)
    : state_(std::make_shared<detail::TaskState>()) {
    state_->kind = kind;
    state_->description = std::move(description);
    state_->unit = std::move(unit);
    if (total) state_->total.store(*total);
    detail::TaskBoard& board = detail::task_board();
    {
        const std::scoped_lock lock(board.mutex);
        state_->number = ++board.numbers;
        board.tasks.push_back(state_);
    }
    board.notify(state_, TaskEvent::begun);
}

SIGMA_IMPL Task::~Task() {
    detail::TaskBoard& board = detail::task_board();
    state_->ended.store(true);
    {
        const std::scoped_lock lock(board.mutex);
        std::erase(board.tasks, state_);
    }
    board.notify(state_, TaskEvent::ended);
}

SIGMA_IMPL void Task::advance(std::uint64_t count) {
    state_->done.fetch_add(count, std::memory_order_relaxed);
    moved();
}

SIGMA_IMPL void Task::reach(std::uint64_t done) {
    state_->done.store(done, std::memory_order_relaxed);
    moved();
}

SIGMA_IMPL void Task::set_total(std::optional<std::uint64_t> total) {
    state_->total.store(total.value_or(detail::unknown_total), std::memory_order_relaxed);
}

SIGMA_IMPL void Task::examine() const {
    if (state_->canceled.load(std::memory_order_relaxed))
        throw CanceledError(state_->kind, state_->description, state_->done.load(), state_->unit);
}

SIGMA_IMPL void Task::moved() {
    examine();
    detail::TaskBoard& board = detail::task_board();
    if (board.listening.load(std::memory_order_relaxed) == 0) return;
    const std::int64_t now = std::chrono::nanoseconds(std::chrono::steady_clock::now() - state_->begun).count();
    std::int64_t last_notified = state_->last_notified.load(std::memory_order_relaxed);
    if (now - last_notified >= 50'000'000 && state_->last_notified.compare_exchange_strong(last_notified, now))
        board.notify(state_, TaskEvent::advanced);
}

SIGMA_IMPL std::vector<TaskView> tasks() {
    detail::TaskBoard& board = detail::task_board();
    const std::scoped_lock lock(board.mutex);
    return {board.tasks.begin(), board.tasks.end()};
}

SIGMA_IMPL TaskListener::TaskListener(std::function<void(const TaskView&, TaskEvent)> call)
    : listening_(std::make_shared<detail::TaskListening>()) {
    listening_->call = std::move(call);
    change([&](auto& listeners) { listeners.push_back(listening_); });
}

SIGMA_IMPL TaskListener& TaskListener::operator=(TaskListener&& other) noexcept {
    std::swap(listening_, other.listening_);
    return *this;
}

SIGMA_IMPL TaskListener::~TaskListener() {
    if (!listening_) return;
    change([&](auto& listeners) { std::erase(listeners, listening_); });
    const std::scoped_lock lock(listening_->mutex);
    listening_->active = false;
}

SIGMA_IMPL TaskListener on_task(std::function<void(const TaskView&, TaskEvent)> call) {
    return TaskListener(std::move(call));
}

}  // namespace sigma
