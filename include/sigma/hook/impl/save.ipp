// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/save.hpp>
#include <sigma/storage/workspace.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <tuple>

namespace sigma {

namespace detail {

/// Forgets files that do not exist, then deletes the first ones until `most` are left.
inline void keep_last_files(std::vector<std::string>& files, std::uint64_t most) {
    std::erase_if(files, [](const std::string& file) {  // writing failed, or another program deleted it
        std::FILE* const f = std::fopen(storage::placed(file).c_str(), "rb");
        return f == nullptr || std::fclose(f) != 0;
    });
    while (files.size() > most) {
        std::remove(storage::placed(files.front()).c_str());
        files.erase(files.begin());
    }
}

struct SaveNode {
    std::vector<TextOrValue> name{};
    std::uint64_t kept = 0;
    std::shared_ptr<std::vector<std::string>> files = std::make_shared<std::vector<std::string>>();

    auto fields() { return std::tie(name); }
    void run(HookContext& context) {
        const std::string file = file_name_of(name, context);
        context.save(file);
        if (kept == 0) return;
        // The list still has the files that will be deleted, so that a run which resumes from this file deletes them.
        std::erase(*files, file);
        files->push_back(file);
        context.afterwards([f = files, most = kept] { keep_last_files(*f, most); });
    }
    /// Gives a copy in another trainer a list of its own.
    void restart() { files = std::make_shared<std::vector<std::string>>(*files); }
    void archive(Archive& a) {
        if (kept == 0) return;
        std::vector<char> names;
        if (!a.reading())
            for (const std::string& file : *files)
                names.insert(names.end(), file.c_str(), file.c_str() + file.size() + 1);
        a.tensor(names);
        if (!a.reading()) return;
        files->clear();
        for (auto from = names.begin(); from != names.end();) {
            const auto end = std::find(from, names.end(), '\0');
            // If the resumed hook saves under another name, the earlier files no longer belong to it.
            if (std::string file(from, end); could_name(name, file)) files->push_back(std::move(file));
            from = end == names.end() ? end : end + 1;
        }
    }
    std::string text() const {
        return sentence("save(", file_name_words(name), kept > 0 ? sentence(").keep_last(", kept, ")") : ")");
    }
};

/// The action `save` without a name. Throws ArgumentError if the trainer's name cannot be that of a file.
struct SaveByNameNode {
    static void run(HookContext& context) { context.save(sentence(context.name(), ".sigma")); }
    static void restart(HookContext& context) {
        const std::string& name = context.name();
        if (name.empty() || name.find('/') != std::string::npos)
            throw ArgumentError("save", "the name of a file, or a trainer with a name without '/'",
                                name.empty() ? "a trainer without a name" : sentence("trainer '", name, "'"));
    }
    static std::string text() { return "save"; }
};

SIGMA_IMPL ActionHandle make_save(std::vector<TextOrValue> name, std::uint64_t kept) {
    return make_action(SaveNode{std::move(name), kept});
}
SIGMA_IMPL ActionHandle make_save() { return make_action(SaveByNameNode{}); }
SIGMA_IMPL ActionHandle keep_last(const ActionHandle& save, Integer n) {
    return make_save(static_cast<const ActionNodeOf<SaveNode>&>(*save).self.name, positive("keep_last", n));
}

/// The action that restores everything (parameters, states, counts, position, hooks), or only the parameters that
/// match.
struct RestoreNode {
    bool everything = true;
    std::string file{};
    ParameterChoice choice{"*"};

    void run(HookContext& context) {
        TrainerView& trainer = context.view();
        if (everything) return trainer.load_after_hooks(file);
        context.afterwards([&trainer, f = file, chosen = choice] {
            trainer.load_parameters(f, chosen);
            trainer.parameters_changed();
        });
    }
    const char* word() const { return everything ? "restore" : "restore_parameters"; }
    std::string text() const {
        return sentence(word(), "(\"", file, "\"", choice.everything() ? "" : sentence(", ", choice.text()), ")");
    }
};

inline RestoreFile make_restore(RestoreNode made) {
    if (made.file.empty()) throw ArgumentError(made.word(), "the name of a file", "an empty text");
    return RestoreFile(make_action(std::move(made)));
}

}  // namespace detail

SIGMA_IMPL RestoreFile restore(std::string file) { return detail::make_restore({true, std::move(file)}); }
SIGMA_IMPL RestoreFile restore_parameters(std::string file, ParameterChoice choice) {
    return detail::make_restore({false, std::move(file), std::move(choice)});
}

}  // namespace sigma
