// SPDX-License-Identifier: BSL-1.0
// Lines of C++ as far as the text oracle needs them: calls, numbers, names, braces, options and operators.
#pragma once
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::test {

/// `Dense(6, relu, {.bias = false})` is a call of "Dense" with a number, a name and braces that have an option.
struct Expression {
    enum class Kind { number, name, text, call, braces, member, operation };
    Kind kind = Kind::braces;
    std::string word{};  ///< the name, the text, or the operator
    double value = 0;
    std::vector<Expression> parts{};
    std::vector<std::pair<std::string, Expression>> options{};

    bool is(Kind k, std::string_view w) const { return kind == k && word == w; }
    bool is_number() const { return kind == Kind::number; }
    const Expression* option(std::string_view name) const {
        for (const auto& [key, given] : options)
            if (key == name) return &given;
        return nullptr;
    }
};

/// Throws std::runtime_error with the text from where it is not understood.
class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    static Expression parse(std::string_view text) {
        Parser p(text);
        Expression e = p.operation(0);
        if (p.next() != '\0') p.fail();
        return e;
    }

private:
    using Kind = Expression::Kind;
    std::string_view rest_;

    [[noreturn]] void fail() const { throw std::runtime_error("not understood: '" + std::string(rest_) + "'"); }
    char next() {
        while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool take(std::string_view what) {
        next();
        if (!rest_.starts_with(what)) return false;
        rest_.remove_prefix(what.size());
        return true;
    }
    void expect(std::string_view what) {
        if (!take(what)) fail();
    }

    /// Operators of C++ by how they bind, the loosest first.
    Expression operation(std::size_t level) {
        static const std::vector<std::vector<std::string_view>> levels{
            {"&"}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/"}};
        if (level == levels.size()) return unary();
        Expression left = operation(level + 1);
        for (;;) {
            std::string_view found;
            for (const std::string_view o : levels[level])
                if (found.empty() && take(o)) found = o;
            if (found.empty()) return left;
            Expression right = operation(level + 1);
            left = {Kind::operation, std::string(found), 0, {std::move(left), std::move(right)}};
        }
    }
    Expression unary() {
        if (next() != '-' || (rest_.size() > 1 && std::isdigit(static_cast<unsigned char>(rest_[1])))) return postfix();
        expect("-");
        return {Kind::operation, "-", 0, {unary()}};
    }
    Expression postfix() {
        Expression e = primary();
        while (next() == '.') {
            expect(".");
            const std::string name = word();
            Expression of{Kind::member, name, 0, {std::move(e)}};
            if (take("(")) list(of, ")");
            e = std::move(of);
        }
        return e;
    }
    Expression primary() {
        const char c = next();
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') {
            const std::string from(rest_);
            char* end = nullptr;
            const double value = std::strtod(from.c_str(), &end);
            rest_.remove_prefix(static_cast<std::size_t>(end - from.c_str()));
            return {Kind::number, {}, value};
        }
        if (take("(")) {
            Expression e = operation(0);
            expect(")");
            return e;
        }
        if (take("\"")) {
            const std::size_t end = rest_.find('"');
            if (end == rest_.npos) fail();
            Expression e{Kind::text, std::string(rest_.substr(0, end))};
            rest_.remove_prefix(end + 1);
            return e;
        }
        Expression e{Kind::braces};
        if (take("{")) {
            list(e, "}");
            return e;
        }
        e = {Kind::name, word()};
        if (take("(")) e.kind = Kind::call, list(e, ")");
        else if (take("{")) e.kind = Kind::call, list(e, "}");
        return e;
    }
    std::string word() {
        next();
        std::size_t n = 0;
        while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_' ||
                                    (rest_[n] == ':' && n + 1 < rest_.size())))
            ++n;
        if (n == 0) fail();
        const std::string found(rest_.substr(0, n));
        rest_.remove_prefix(n);
        return found;
    }
    void list(Expression& to, std::string_view end) {
        if (take(end)) return;
        do {
            if (next() == '.') {
                expect(".");
                const std::string name = word();
                expect("=");
                to.options.emplace_back(name, operation(0));
            } else to.parts.push_back(operation(0));
        } while (take(","));
        expect(end);
    }
};

}  // namespace sigma::test
