#include "lento/expression/syntax.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lento/base/decimal.hpp"

namespace lento::expression {

std::vector<function_name> const& functions() {
    static std::vector<function_name> const all{
        {"min", operation::min, 2},   {"max", operation::max, 2},     {"abs", operation::abs, 1},
        {"sign", operation::sign, 1}, {"step", operation::step, 1},   {"sqrt", operation::sqrt, 1},
        {"exp", operation::exp, 1},   {"log", operation::log, 1},     {"sin", operation::sin, 1},
        {"cos", operation::cos, 1},   {"tan", operation::tan, 1},     {"asin", operation::asin, 1},
        {"acos", operation::acos, 1}, {"atan", operation::atan, 1},   {"atan2", operation::atan2, 2},
        {"sinh", operation::sinh, 1}, {"cosh", operation::cosh, 1},   {"tanh", operation::tanh, 1},
        {"pow", operation::power, 2}, {"hypot", operation::hypot, 2},
    };
    return all;
}

function_name const* find_function(std::string_view name) {
    for (auto const& function : functions())
        if (function.name == name) return &function;
    return nullptr;
}

bool is_reserved(std::string_view name) {
    if (name == "pi" || name == "t" || name == "sum" || find_function(name) != nullptr) return true;
    return name.starts_with("theta") && name.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

enum class token_kind : std::uint8_t { number, name, symbol, dots, end };

struct token {
    token_kind kind = token_kind::end;
    place where{};
    char symbol = 0;
    long double value = 0;
};

/// Cuts a formula into tokens, one ahead of the parser.
class scanner {
public:
    explicit scanner(std::string_view text) : text_(text) {}

    token next() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
            ++at_;
        if (at_ == text_.size()) return {token_kind::end, {at_, 0}};
        auto const c = text_[at_];
        if (is_digit(c) || (c == '.' && peek(1) != '.' && is_digit(peek(1)))) return number();
        if (is_letter(c)) return name();
        if (c == '.' && peek(1) == '.') {
            at_ += 2;
            return {token_kind::dots, {at_ - 2, 2}};
        }
        if (c == '*' && peek(1) == '*')
            throw formula_error("Powers are written with ^ here, not with **.", {at_, 2}, "^");
        if (std::string_view("+-*/^()[],'=").find(c) == std::string_view::npos) reject_character();
        return {token_kind::symbol, {at_++, 1}, c};
    }

private:
    [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    token name() {
        auto const begin = at_;
        while (is_letter(peek(0)) || is_digit(peek(0))) ++at_;
        return {token_kind::name, {begin, at_ - begin}};
    }

    token number() {
        auto const begin = at_;
        while (is_digit(peek(0))) ++at_;
        if (peek(0) == '.' && peek(1) != '.') {
            ++at_;
            while (is_digit(peek(0))) ++at_;
        }
        if (peek(0) == 'e' || peek(0) == 'E') {
            auto const sign = peek(1) == '+' || peek(1) == '-' ? std::size_t{1} : std::size_t{0};
            if (!is_digit(peek(1 + sign)))
                throw formula_error("The number has an e but no exponent after it.", {begin, at_ + 1 + sign - begin},
                                    "digits after the e");
            at_ += 1 + sign;
            while (is_digit(peek(0))) ++at_;
        }
        place const where{begin, at_ - begin};
        if (is_letter(peek(0)) || (peek(0) == '.' && peek(1) != '.')) reject_after_number(where);
        return {token_kind::number, where, 0, value_of(where)};
    }

    [[nodiscard]] long double value_of(place where) const {
        auto const digits = text_.substr(where.offset, where.length);
        auto const mantissa = digits.substr(0, digits.find_first_of("eE"));
        auto const nonzero = mantissa.find_first_of("123456789") != std::string_view::npos;
        if (!nonzero) return 0;
        long double const value = decimal<long double>(std::string(digits));
        if (value > static_cast<long double>(std::numeric_limits<double>::max()))
            throw formula_error("The number " + shown(digits) + " is too large: double precision ends at 1.8e308.",
                                where, "a number below 1.8e308");
        if (static_cast<double>(value) == 0)
            throw formula_error("The number " + shown(digits) + " is too small: double precision ends at 4.9e-324.",
                                where, "0 or a larger number");
        return value;
    }

    static std::string shown(std::string_view digits) {
        return digits.size() <= 40 ? std::string(digits) : std::string(digits.substr(0, 37)) + "...";
    }

    [[noreturn]] void reject_after_number(place number) const {
        auto const digits = shown(text_.substr(number.offset, number.length));
        auto end = at_;
        while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) ++end;
        auto const rest = shown(text_.substr(at_, end - at_));
        if (text_[at_] == '.')
            throw formula_error("A number has one decimal point, but here another one follows.", {at_, 1},
                                "an operator");
        throw formula_error("An operator is missing between " + digits + " and " + rest + ".", {at_, end - at_},
                            digits + "*" + rest);
    }

    [[noreturn]] void reject_character() const {
        auto const byte = static_cast<unsigned char>(text_[at_]);
        auto const length = utf8_length();
        std::array<char, 8> hexadecimal{};
        std::snprintf(hexadecimal.data(), hexadecimal.size(), "0x%02X", static_cast<unsigned>(byte));
        if (length == 0)
            throw formula_error("The byte " + std::string(hexadecimal.data()) + " is not part of any UTF-8 character.",
                                {at_, 1}, "plain text");
        if (byte < 0x20 || byte == 0x7F)
            throw formula_error("The control character " + std::string(hexadecimal.data()) +
                                    " cannot be part of a formula.",
                                {at_, 1}, "plain text");
        throw formula_error("The character " + std::string(text_.substr(at_, length)) + " has no meaning in a formula.",
                            {at_, length}, "a number, a name or one of + - * / ^ ( ) [ ] , '");
    }

    /// Bytes of the UTF-8 character here, or 0 when the bytes are not one.
    [[nodiscard]] std::size_t utf8_length() const {
        auto const lead = static_cast<unsigned char>(text_[at_]);
        if (lead < 0x80) return 1;
        auto const length = lead >= 0xF0 && lead < 0xF5   ? 4U
                            : lead >= 0xE0 && lead < 0xF0 ? 3U
                            : lead >= 0xC2 && lead < 0xE0 ? 2U
                                                          : 0U;
        for (std::size_t i = 1; i < length; ++i)
            if ((static_cast<unsigned char>(peek(i)) & 0xC0U) != 0x80U) return 0;
        return length;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Recursive descent; recursion only into brackets, powers and calls, and not deeper than the limit.
class parser {
public:
    explicit parser(std::string_view text) : scanner_(text) {
        if (text.size() > std::numeric_limits<std::uint32_t>::max() / 4)
            throw formula_error("The formula is longer than a gigabyte.", {0, 0});
        result_.text = text;
        advance();
    }

    parsed_formula whole() {
        expression();
        expect_end();
        return std::move(result_);
    }

    range_declaration coordinate() {
        range_declaration declared;
        declared.name = name("the name of a coordinate, as q or x[1..n]");
        if (is_symbol('[')) {
            auto const open = advance();
            range(declared);
            close(open, ']');
        }
        expect_end();
        declared.source = std::move(result_);
        return declared;
    }

    range_declaration named_range() {
        range_declaration declared;
        declared.name = name("the name of an index, as in i = 1..n");
        if (!is_symbol('='))
            throw formula_error("A range is written as i = 1..n, but there is no = here.", now_.where, "=");
        advance();
        range(declared);
        expect_end();
        declared.source = std::move(result_);
        return declared;
    }

private:
    /// Counts how deep the recursion is, so that no formula overflows the stack.
    struct level {
        explicit level(parser& p) : owner(p) {
            if (++owner.depth_ > deepest_nesting)
                throw formula_error(
                    "The formula is nested more than " + std::to_string(deepest_nesting) + " levels deep.",
                    owner.now_.where, "at most " + std::to_string(deepest_nesting) + " levels of parentheses");
        }
        level(level const&) = delete;
        level& operator=(level const&) = delete;
        ~level() { --owner.depth_; }
        parser& owner;
    };

    token advance() {
        auto const past = now_;
        now_ = scanner_.next();
        return past;
    }
    [[nodiscard]] bool is_symbol(char c) const { return now_.kind == token_kind::symbol && now_.symbol == c; }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(result_.items.size()); }
    void push(item_kind kind, place where) {
        item made{};
        made.kind = kind;
        made.where = where;
        result_.items.push_back(made);
    }
    [[nodiscard]] std::string shown(place where) const {
        auto const text = result_.part(where);
        return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
    }

    place name(std::string const& expected) {
        if (now_.kind != token_kind::name) throw formula_error("A name is missing here.", now_.where, expected);
        return advance().where;
    }

    void range(range_declaration& declared) {
        declared.has_range = true;
        expression();
        declared.upper_begin = count();
        if (now_.kind != token_kind::dots)
            throw formula_error("A range is written as 1..n, but there is no .. here.", now_.where, "..");
        advance();
        expression();
    }

    void close(token const& open, char symbol) {
        if (is_symbol(symbol)) {
            advance();
            return;
        }
        std::string const what = symbol == ')' ? "parenthesis" : "bracket";
        if (now_.kind == token_kind::end)
            throw formula_error("This " + what + " is never closed.", open.where, std::string(1, symbol));
        unexpected(std::string("an operator or ") + symbol);
    }

    void expect_end() {
        if (now_.kind == token_kind::end) return;
        if (is_symbol(')') || is_symbol(']')) {
            std::string const what = now_.symbol == ')' ? "parenthesis" : "bracket";
            throw formula_error("This " + what + " closes nothing.", now_.where, "an operator or the end");
        }
        unexpected("an operator or the end");
    }

    [[noreturn]] void unexpected(std::string const& expected) const {
        if (now_.kind == token_kind::end) throw formula_error("The formula ends too early.", now_.where, expected);
        if (is_symbol('\''))
            throw formula_error("A prime stands only once and directly after a coordinate, as in q' or x[i]'.",
                                now_.where, expected);
        std::string sentence = "The \"";
        sentence.append(shown(now_.where)).append("\" does not fit here.");
        throw formula_error(sentence, now_.where, expected);
    }

    void expression() {
        product();
        while (is_symbol('+') || is_symbol('-')) {
            auto const sign = advance();
            product();
            push(sign.symbol == '+' ? item_kind::add : item_kind::subtract, sign.where);
        }
    }

    void product() {
        signed_power();
        while (is_symbol('*') || is_symbol('/')) {
            auto const sign = advance();
            signed_power();
            push(sign.symbol == '*' ? item_kind::multiply : item_kind::divide, sign.where);
        }
    }

    void signed_power() {
        std::vector<place> signs;
        while (is_symbol('+') || is_symbol('-')) {
            auto const sign = advance();
            if (sign.symbol == '-') signs.push_back(sign.where);
        }
        power();
        for (auto sign = signs.rbegin(); sign != signs.rend(); ++sign) push(item_kind::negate, *sign);
    }

    void power() {
        primary();
        if (!is_symbol('^')) return;
        level const deeper(*this);
        auto const sign = advance();
        signed_power(); // binds to the right, and its exponent may have a sign
        push(item_kind::power, sign.where);
    }

    void primary() {
        if (now_.kind == token_kind::number) {
            auto const number = advance();
            push(item_kind::number, number.where);
            result_.items.back().value = number.value;
        } else if (now_.kind == token_kind::name) {
            named();
        } else if (is_symbol('(')) {
            level const deeper(*this);
            auto const open = advance();
            expression();
            close(open, ')');
        } else {
            unexpected("a number, a name or (");
        }
    }

    void named() {
        auto const name = advance().where;
        if (is_symbol('(')) {
            level const deeper(*this);
            if (result_.part(name) == "sum") sum(name);
            else call(name);
        } else if (is_symbol('[')) {
            level const deeper(*this);
            indexed(name);
        } else {
            require_not_function(name);
            push(item_kind::name, name);
            prime();
        }
    }

    void require_not_function(place name) const {
        auto const text = result_.part(name);
        auto const* function = find_function(text);
        if (function == nullptr && text != "sum") return;
        std::string const usage =
            text == "sum" ? "sum(i, 1, n, ...)" : std::string(text) + (function->arity == 1 ? "(...)" : "(..., ...)");
        throw formula_error(std::string(text) + " is a function and needs its arguments in parentheses.", name, usage);
    }

    void prime() {
        if (!is_symbol('\'')) return;
        result_.items.back().primed = true;
        advance();
    }

    void indexed(place name) {
        auto const header = count();
        push(item_kind::indexed, name);
        auto const open = advance();
        expression();
        close(open, ']');
        result_.items[header].end = count();
        if (is_symbol('\'')) {
            result_.items[header].primed = true;
            advance();
        }
    }

    void call(place name) {
        auto const text = result_.part(name);
        auto const* function = find_function(text);
        if (function == nullptr) reject_function(name);
        auto const open = advance();
        auto arguments = 0;
        if (!is_symbol(')')) {
            do {
                if (arguments > 0) advance();
                expression();
                ++arguments;
            } while (is_symbol(','));
        }
        auto const end = now_.where.offset + 1;
        close(open, ')');
        if (arguments != function->arity) {
            auto const plural = [](int n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); };
            throw formula_error(std::string(text) + " takes " + plural(function->arity) + ", but here it has " +
                                    std::to_string(arguments) + ".",
                                {name.offset, end - name.offset}, plural(function->arity));
        }
        push(item_kind::call, name);
        result_.items.back().function = function;
    }

    [[noreturn]] void reject_function(place name) const {
        std::vector<std::string> known{"sum"};
        for (auto const& function : functions()) known.emplace_back(function.name);
        auto const nearest = nearest_name(result_.part(name), known);
        auto const hint = nearest.empty() ? " If a product is meant, write *." : " Is " + nearest + " meant?";
        throw formula_error("There is no function " + shown(name) + "." + hint, name, "a function", nearest);
    }

    void sum(place name) {
        auto const header = count();
        push(item_kind::sum, name);
        auto const open = advance();
        auto const index = this->name("the index of the sum, as in sum(i, 1, n, x[i]^2)");
        comma(1);
        expression();
        comma(2);
        auto const second = count();
        expression();
        comma(3);
        auto const third = count();
        expression();
        if (is_symbol(','))
            throw formula_error(
                "sum takes an index, a lower bound, an upper bound and a body, but here a fifth part follows.",
                now_.where, ")");
        close(open, ')');
        auto& made = result_.items[header];
        made.name = index;
        made.second_part = second;
        made.third_part = third;
        made.end = count();
    }

    void comma(int part) {
        if (is_symbol(',')) {
            advance();
            return;
        }
        static constexpr std::array<char const*, 3> missing{"lower bound", "upper bound", "body"};
        if (is_symbol(')') || now_.kind == token_kind::end)
            throw formula_error(std::string("This sum has no ") + missing[static_cast<std::size_t>(part - 1)] +
                                    "; it is written as sum(i, 1, n, x[i]^2).",
                                now_.where, ",");
        unexpected(",");
    }

    scanner scanner_;
    token now_{};
    parsed_formula result_;
    int depth_ = 0;
};

template <class Read> auto read(std::string_view text, Read&& how) {
    try {
        parser reader(text);
        return how(reader);
    } catch (formula_error& error) { throw formula_error(error.in(text)); }
}

} // namespace

parsed_formula parse(std::string_view text) {
    return read(text, [](parser& p) { return p.whole(); });
}
range_declaration parse_coordinate(std::string_view text) {
    return read(text, [](parser& p) { return p.coordinate(); });
}
range_declaration parse_range(std::string_view text) {
    return read(text, [](parser& p) { return p.named_range(); });
}

} // namespace lento::expression
