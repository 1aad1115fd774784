#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lento/base/misuse.hpp>
#include <lento/problem/fields.hpp>

namespace lento {

/// A choice among rows { name, sentence, make }: `using kernel_choice = choice_of<kernels>`. What make() gives has a
/// name(value) and fields_of(value). Wider rows are those whose names make sense elsewhere, but not here.
template <auto Rows, auto Wider = nullptr> class choice_of final : public choice {
public:
    using value_type = decltype(Rows()[0].make());
    std::optional<value_type> value{};  ///< left out: the method chooses
    std::optional<value_type> preset{}; ///< what options without a name belong to

    choice_of() = default;
    /// Open, with what options without a name belong to.
    [[nodiscard]] static choice_of usually(value_type what) {
        choice_of made;
        made.preset = std::move(what);
        return made;
    }
    template <class Given>
        requires(!std::same_as<std::remove_cvref_t<Given>, choice_of> && std::convertible_to<Given, value_type>)
    choice_of(Given&& given) // NOLINT(google-explicit-constructor): it is that choice
        : value(std::in_place, std::forward<Given>(given)) {}

    [[nodiscard]] std::vector<named_row> rows() const override {
        std::vector<named_row> all;
        for (auto const& each : Rows()) all.push_back({each.name, each.sentence});
        return all;
    }
    [[nodiscard]] std::string_view chosen() const override { return value ? name(*value) : std::string_view(); }
    void choose(std::string_view wanted) override { value = made(wanted); }
    [[nodiscard]] fields options() override { return value ? fields_of(*value) : fields{}; }
    [[nodiscard]] std::optional<described> usual() const override {
        if (!preset) return {};
        return described(*preset);
    }
    void choose_usual() override { value = preset; }
    [[nodiscard]] described defaults(std::string_view wanted) const override { return described(made(wanted)); }
    [[nodiscard]] std::vector<std::string_view> elsewhere() const override {
        std::vector<std::string_view> names;
        if constexpr (!std::is_null_pointer_v<decltype(Wider)>)
            for (auto const& each : Wider()) names.push_back(each.name);
        return names;
    }

private:
    [[nodiscard]] static value_type made(std::string_view wanted) {
        for (auto const& each : Rows())
            if (each.name == wanted) return each.make();
        throw misuse("there is no " + std::string(wanted) + " to choose");
    }
};

} // namespace lento
