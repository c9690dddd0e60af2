// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>

#include "web/api.hpp"
#include "web/page.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <random>

namespace sigma::monitor {

/// A path, which must be in a fixed list exactly, and values by name.
struct Target {
    std::string_view path;
    std::map<std::string, std::string, std::less<>> query;
};

namespace {

int digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

std::optional<std::string> unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return std::nullopt;
        result += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
        i += 2;
    }
    return result;
}

std::optional<Target> target_of(std::string_view text) {
    Target target;
    const std::size_t question = text.find('?');
    target.path = text.substr(0, question);
    if (question == text.npos) return target;
    std::string_view left = text.substr(question + 1);
    while (!left.empty()) {
        const std::string_view part = left.substr(0, left.find('&'));
        left.remove_prefix(std::min(left.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        auto name = unescaped(part.substr(0, equals));
        auto value = unescaped(equals == part.npos ? "" : part.substr(equals + 1));
        if (!name || !value || target.query.size() == 16) return std::nullopt;
        target.query[std::move(*name)] = std::move(*value);
    }
    return target;
}

struct Values {
    const Target& target;

    std::string_view text(std::string_view name) const {
        const auto found = target.query.find(name);
        return found == target.query.end() ? std::string_view() : found->second;
    }
    double number(std::string_view name, double otherwise) const {
        double x = 0;
        const std::string_view given = text(name);
        if (given.empty()) return otherwise;
        if (!sigma::detail::read_number(given, x) || x != x)
            throw Refusal{400, sentence("'", name, "': expected a number, found '", given.substr(0, 40), "'")};
        return x;
    }
    std::uint64_t whole(std::string_view name, std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) const {
        std::uint64_t x = 0;
        const std::string_view given = text(name);
        if (given.empty()) return otherwise;
        if (!sigma::detail::read_number(given, x) || x < least || x > most)
            throw Refusal{400, sentence("'", name, "': expected a whole number from ", least, " to ", most, ", found '",
                                        given.substr(0, 40), "'")};
        return x;
    }
};

/// Parses the body of a request, which must be an object.
Json object_in(const Request& request) {
    auto body = parsed(request.body);
    if (!body || !body->is_object())
        throw Refusal{400, "body of a request: this is not a JSON object of at most 16 levels"};
    return std::move(*body);
}
std::string text_wanted(const Json& object, const char* name) {
    if (!object.contains(name)) throw Refusal{400, sentence("body of a request: the member '", name, "' is missing")};
    if (!object[name].is_string())
        throw Refusal{400, sentence("'", name, "': expected a text, found ", object[name].type_name())};
    return object[name].get<std::string>();
}

bool is_json(std::string_view type) {
    constexpr std::string_view wanted = "application/json";
    if (type.size() < wanted.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if ((type[i] >= 'A' && type[i] <= 'Z' ? type[i] - 'A' + 'a' : type[i]) != wanted[i]) return false;
    return type.size() == wanted.size() || type[wanted.size()] == ';' || type[wanted.size()] == ' ';
}

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// Returns whether a host is a numeric address, and not a name, which another party could point here.
bool is_address(std::string_view text) {
    const auto all = [&](std::string_view allowed) { return text.find_first_not_of(allowed) == text.npos; };
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
        return text.find(':') != text.npos && all("0123456789abcdef:.");
    }
    return std::ranges::count(text, '.') == 3 && all("0123456789.");
}

Response ok(const Json& body, unsigned status = 200) { return {.status = status, .body = text_of(body)}; }

/// Returns whether both texts are equal, in a time that does not depend on the first difference.
bool same_in_constant_time(std::string_view a, std::string_view b) {
    unsigned differ = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size(); ++i)
        differ |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                        static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]));
    return differ == 0;
}

}  // namespace

Response refusal(unsigned status, std::string_view sentence) {
    Response response{.status = status, .body = text_of({{"error", std::string(sentence)}})};
    if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (status == 429) response.headers.emplace_back("Retry-After", "1");  // seconds
    return response;
}

bool Guesses::wrong(const std::string& address, std::string_view token) {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (minutes_.size() >= addresses && !minutes_.contains(address))
        minutes_.erase(std::ranges::min_element(minutes_, {}, [](const auto& minute) { return minute.second.began; }));
    Minute& minute = minutes_.try_emplace(address, Minute{now, {}}).first->second;
    if (now - minute.began >= std::chrono::minutes(1)) minute = {now, {}};
    const std::size_t hash = std::hash<std::string_view>()(token);
    if (minute.hashes.contains(hash)) return true;
    if (minute.hashes.size() == most) return false;
    minute.hashes.insert(hash);
    return true;
}

bool Questions::take(const std::string& address) {
    const std::scoped_lock lock(mutex_);
    if (left_.size() >= addresses && !left_.contains(address)) {
        std::erase_if(left_, [](const auto& one) { return one.second.whole(); });
        if (left_.size() >= addresses) return false;
    }
    return left_.try_emplace(address, a_second, at_once).first->second.take();
}

namespace {

Response too_many_guesses() {
    Response response =
        refusal(429, sentence("token: more than ", Guesses::most, " wrong ones in a minute; try again later"));
    response.headers = {{"Retry-After", "60"}};
    return response;
}

/// Splits a list at commas.
std::vector<std::string_view> items_of(std::string_view list) {
    std::vector<std::string_view> found;
    while (!list.empty()) {
        std::string_view item = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), item.size() + 1));
        while (item.starts_with(' ')) item.remove_prefix(1);
        while (item.ends_with(' ')) item.remove_suffix(1);
        if (!item.empty()) found.push_back(item);
    }
    return found;
}

/// Returns the text after "Bearer ", in upper or lower case.
std::optional<std::string_view> bearer_of(std::string_view authorization) {
    constexpr std::string_view scheme = "bearer ";
    if (authorization.size() <= scheme.size() || lower(std::string(authorization.substr(0, scheme.size()))) != scheme)
        return std::nullopt;
    return authorization.substr(scheme.size());
}

}  // namespace

std::string random_text() {
    std::random_device source;
    std::string text;
    for (int i = 0; i < 4; ++i) sigma::detail::append_hexadecimal(text, source() & 0xFFFFFFFFu, 8);
    return text;
}

/// Returns whether a text is the token or the session. Always compares both, so that the time reveals nothing.
bool Api::is_known(std::string_view offered) const {
    const bool token = same_in_constant_time(offered, access_.token);
    const bool session = !access_.session.empty() && same_in_constant_time(offered, access_.session);
    return token || session;
}

std::string Api::ticket() {
    constexpr std::size_t most = 16;
    const std::scoped_lock lock(tickets_mutex_);
    if (tickets_.size() == most) tickets_.pop_front();
    return tickets_.emplace_back(random_text());
}

/// Refuses a request without the token or a session.
std::optional<Response> Api::refuse_stranger(const Request& request) const {
    if (access_.token.empty()) return std::nullopt;
    std::vector<std::string_view> offered;
    if (const auto token = bearer_of(request.authorization)) offered.push_back(*token);
    for (const std::string_view protocol : items_of(request.protocols))
        if (protocol.starts_with(session_protocol)) offered.push_back(protocol.substr(session_protocol.size()));
    bool too_many = false;
    for (const std::string_view one : offered) {
        if (is_known(one)) return std::nullopt;
        too_many = !guesses_.wrong(request.client, one) || too_many;
    }
    if (too_many) return too_many_guesses();
    return refusal(401, "request: the token is missing or wrong; use the token that the program printed");
}

/// Refuses requests from pages of other sites, and with host names that are not this server's.
std::optional<Response> Api::refuse(const Request& request) const {
    const std::string host = lower(request.host);
    const bool by_address = !access_.any_address.empty() && host.ends_with(access_.any_address) &&
                            is_address(std::string_view(host).substr(0, host.size() - access_.any_address.size()));
    if (!by_address && std::ranges::find(access_.hosts, host) == access_.hosts.end())
        return refusal(
            403, sentence("host of a request: expected a name of this server, found '", host.substr(0, 100), "'"));
    if (!request.origin.empty() && lower(request.origin) != "http://" + host)
        return refusal(
            403, sentence("origin of a request: expected this server, found '", request.origin.substr(0, 100), "'"));
    if (request.method != "GET" && request.method != "POST") {
        Response response = refusal(
            405, sentence("method of a request: expected GET or POST, found '", request.method.substr(0, 20), "'"));
        response.headers.emplace_back("Allow", "GET, POST");
        return response;
    }
    if (request.method == "POST" && !is_json(request.content_type))
        return refusal(400, sentence("type of a request: expected application/json, found '",
                                     request.content_type.substr(0, 100), "'"));
    return std::nullopt;
}

std::optional<Response> Api::refuse_stream(const Request& request) const {
    if (auto refused = refuse(request)) return refused;
    if (request.target != "/api/stream") return refusal(404, "stream: the only stream is /api/stream");
    if (request.method != "GET") return refusal(405, "stream: only GET opens a stream");
    return refuse_stranger(request);
}

Response Api::page(std::string_view name) const {
    for (const PageFile& file : page_files()) {
        if (file.name != name) continue;
        const auto ends = [&](std::string_view end) { return name.ends_with(end); };
        const std::string type = ends(".html")  ? "text/html; charset=utf-8"
                                 : ends(".js")  ? "text/javascript; charset=utf-8"
                                 : ends(".css") ? "text/css; charset=utf-8"
                                 : ends(".svg") ? "image/svg+xml"
                                 : ends(".png") ? "image/png"
                                                : "text/plain; charset=utf-8";
        return {.type = type, .body = std::string(reinterpret_cast<const char*>(file.bytes), file.size)};
    }
    return refusal(404, "page: there is no such file");
}

/// Returns a session in exchange for the token or an unused ticket.
Response Api::login(const Request& request) const {
    const Json body = object_in(request);
    const bool by_ticket = body.contains("ticket");
    const std::string offered = text_wanted(body, by_ticket ? "ticket" : "token");
    if (access_.token.empty()) return ok({{"ok", true}});
    bool right = !by_ticket && same_in_constant_time(offered, access_.token);
    if (by_ticket) {
        const std::scoped_lock lock(tickets_mutex_);
        right = std::erase_if(tickets_, [&](const auto& one) { return same_in_constant_time(offered, one); }) > 0;
    }
    if (right) return ok({{"ok", true}, {"session", access_.session}});
    if (!guesses_.wrong(request.client, offered)) return too_many_guesses();
    return refusal(401, by_ticket ? "login: this address was used before, or the program has not printed it"
                                  : "login: wrong token; the program has printed the right one");
}

std::string Api::lane(const Request& request) const try {
    if (refuse(request)) return {};
    const auto target = target_of(request.target);
    if (!target || !target->path.starts_with("/api/")) {
        const bool metrics = target && target->path == "/metrics";
        return metrics && !refuse_stranger(request) ? "metrics" : std::string();
    }
    const std::string_view path = target->path;
    const auto is_one_of = [&](std::initializer_list<std::string_view> all) {
        return std::ranges::find(all, path) != all.end();
    };
    const auto of = [](std::string_view what, const std::string& name) {
        return name.empty() ? std::string() : sentence(what, " ", name);
    };
    const Values values{*target};
    if (path == "/api/login" || refuse_stranger(request)) return {};
    if (request.method == "GET") {
        // Answers that read files run one after the other.
        if (path == "/api/panels" || path.starts_with("/api/runs")) return "runs";
        if (is_one_of({"/api/registry", "/api/parameter"}))
            return of("trainer", board_.trainer_of(values.text("trainer")));
        if (is_one_of({"/api/confusion", "/api/table", "/api/ranking", "/api/activations", "/api/predictions"}))
            return of("trainer", board_.trainer_of_panel(values.text("panel")));
        // A function of the program may take long, but does not wait for a trainer.
        if (path == "/api/picture" && !board_.trainer_of_panel(values.text("panel")).empty())
            return of("panel", std::string(values.text("panel")));
        return {};
    }
    const auto body = parsed(request.body);
    if (!body || !body->is_object()) return {};
    const std::string command = text_in(*body, "command");
    if (path == "/api/arrangement") return {};
    const bool waits = path != "/api/commands" || command == "save" || command == "load" || command == "reset" ||
                       command == "rewind" || command == "start" ||
                       command == "fork";  // pause, resume, step and stop never wait
    return waits ? of("trainer", board_.trainer_of(text_in(*body, "trainer"))) : std::string();
} catch (...) {  // `answer` reports the error
    return {};
}

Response Api::answer(const Request& request) const try {
    if (auto refused = refuse(request)) return *refused;
    const auto target = target_of(request.target);
    if (!target) return refusal(400, "address of a request: it is not well formed");
    const std::string_view path = target->path;
    const bool get = request.method == "GET";
    // The page itself shows no data and has the token dialog, so it needs no token.
    if (path == "/" || path.starts_with("/page/")) {
        if (!get) return refusal(405, "page: expected GET, found POST");
        return page(path == "/" ? "index.html" : path.substr(6));
    }
    if (path == "/api/login") return get ? refusal(405, "login: expected POST, found GET") : login(request);
    if (auto refused = refuse_stranger(request)) return *refused;
    return answer_known(request, *target);
} catch (const Refusal& refused) { return refusal(refused.status, refused.sentence); } catch (const StateError& error) {
    return refusal(409, error.what());
} catch (const Error& error) {
    return refusal(400, error.what());
} catch (...) {  // from another library, with a text not meant for clients, or of an unknown type
    return refusal(500, "request: an internal error occurred");
}

Response Api::answer_known(const Request& request, const Target& target) const {
    const std::string_view path = target.path;
    const bool get = request.method == "GET";
    const Values values{target};
    const std::string_view trainer = values.text("trainer");
    constexpr std::string_view readers[] = {"/api/state",       "/api/panels",    "/api/series",      "/api/history",
                                            "/api/log",         "/api/graph",     "/api/parameter",   "/api/confusion",
                                            "/api/table",       "/api/ranking",   "/api/marks",       "/metrics",
                                            "/api/predictions", "/api/maximised", "/api/activations", "/api/histogram",
                                            "/api/picture",     "/api/health",    "/api/system"};
    const bool one_command = path.starts_with("/api/commands/");
    if (!get && (one_command || path.starts_with("/api/runs") || std::ranges::find(readers, path) != std::end(readers)))
        return refusal(405, sentence(path, ": expected GET, found POST"));
    // A page sends many requests about runs at once. No trainer waits for them, and an answer reads a bounded amount.
    constexpr std::string_view cheap[] = {"/api/state", "/api/panels",       "/api/graph",
                                          "/api/runs",  "/api/runs/history", "/api/runs/histogram"};
    if (get && !one_command && std::ranges::find(cheap, path) == std::end(cheap) && !questions_.take(request.client))
        return refusal(429, sentence("questions: more than ", Questions::a_second, " a second; try again later"));
    const auto seen = [&] { return values.whole("seen", 0, 0, std::numeric_limits<std::uint64_t>::max()); };
    if (get) {
        if (path == "/api/state") return ok(board_.state());
        if (path == "/api/panels") return ok(runs_.panels(board_));
        if (path == "/api/registry") {
            const std::string_view pattern = values.text("pattern");
            return ok(board_.registry(trainer, pattern.empty() ? "**" : pattern));
        }
        if (path == "/api/series") return ok(board_.series(trainer));
        if (path == "/api/marks") return ok(board_.marks());
        if (path == "/api/health") return ok(board_.health(trainer));
        if (path == "/api/system") return ok(board_.system(trainer, seen()));
        if (path == "/api/arrangement") return ok(board_.arrangement());
        if (path == "/api/history") {
            constexpr double most = std::numeric_limits<double>::max();
            return ok(board_.history(trainer, values.text("name"), values.number("from", -most),
                                     values.number("to", most), values.whole("points", 1000, 1, 10'000)));
        }
        if (path == "/api/runs") return ok(runs_.list(board_));
        if (path == "/api/runs/history") {
            constexpr double most = std::numeric_limits<double>::max();
            return ok(runs_.history(values.text("run"), trainer, values.text("name"), values.number("from", -most),
                                    values.number("to", most), values.whole("points", 512, 1, 10'000)));
        }
        if (path == "/api/runs/histogram") return ok(runs_.histogram(values.text("run"), trainer, values.text("name")));
        if (path == "/api/runs/predictions") return ok(runs_.predictions(values.text("run")));
        if (path == "/api/runs/searches") return ok(runs_.searches());
        if (path == "/api/runs/search") return ok(runs_.search(values.text("name"), values.text("seen")));
        if (path == "/api/log")
            return ok(board_.log(values.whole("after", 0, 0, ~std::uint64_t{0}), values.text("level"),
                                 values.text("search")));
        if (path == "/api/graph") return ok(board_.graph(trainer));
        if (path == "/api/parameter")
            return ok(board_.parameter(trainer, std::string(values.text("name")), values.whole("bins", 40, 1, 1000),
                                       values.text("values") == "1", values.whole("limit", 10'000, 0, 100'000),
                                       values.whole("columns", 1'000'000'000, 1, 1'000'000'000)));
        if (path == "/api/histogram")
            return ok(board_.histogram(trainer, std::string(values.text("pattern")), std::string(values.text("name"))));
        constexpr std::pair<std::string_view, std::string_view> of_panels[] = {
            {"/api/confusion", "confusion"},     {"/api/table", "table"},
            {"/api/ranking", "ranked"},          {"/api/maximised", "maximised"},
            {"/api/activations", "activations"}, {"/api/predictions", "predictions"},
            {"/api/picture", "picture"}};
        for (const auto& [address, kind] : of_panels)
            if (path == address)
                return ok(
                    board_.panel(kind, values.text("panel"),
                                 {.pictures = values.text("pictures") == "1",
                                  .record = values.whole("record", 0, 0, std::numeric_limits<std::uint32_t>::max()),
                                  .seen = seen(),
                                  .records = values.text("records")}));
        if (path == "/metrics") return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = board_.metrics()};
        if (one_command) {
            std::uint64_t id = 0;
            if (!sigma::detail::read_number(path.substr(14), id))
                return refusal(404, "command: the address does not end in a number");
            return ok(board_.command(id));
        }
        if (path == "/api/commands" || path == "/api/predict")
            return refusal(405, sentence(path, ": expected POST, found GET"));
        return refusal(404, "request: there is no such address; docs/design/monitor-protocol.md lists all");
    }
    const bool changes = path == "/api/registry" || path == "/api/commands" || path == "/api/arrangement";
    if (!changes && path != "/api/predict")
        return refusal(404, "request: there is no such address; docs/design/monitor-protocol.md lists all");
    if (changes && board_.read_only()) return refusal(403, "monitor: it is read-only and accepts no changes");
    Json body = object_in(request);
    if (path == "/api/arrangement") {
        if (!body.contains("arrangement"))
            return refusal(400, "body of a request: the member 'arrangement' is missing");
        return ok(board_.arrange(std::move(body["arrangement"])));
    }
    const std::string whose = body.contains("trainer") ? text_wanted(body, "trainer") : std::string();
    if (path == "/api/registry") {
        if (!body.contains("value")) return refusal(400, "body of a request: the member 'value' is missing");
        return ok(board_.set(whose, text_wanted(body, "name"), body["value"], request.client));
    }
    if (path == "/api/commands") {
        const auto text_or_none = [&](const char* name) {
            return body.contains(name) ? text_wanted(body, name) : std::string();
        };
        const std::string command = text_wanted(body, "command");
        if (command != "fork") return ok(board_.command(whose, command, text_or_none("file"), request.client), 202);
        const auto iteration = body.find("iteration");
        if (iteration == body.end() || !iteration->is_number_unsigned())
            return refusal(400, "command 'fork': the member 'iteration' must be a whole number from 0 on");
        return ok(board_.command_fork(whose, text_or_none("run"), iteration->get<std::uint64_t>(), request.client),
                  202);
    }
    if (!body.contains("input")) return refusal(400, "body of a request: the member 'input' is missing");
    return ok(board_.predict(whose, body["input"]));
}

// ---- the stream ----

bool Subscriptions::take(std::string_view message) {
    const auto parsed_message = parsed(message);
    if (!parsed_message || !parsed_message->is_object() || parsed_message->size() != 1) return false;
    const std::string& word = parsed_message->begin().key();
    const Json& what = parsed_message->begin().value();
    if ((word != "subscribe" && word != "unsubscribe") || !what.is_object()) return false;
    const auto trainer = what.find("trainer"), series = what.find("series");
    if (what.size() != 2 || trainer == what.end() || series == what.end() || !trainer->is_string() ||
        !series->is_array())
        return false;
    if (!std::ranges::all_of(*series, [](const Json& name) {
            return name.is_string() && name.get_ref<const std::string&>().size() <= 1000;
        }))
        return false;
    if (trainer->get_ref<const std::string&>().size() > 1000) return false;
    if (word == "unsubscribe") {
        const auto found = wanted_.find(trainer->get_ref<const std::string&>());
        if (found == wanted_.end()) return true;
        for (const Json& name : *series) found->second.erase(name.get_ref<const std::string&>());
        if (found->second.empty()) wanted_.erase(found);
        return true;
    }
    if (size() + series->size() > most) return false;
    if (series->empty()) return true;
    auto& names = wanted_[trainer->get_ref<const std::string&>()];
    for (const Json& name : *series) names.insert(name.get_ref<const std::string&>());
    return true;
}

std::size_t Subscriptions::size() const {
    std::size_t all = 0;
    for (const auto& [trainer, names] : wanted_) all += names.size();
    return all;
}

std::vector<std::string> Subscriptions::messages(const Tick& tick) const {
    std::vector<std::string> result;
    for (const auto& [trainer, names] : wanted_) {
        const auto points = tick.points.find(trainer);
        if (points == tick.points.end()) continue;
        Json series = Json::object();
        for (const std::string& name : names) {
            const auto found = points->second.find(name);
            if (found == points->second.end() || found->second.empty()) continue;
            Json& to = series[name] = Json::array();
            for (const Point& point : found->second) to.push_back({point.x, number_or_word(point.y), point.seconds});
        }
        if (!series.empty())
            result.push_back(text_of({{"type", "points"}, {"trainer", trainer}, {"series", std::move(series)}}));
    }
    return result;
}

}  // namespace sigma::monitor
