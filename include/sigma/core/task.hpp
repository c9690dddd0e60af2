// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Long steps that can be watched and canceled from any thread:
//
//     Task task(TaskKind::read, "iris.data", bytes);
//     while (…) task.advance(count);   // throws CanceledError where somebody has canceled it
namespace sigma {

enum class TaskKind : std::uint8_t { download, unpack, read, preprocess, load, save, prepare, train };

namespace detail {

/// "download"
constexpr std::string_view task_word(TaskKind kind) {
    constexpr std::string_view words[] = {"download", "unpack", "read",    "preprocess",
                                          "load",     "save",   "prepare", "train"};
    return words[static_cast<std::size_t>(kind)];
}

}  // namespace detail

/// Thrown by the work of a task that somebody has canceled. "read 'iris.data': canceled after 512 bytes"
struct CanceledError : Error {
    TaskKind kind;
    std::string description;

    CanceledError(TaskKind kind_, std::string description_, std::uint64_t done, std::string_view unit);
};

enum class TaskEvent : std::uint8_t { begun, advanced, canceled, ended };

class TaskView;

namespace detail {

inline constexpr std::uint64_t unknown_total = ~std::uint64_t{0};

struct TaskState {
    TaskKind kind = TaskKind::read;
    std::string description, unit;
    std::uint64_t number = 0;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> done{0}, total{unknown_total};
    std::atomic<std::int64_t> told{0};  // when listeners last heard of it, in nanoseconds after `begun`
    std::atomic<bool> canceled{false}, ended{false};
};

/// Recursive, so that a listener may remove itself.
struct TaskListening {
    std::function<void(const TaskView&, TaskEvent)> call;
    std::recursive_mutex mutex;
    bool active = true;
};

/// All tasks and listeners of the process.
struct TaskBoard {
    using Listeners = std::vector<std::shared_ptr<TaskListening>>;

    std::mutex mutex;
    std::uint64_t numbers = 0;
    std::vector<std::shared_ptr<TaskState>> tasks;
    std::shared_ptr<const Listeners> listeners = std::make_shared<Listeners>();
    std::atomic<std::size_t> listening{0};  // how many, to be asked without the lock

    void tell(const std::shared_ptr<TaskState>& state, TaskEvent event) noexcept;
};

/// Never destroyed: tasks of other threads may outlive main().
TaskBoard& task_board();

}  // namespace detail

/// What others see of a task. A handle: it stays valid, and up to date, after the task has ended.
class TaskView {
public:
    explicit TaskView(std::shared_ptr<detail::TaskState> state) : state_(std::move(state)) {}

    /// 1, 2, …, in the order of beginning.
    std::uint64_t number() const { return state_->number; }
    TaskKind kind() const { return state_->kind; }
    const std::string& description() const& { return state_->description; }
    std::string description() && { return state_->description; }
    /// What it counts: "bytes", "records".
    const std::string& unit() const& { return state_->unit; }
    std::string unit() && { return state_->unit; }
    std::chrono::steady_clock::time_point begun() const { return state_->begun; }
    std::uint64_t done() const { return state_->done.load(std::memory_order_relaxed); }
    /// Nothing where the task does not know.
    std::optional<std::uint64_t> total() const;
    /// From 0 to 1; nothing where the task does not know.
    std::optional<double> progress() const;
    bool canceled() const { return state_->canceled.load(); }
    bool ended() const { return state_->ended.load(); }
    /// Makes the work throw CanceledError where it next says how far it is. Returns at once.
    void cancel() const;

private:
    std::shared_ptr<detail::TaskState> state_;
};

/// A long step, from its constructor to its destructor. Several threads may advance it.
class Task {
public:
    explicit Task(TaskKind kind, std::string description, std::optional<std::uint64_t> total = {},
                  std::string unit = "bytes");
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task();

    /// `count` more are done. Throws CanceledError.
    void advance(std::uint64_t count = 1);
    /// `done` of all are done. Throws CanceledError.
    void reach(std::uint64_t done);
    void set_total(std::optional<std::uint64_t> total);
    /// Throws CanceledError where it is canceled.
    void examine() const;
    TaskView view() const { return TaskView(state_); }

private:
    /// Listeners hear of a task twenty times a second at most.
    void moved();

    std::shared_ptr<detail::TaskState> state_;
};

/// The tasks that have not ended, in the order of their beginning; from any thread.
std::vector<TaskView> tasks();

/// Listens as long as it lives; when it is gone, no call is under way.
class TaskListener {
public:
    explicit TaskListener(std::function<void(const TaskView&, TaskEvent)> call);
    TaskListener(TaskListener&&) noexcept = default;
    TaskListener& operator=(TaskListener&& other) noexcept;
    ~TaskListener();

private:
    template <class Change>
    static void change(Change&& to) {
        detail::TaskBoard& board = detail::task_board();
        const std::scoped_lock lock(board.mutex);
        auto listeners = std::make_shared<detail::TaskBoard::Listeners>(*board.listeners);
        to(*listeners);
        board.listening.store(listeners->size());
        board.listeners = std::move(listeners);
    }

    std::shared_ptr<detail::TaskListening> listening_;
};

/// Calls `call(view, event)` for each event of each task, on the thread where it happens, one call at a time, until
/// what it returns is destroyed. What a listener throws is dropped: watching does not change the work.
[[nodiscard]] TaskListener on_task(std::function<void(const TaskView&, TaskEvent)> call);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/task.ipp>
#endif
