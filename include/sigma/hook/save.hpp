// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/file_name.hpp>
#include <sigma/hook/hook.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma {

namespace data {
class File;
}
namespace detail {
/// Deletes the first of these files, and forgets those that are not there, until `most` are left.
void keep_last_files(std::vector<std::string>& files, std::uint64_t most);
}  // namespace detail

/// Writes a checkpoint when all hooks of the moment are through, so that a resumed run goes on exactly where it was
/// written; in the background, of the moment in which the hook fired. A failure leaves the file that was there.
template <class Name>
class SaveFile : public Action<SaveFile<Name>> {
public:
    using Reads = typename Name::Reads;
    static constexpr Needs needs = Needs::checkpoint;

    explicit SaveFile(Name name, std::uint64_t kept = 0) : name_(std::move(name)), kept_(kept) {}
    /// Of the files that this action has written, also before the run was resumed, only the last n stay. Older ones are
    /// deleted after the new one is safely written.
    SaveFile keep_last(std::integral auto n) const { return SaveFile(name_, detail::positive("keep_last", n)); }

    void run(auto& context) {
        const std::string file = name_(context);
        context.save(file);
        if (kept_ == 0) return;
        // What is to be deleted stays remembered until it is: whoever resumes from this file deletes it.
        std::erase(*files_, file);
        files_->push_back(file);
        context.afterwards([files = files_, most = kept_] { detail::keep_last_files(*files, most); });
    }
    void visit_values(auto f) { name_.visit_values(f); }
    /// A copy in another trainer remembers files of its own.
    void restart(auto&) { files_ = std::make_shared<std::vector<std::string>>(*files_); }
    void archive(Archive& a) {
        if (kept_ == 0) return;
        std::vector<char> text;
        if (!a.reading())
            for (const std::string& file : *files_) text.insert(text.end(), file.c_str(), file.c_str() + file.size() + 1);
        a.tensor(text);
        if (!a.reading()) return;
        files_->clear();
        for (auto from = text.begin(); from != text.end();) {
            const auto end = std::find(from, text.end(), '\0');
            files_->emplace_back(from, end);
            from = end == text.end() ? end : end + 1;
        }
    }
    std::string text() const {
        return sentence("save(", name_.text(), kept_ > 0 ? sentence(").keep_last(", kept_, ")") : ")");
    }

private:
    Name name_;
    std::uint64_t kept_;
    std::shared_ptr<std::vector<std::string>> files_ = std::make_shared<std::vector<std::string>>();
};

/// save("best.sigma"); save(file("digits-", epoch, ".sigma")).keep_last(3)
///
/// As it stands, `then(save)`: to a file of the trainer's name, "digits.sigma".
struct SaveWord : Action<SaveWord> {
    static constexpr Needs needs = Needs::checkpoint;

    template <class... Parts>
    auto operator()(FileName<Parts...> name) const {
        return SaveFile<FileName<Parts...>>(std::move(name));
    }
    auto operator()(std::string name) const {
        if (name.empty()) throw ArgumentError("save", "the name of a file", "none");
        return (*this)(file(std::move(name)));
    }
    /// Of data::file("best.sigma"), which is meant where both namespaces are in use.
    template <class File>
        requires std::derived_from<File, data::File>
    auto operator()(const File& name) const {
        return (*this)(name.fixed());
    }

    static void run(auto& context) { context.save(sentence(context.name(), ".sigma")); }
    /// Throws ArgumentError where no file can have the trainer's name.
    static void restart(auto& context) { check(context.name()); }
    static std::string text() { return "save"; }

private:
    static void check(const std::string& name);
};
inline namespace hook_words {
inline constexpr SaveWord save{};
}

/// save_best(accuracy, "best.sigma"): when(accuracy.improves()).then(save("best.sigma"))
template <AnyValue V, class Name>
auto save_best(V v, Name name) {
    return v.improves().then(save(std::move(name)));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/save.ipp>
#endif
