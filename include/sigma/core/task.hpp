// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Long steps that you can watch and cancel from any thread: Task, TaskView, tasks, on_task. Included by headers of
/// `<sigma/data/…>`; otherwise include it yourself.

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

namespace sigma {

/// The kind of work that a task does.
/// @see Task
enum class TaskKind : std::uint8_t {
    download,    ///< Downloads a file.
    unpack,      ///< Unpacks a compressed file or an archive.
    read,        ///< Reads data.
    preprocess,  ///< Transforms data.
    load,        ///< Loads a file into memory.
    save,        ///< Writes a file.
    prepare,     ///< Prepares other work.
    train,       ///< Trains a network.
};

namespace detail {

/// Returns the name of a kind of task, such as "download".
constexpr std::string_view task_word(TaskKind kind) {
    constexpr std::string_view words[] = {"download", "unpack", "read",    "preprocess",
                                          "load",     "save",   "prepare", "train"};
    return words[static_cast<std::size_t>(kind)];
}

}  // namespace detail

/// An error in work that was canceled.
///
/// A function that runs a task throws it after a call of TaskView::cancel. Example of a text: "read 'iris.data':
/// canceled after 512 bytes".
///
/// @see Error, TaskView::cancel
struct CanceledError : Error {
    TaskKind kind;            ///< The kind of task.
    std::string description;  ///< The description of the task, such as the name of a file.

    /// Constructs an error with the text "KIND 'DESCRIPTION': canceled after DONE UNIT".
    /// @param kind_         kind of task
    /// @param description_  description of the task
    /// @param done          amount of work that was done
    /// @param unit          unit of the amount, such as "bytes"
    CanceledError(TaskKind kind_, std::string description_, std::uint64_t done, std::string_view unit);
};

/// An event in the life of a task.
/// @see on_task
enum class TaskEvent : std::uint8_t {
    begun,     ///< The task was constructed.
    advanced,  ///< Some of its work was done. Reported at most 20 times a second for each task.
    canceled,  ///< TaskView::cancel was called for the first time.
    ended,     ///< The task was destroyed.
};

class TaskView;

namespace detail {

inline constexpr std::uint64_t unknown_total = ~std::uint64_t{0};

struct TaskState {
    TaskKind kind = TaskKind::read;
    std::string description, unit;
    std::uint64_t number = 0;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> done{0}, total{unknown_total};
    std::atomic<std::int64_t> last_notified{0};  // time of the last `advanced` event, in nanoseconds after `begun`
    std::atomic<bool> canceled{false}, ended{false};
};

/// A listener and the lock that its calls hold. The lock is recursive, so that a listener may remove itself.
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
    std::atomic<std::size_t> listening{0};  // number of listeners, which can be read without the lock

    /// Calls the listeners.
    void notify(const std::shared_ptr<TaskState>& state, TaskEvent event) noexcept;
};

/// Returns the tasks of the process. The object is never destroyed, because tasks of other threads may outlive main().
TaskBoard& task_board();

}  // namespace detail

/// A handle to a task, for watching and canceling it from any thread. It remains valid and current after the task has
/// ended.
///
/// @par Example
/// @code
/// for (const TaskView& task : tasks())
///     if (task.kind() == TaskKind::download) task.cancel();
/// @endcode
///
/// @see tasks, on_task
class TaskView {
public:
    /// @cond internal
    explicit TaskView(std::shared_ptr<detail::TaskState> state) : state_(std::move(state)) {}
    /// @endcond

    /// Returns the number of the task in this process: 1, 2, …, in the order in which tasks began.
    /// @return a number from 1 on
    std::uint64_t number() const { return state_->number; }
    /// Returns the kind of task.
    /// @return the kind of task
    TaskKind kind() const { return state_->kind; }
    /// Returns the description, such as the name of a file.
    /// @return the description, such as the name of a file
    const std::string& description() const& { return state_->description; }
    /// Returns a copy of the description.
    /// @return a copy of the description
    std::string description() && { return state_->description; }
    /// Returns the unit of the amount of work, such as "bytes" or "records".
    /// @return the unit of the amount of work, such as "bytes" or "records"
    const std::string& unit() const& { return state_->unit; }
    /// Returns a copy of the unit.
    /// @return a copy of the unit
    std::string unit() && { return state_->unit; }
    /// Returns when the task began.
    /// @return the time of the beginning
    std::chrono::steady_clock::time_point begun() const { return state_->begun; }
    /// Returns the amount of work done so far.
    /// @return the amount of work done so far
    std::uint64_t done() const { return state_->done.load(std::memory_order_relaxed); }
    /// Returns the total amount of work, or nothing if it is unknown.
    /// @return the total amount of work, or nothing if it is unknown
    std::optional<std::uint64_t> total() const;
    /// Returns the share of the work that is done, from 0 to 1, or nothing if the total is unknown.
    /// @return the share of the work that is done, from 0 to 1, or nothing if the total is unknown
    std::optional<double> progress() const;
    /// Returns whether `cancel` was called.
    /// @return true if `cancel` was called
    bool canceled() const { return state_->canceled.load(); }
    /// Returns whether the task has ended.
    /// @return true if the task has ended
    bool ended() const { return state_->ended.load(); }
    /// Cancels the task. Returns at once; the work throws CanceledError when it next reports its progress.
    void cancel() const;

private:
    std::shared_ptr<detail::TaskState> state_;
};

/// A long step that others can watch and cancel. It lasts from its constructor to its destructor.
///
/// Several threads may advance one task.
///
/// @par Example
/// @code
/// Task task(TaskKind::read, "measurements", 1000, "records");
/// for (int i = 0; i < 1000; ++i) task.advance();  // throws CanceledError if the task was canceled
/// @endcode
///
/// @see tasks, on_task, show_tasks
class Task {
public:
    /// Begins a task.
    /// @param kind         kind of task
    /// @param description  description, such as the name of a file
    /// @param total        total amount of work. Default: unknown.
    /// @param unit         unit of the amount, such as "bytes" or "records"
    explicit Task(TaskKind kind, std::string description, std::optional<std::uint64_t> total = {},
                  std::string unit = "bytes");
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    /// Ends the task.
    ~Task();

    /// Adds to the amount of work done.
    /// @param count  amount to add
    /// @throws CanceledError  if the task was canceled
    void advance(std::uint64_t count = 1);
    /// Sets the amount of work done.
    /// @param done  amount done since the task began
    /// @throws CanceledError  if the task was canceled
    void reach(std::uint64_t done);
    /// Sets the total amount of work.
    /// @param total  total amount, or nothing if it is unknown
    void set_total(std::optional<std::uint64_t> total);
    /// Checks whether the task was canceled.
    /// @throws CanceledError  if the task was canceled
    void examine() const;
    /// Returns a handle to the task.
    /// @return a handle to the task
    TaskView view() const { return TaskView(state_); }

private:
    /// Throws CanceledError if the task was canceled. Calls the listeners at most 20 times a second.
    void moved();

    std::shared_ptr<detail::TaskState> state_;
};

/// Returns handles to all tasks of the process that have not ended, in the order in which they began. You can call it
/// from any thread.
/// @return handles to all tasks of the process that have not ended, in the order in which they began
/// @see TaskView
std::vector<TaskView> tasks();

/// A listener for events of tasks. It is active from its constructor to its destructor.
/// @see on_task
class TaskListener {
public:
    /// Begins to listen.
    /// @param call  function to call for each event, see on_task
    explicit TaskListener(std::function<void(const TaskView&, TaskEvent)> call);
    /// Takes over the function of another listener.
    TaskListener(TaskListener&&) noexcept = default;
    /// Exchanges the functions of two listeners.
    TaskListener& operator=(TaskListener&& other) noexcept;
    /// Stops listening. Waits for a call that is running on another thread.
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

/// Calls a function for each event of each task.
///
/// The calls run on the thread on which the event happens, one call at a time. An exception of the function is ignored,
/// so that watching never changes the work.
///
/// @param call  function to call: `call(view, event)`
/// @return a listener. The calls stop when you destroy it.
///
/// @par Example
/// @code
/// const auto listener = on_task([](const TaskView& task, TaskEvent event) {
///     if (event == TaskEvent::ended) std::printf("%s: done\n", task.description().c_str());
/// });
/// @endcode
///
/// @see show_tasks
[[nodiscard]] TaskListener on_task(std::function<void(const TaskView&, TaskEvent)> call);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/task.ipp>
#endif
