// SPDX-License-Identifier: BSL-1.0
// Learns handwritten digits, shown in a browser. Prints an address to open in a browser on this machine, and runs until
// Ctrl-C. The page can stop and restart the training, save and load. With --short, the page has two charts only. With
// --check, the program trains two epochs and checks the answers of its own page, and continues a run from a checkpoint.
#include <sigma/core/run_main.hpp>
#include <sigma/data/mnist.hpp>
#include <sigma/monitor/run_folder.hpp>
#include <sigma/monitor/web.hpp>
#include <sigma/sigma.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

// [first]
using namespace sigma;

struct Digits : Network<Input(28, 28) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

void watch_digits() {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02}, minibatches(training, 100));
    trainer.add(every(1, epoch).then(score(testing)));

    monitor::Web web(trainer, {.runs = "runs"});
    web.add(monitor::chart(loss, error), monitor::chart(accuracy));
    trainer.run(cpu(), 20);
    web.wait();  // until Ctrl-C
}
// [first]

// [fork]
/// Trains to the end of the second epoch, from the beginning or from a checkpoint of an earlier run.
void train_digits(const std::string& runs, const std::string& name, const std::string& parent, std::uint64_t fork_at) {
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02}, minibatches(training, 100));
    trainer.add(every(1, epoch).then(save(file(runs, "/", name, "-", epoch, ".sigma"))));

    monitor::Web web(trainer, {.port = 0, .runs = runs});
    if (!parent.empty()) {
        web.fork("digits", parent, fork_at);  // loads the checkpoint, and begins a new run
        trainer.registry().set("optimizer.learning_rate", 0.005);
    }
    trainer.run(cpu(), 2 - static_cast<int>(trainer.epoch()));
}
// [fork]

namespace {

/// Returns an answer of the page's server, as curl http://127.0.0.1:PORT/api/state does.
std::string ask(std::uint16_t port, const char* target) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    ::sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (::connect(socket, reinterpret_cast<const ::sockaddr*>(&to), sizeof to) == 0) {
        const std::string request =
            sentence("GET ", target, " HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\nConnection: close\r\n\r\n");
        char part[4096];
        if (::send(socket, request.data(), request.size(), 0) > 0)
            for (ssize_t n; (n = ::recv(socket, part, sizeof part, 0)) > 0;)
                answer.append(part, static_cast<std::size_t>(n));
    }
    ::close(socket);
    return answer;
}

/// Returns whether a run that continues another one from the end of its first epoch has that run as its parent.
bool forks() {
    std::string runs = (std::filesystem::temp_directory_path() / "sigma-forks-XXXXXX").string();
    if (::mkdtemp(runs.data()) == nullptr) return false;
    train_digits(runs, "whole", "", 0);
    const std::string parent = monitor::runs_in(runs).front();
    const std::uint64_t epoch_end = data::mnist().training.size() / 100;
    train_digits(runs, "forked", parent, epoch_end);
    bool found = false;
    for (const std::string& one : monitor::runs_in(runs)) {
        const monitor::KeptRun kept = monitor::read_run(runs + "/" + one);
        for (const auto& [trainer, from] : kept.parents) {
            std::printf("run %s: %s continues from iteration %d of %s\n", one.c_str(), trainer.c_str(),
                        static_cast<int>(from.iteration), from.run.c_str());
            found = from.run == parent && from.iteration == epoch_end &&
                    kept.trainers.at(trainer).at("loss").points() == epoch_end;
        }
    }
    std::filesystem::remove_all(runs);
    return found;
}

int run(bool check) {
    if (check) ::setenv("SIGMA_SHARED_MACHINE", "0", 1);  // it requests its page without a token
    const auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02}, minibatches(training, 100));
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)));

    monitor::Web web(trainer, {.port = static_cast<std::uint16_t>(check ? 0 : 8080), .runs = check ? "" : "runs"});
    const auto begin = [&] { trainer.start({.epochs = check ? 2 : RunOptions::forever, .device = cpu(2)}); };
    web.on_start("digits", begin);
    // [panels]
    constexpr MaximiseOptions as_picture{
        .steps = 150, .all_steps = true, .decay = 0.003, .smoothing = 0.006, .lowest = 0, .highest = 1};
    web.add(monitor::chart(loss, error), monitor::chart(accuracy), monitor::draw_digit(28, 28),
            monitor::ranked(testing, 0), monitor::table(testing, 20), monitor::confusion(testing));
    web.add(monitor::parameters("optimizer.*", monitor::slider("optimizer.learning_rate", 1e-5, 1.0)),
            monitor::weights("network.layers.1-dense.weights", 28, 28), monitor::maximised(10, as_picture),
            monitor::histogram("network.layers.*.gradients.weights"), monitor::graph, monitor::log);
    // [panels]
    // [health]
    web.add(monitor::health, monitor::activations(testing));
    // [health]
    // [predictions]
    web.add(monitor::predictions(testing));
    // [predictions]
    // [system]
    web.add(monitor::system);
    // [system]
    std::printf("open %s\n", web.link().c_str());
    std::fflush(stdout);

    begin();
    if (!check) {
        web.wait();  // until Ctrl-C
        return 0;
    }
    trainer.wait();
    std::string state;  // another thread reports the end to the page, a moment later
    for (int i = 0; i < 100 && state.find("\"state\":\"finished\"") == state.npos; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        state = ask(web.port(), "/api/state");
    }
    const std::string history = ask(web.port(), "/api/history?name=accuracy");
    std::printf("%s\n%s\n", state.c_str(), history.c_str());
    const bool shown = state.find("\"epoch\":2") != state.npos && state.find("\"state\":\"finished\"") != state.npos;
    return shown && history.starts_with("HTTP/1.1 200") && forks() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const auto given_option = [&](const char* name) { return count > 1 && std::strcmp(arguments[1], name) == 0; };
    return run_main([&] {
        if (!given_option("--short")) return run(given_option("--check"));
        watch_digits();
        return 0;
    });
}
