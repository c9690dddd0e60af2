// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/workspace.hpp>

#include "forks.hpp"
#include "json.hpp"
#include "run_records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sigma::monitor {

using records::put;

namespace {

std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw StorageError(file, "to read it", sigma::storage::system_text(errno), errno);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Calls record(payload) for each whole record, and returns the number of bytes up to the end of the last.
template <class Record>
std::size_t for_each_record(std::string_view file, Record record) {
    if (!file.starts_with(records::magic)) return 0;
    std::string_view left = file.substr(records::magic.size());
    std::size_t sound = records::magic.size();
    while (true) {
        std::uint32_t size = 0, sum = 0;
        if (!records::take(left, size) || !records::take(left, sum) || size == 0 || left.size() < size ||
            records::sum_of(left.substr(0, size)) != sum)
            return sound;
        if (!record(left.substr(0, size))) return sound;
        left.remove_prefix(size);
        sound = file.size() - left.size();
    }
}

void write_all(int file, std::string& bytes, const std::string& path) {
    std::string_view left = bytes;
    while (!left.empty()) {
        const ssize_t written = ::write(file, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            bytes.clear();
            throw StorageError(path, "to write it", sigma::storage::system_text(errno), errno);
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    bytes.clear();
}

}  // namespace

RunFolder::RunFolder(const std::string& runs, std::string_view name, std::string_view description) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%Y%m%d-%H%M%S-", &parts);
    std::string word = date.data();
    for (const char c : name.substr(0, 60))
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
            word += c;
    std::error_code failed;
    std::filesystem::create_directories(runs, failed);
    path_ = (std::filesystem::path(runs) / word).string();
    for (int i = 2; !std::filesystem::create_directory(path_, failed) && !failed && i < 1000; ++i)
        path_ = (std::filesystem::path(runs) / sentence(word, "-", i)).string();  // two runs in the same second
    if (failed) throw StorageError(path_, "to create this folder", failed.message(), failed.value());
    describe(description);
    open();
}

void RunFolder::remove() {
    for (const char* own : {"run.json", "page.json", "series.bin", "log.jsonl", "predictions.json", ""}) {
        std::error_code failed;  // a folder with other files stays
        std::filesystem::remove(std::filesystem::path(path_) / own, failed);
    }
}

void RunFolder::describe(std::string_view description) {
    write_file_atomically(std::filesystem::absolute(path_ + "/run.json").string(),
                          std::as_bytes(std::span(description)));
}

void RunFolder::arrange(std::string_view arrangement) {
    write_file_atomically(std::filesystem::absolute(path_ + "/page.json").string(),
                          std::as_bytes(std::span(arrangement)));
}

RunFolder::RunFolder(const std::string& folder) : path_(folder) { open(); }

RunFolder::~RunFolder() {
    try {
        flush();
    } catch (const StorageError&) {  // loses the last second
    }
    if (series_file_ >= 0) ::close(series_file_);
    if (log_file_ >= 0) ::close(log_file_);
}

void RunFolder::open() {
    const std::string series = path_ + "/series.bin", lines = path_ + "/log.jsonl";
    const auto cut = [](const std::string& file, std::size_t to) {
        std::error_code failed;
        std::filesystem::resize_file(file, to, failed);
        if (failed) throw StorageError(file, "to cut off its incomplete end", failed.message(), failed.value());
    };
    if (std::filesystem::exists(series)) {
        const std::string bytes = bytes_of(series);
        const std::size_t sound = for_each_record(bytes, [&](std::string_view payload) {
            if (auto name = records::name_of(payload)) {
                const bool tensor = payload[0] == records::letter::tensor;
                (tensor ? tensors_ : numbers_)[{std::move(name->trainer), std::move(name->name)}] = name->number;
                if (name->holds) kept_[name->number].hold();
            } else if (const auto points = records::points_of(payload)) {
                for (std::uint32_t i = 0; i < points->count; ++i) kept_[points->number].append((*points)[i]);
            } else if (const auto buckets = records::buckets_of(payload)) {
                for (const Bucket& bucket : buckets->all) kept_[buckets->number].restore(bucket);
            } else if (auto found = records::distribution_of(payload)) {
                kept_tensors_[found->number].restore(std::move(found->distribution));
            } else if (auto status = records::status_of(payload)) {
                status_[std::move(status->trainer)] = std::move(status->status);
            } else if (auto marked = records::mark_of(payload)) {
                records::append(marks_[std::move(marked->trainer)], std::move(marked->mark));
            }
            return true;
        });
        if (sound == 0 && bytes.size() >= records::magic.size())
            throw StorageError(series, "'sigma-run 1' at the beginning", "other bytes");
        if (sound < bytes.size()) cut(series, sound);
        if (sound == 0) bytes_ = records::magic;
        series_size_ = sound;
    } else {
        bytes_ = records::magic;
    }
    if (std::filesystem::exists(lines)) {
        const std::string text = bytes_of(lines);
        const std::size_t end = text.rfind('\n');
        const std::size_t sound = end == text.npos ? 0 : end + 1;
        if (sound < text.size()) cut(lines, sound);
        log_size_ = sound;
    }
    open_files();
}

void RunFolder::open_files() {
    const auto append = [](int& file, const std::string& name) {
        if (file >= 0) ::close(file);
        file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (file < 0) throw StorageError(name, "to open it", sigma::storage::system_text(errno), errno);
    };
    append(series_file_, path_ + "/series.bin");
    append(log_file_, path_ + "/log.jsonl");
}

void RunFolder::record(std::string_view payload) {
    put(bytes_, static_cast<std::uint32_t>(payload.size()));
    put(bytes_, records::sum_of(payload));
    bytes_ += payload;
}

std::uint32_t RunFolder::number_of(Numbers& numbers, char letter, std::pair<std::string, std::string> name,
                                   bool holds) {
    const auto [at, fresh] = numbers.try_emplace(std::move(name), static_cast<std::uint32_t>(numbers.size()));
    if (fresh) record(records::payload_of(letter, {at->second, at->first.first, at->first.second, holds}));
    return at->second;
}

void RunFolder::add(std::string_view trainer, std::string_view series, const Point& point, bool holds) {
    if (last_number_ == ~0u || last_name_.first != trainer || last_name_.second != series) {
        last_name_ = {std::string(trainer), std::string(series)};
        last_number_ = number_of(numbers_, records::letter::series, last_name_, holds);
    }
    if (holds) kept_[last_number_].hold();
    waiting_[last_number_].push_back(point);
}

void RunFolder::add(std::string_view trainer, std::string_view tensor, const Distribution& distribution) {
    if (!records::is_sound(distribution))
        throw ArgumentError(
            sentence("run folder, '", tensor, "'"),
            sentence("a distribution of 1 to ", Distributions::bins, " bins over a range"),
            sentence(distribution.counts.size(), " bins over [", distribution.low, ", ", distribution.high, "]"));
    const std::uint32_t number =
        number_of(tensors_, records::letter::tensor, {std::string(trainer), std::string(tensor)}, false);
    kept_tensors_[number].restore(distribution);
    record(records::payload_of(number, distribution));
}

void RunFolder::add(std::string_view trainer, const RunStatus& status) {
    status_[std::string(trainer)] = status;
    record(records::payload_of(trainer, status));
}

void RunFolder::add(std::string_view trainer, RunMark mark) {
    record(records::payload_of(trainer, mark));
    records::append(marks_[std::string(trainer)], std::move(mark));
}

void RunFolder::add(const LogLine& line) {
    lines_ +=
        text_of(Json{{"time", line.time}, {"level", line.level}, {"source", line.source}, {"message", line.message}});
    lines_ += '\n';
}

void RunFolder::flush() {
    for (auto& [number, points] : waiting_) {
        for (std::size_t first = 0; first < points.size(); first += records::most_points) {
            const std::size_t count = std::min(records::most_points, points.size() - first);
            record(records::payload_of(number, std::span(points).subspan(first, count)));
        }
        for (const Point& point : points) kept_[number].append(point);
        points.clear();
    }
    const bool quiet = bytes_.empty() && std::exchange(goes_on_, false);
    series_size_ += bytes_.size();
    log_size_ += lines_.size();
    write_all(series_file_, bytes_, path_ + "/series.bin");
    write_all(log_file_, lines_, path_ + "/log.jsonl");
    if (quiet) ::futimens(series_file_, nullptr);
    if (series_size_ > most_) thin_series();
    if (log_size_ > most_log) thin_log();
}

void RunFolder::thin_series() {
    bytes_ = records::magic;
    const auto names = [&](const Numbers& numbers, char letter) {
        for (const auto& [name, number] : numbers) {
            const auto kept = kept_.find(number);
            const bool holds = letter == records::letter::series && kept != kept_.end() && kept->second.held();
            record(records::payload_of(letter, {number, name.first, name.second, holds}));
        }
    };
    names(numbers_, records::letter::series);
    names(tensors_, records::letter::tensor);
    for (const auto& [number, series] : kept_) {
        std::vector<Bucket> many;
        std::vector<Point> some;
        series.visit([&](const Bucket& bucket) { many.push_back(bucket); },
                     [&](const Point& point) { some.push_back(point); });
        const auto in_parts = [&, of = number](const auto& all) {
            for (std::size_t first = 0; first < all.size(); first += records::most_points)
                record(records::payload_of(
                    of, std::span(all).subspan(first, std::min(records::most_points, all.size() - first))));
        };
        in_parts(many);
        in_parts(some);
    }
    for (const auto& [number, kept] : kept_tensors_)
        for (const Distribution& distribution : kept.all()) record(records::payload_of(number, distribution));
    for (const auto& [trainer, status] : status_) record(records::payload_of(trainer, status));
    for (const auto& [trainer, marks] : marks_)
        for (const RunMark& mark : marks) record(records::payload_of(trainer, mark));
    replace_file("series.bin", bytes_, series_size_);
    most_ = std::max(most_series, 4 * series_size_);
}

/// Keeps the newer half, from the beginning of a line.
void RunFolder::thin_log() {
    std::string text = bytes_of(path_ + "/log.jsonl");
    const std::size_t begin = text.find('\n', text.size() - std::min(text.size(), most_log / 2));
    text.erase(0, begin == text.npos ? 0 : begin + 1);
    replace_file("log.jsonl", text, log_size_);
}

void RunFolder::replace_file(const char* name, std::string& bytes, std::size_t& size) {
    write_file_atomically(std::filesystem::absolute(path_ + "/" + name).string(), std::as_bytes(std::span(bytes)));
    size = std::exchange(bytes, {}).size();
    open_files();
}

KeptRun read_run(const std::string& folder) {
    KeptRun run;
    run.name = std::filesystem::path(folder).filename().string();
    run.description = bytes_of(folder + "/run.json");
    if (const auto described = parsed(run.description); described && described->is_object())
        for (const Json& trainer : described->value("trainers", Json::array()))
            if (auto parent = parent_in(trainer)) run.parents[text_in(trainer, "name")] = std::move(*parent);
    const std::string bytes = bytes_of(folder + "/series.bin");
    std::map<std::uint32_t, Series*> by_number;
    std::map<std::uint32_t, Distributions*> tensors;
    for_each_record(bytes, [&](std::string_view payload) {
        switch (payload.empty() ? '\0' : payload[0]) {
            case records::letter::series:
            case records::letter::tensor: {
                const auto name = records::name_of(payload);
                if (!name) return false;
                if (payload[0] == records::letter::tensor) {
                    tensors[name->number] = &run.distributions[name->trainer][name->name];
                    return true;
                }
                Series& series = run.trainers[name->trainer][name->name];
                if (name->holds) series.hold();
                by_number[name->number] = &series;
                return true;
            }
            case records::letter::points: {
                const auto points = records::points_of(payload);
                if (!points || !by_number.contains(points->number)) return false;
                for (std::uint32_t i = 0; i < points->count; ++i) by_number[points->number]->append((*points)[i]);
                return true;
            }
            case records::letter::buckets: {
                const auto buckets = records::buckets_of(payload);
                if (!buckets || !by_number.contains(buckets->number)) return false;
                for (const Bucket& bucket : buckets->all) by_number[buckets->number]->restore(bucket);
                return true;
            }
            case records::letter::status: {
                auto status = records::status_of(payload);
                if (!status) return false;
                run.status[std::move(status->trainer)] = std::move(status->status);
                return true;
            }
            case records::letter::mark: {
                auto found = records::mark_of(payload);
                if (!found) return false;
                records::append(run.marks[std::move(found->trainer)], std::move(found->mark));
                return true;
            }
            case records::letter::distribution: {
                auto found = records::distribution_of(payload);
                if (!found || !tensors.contains(found->number)) return false;
                tensors[found->number]->restore(std::move(found->distribution));
                return true;
            }
            default: return true;  // a record of a later version
        }
    });
    std::ifstream lines(folder + "/log.jsonl", std::ios::binary);
    std::uint64_t number = 0;
    for (std::string text; std::getline(lines, text);) {
        const auto line = parsed(text);
        if (!line || !line->is_object()) continue;
        LogLine next{.number = ++number};
        next.time = number_in(*line, "time");
        next.level = text_in(*line, "level");
        next.source = text_in(*line, "source");
        next.message = text_in(*line, "message");
        run.log.push_back(std::move(next));
        if (run.log.size() > 20'000) run.log.erase(run.log.begin(), run.log.begin() + 10'000);
    }
    if (run.log.size() > 10'000) run.log.erase(run.log.begin(), run.log.end() - 10'000);
    return run;
}

std::vector<std::string> runs_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
        if (std::filesystem::exists(entry.path() / "series.bin", failed))
            names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

}  // namespace sigma::monitor
