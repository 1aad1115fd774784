#include <lento/base/mass.hpp>

namespace lento {

any_mass::any_mass(form const& given, std::size_t coordinates) : is_one_(given.index() == 0) {
    std::visit(
        [&](auto const& each) {
            each.check(coordinates);
            if constexpr (requires { each.inverse(0); })
                for (std::size_t i = 0; i < coordinates; ++i) inverses_.push_back(each.inverse(i));
        },
        given);
    if (auto const* matrix = std::get_if<full_mass<double>>(&given))
        full_ = std::make_shared<full_mass<double> const>(*matrix);
}

void any_mass::check(std::size_t coordinates) const {
    if (full_) full_->check(coordinates);
    else if (!is_one_) require_size("the list of masses", inverses_.size(), coordinates);
}

void any_mass::divide_by_full(std::span<double> force) const { full_->divide(force); }

diagonal_mass<double> mass(std::vector<double> const& diagonal) { return diagonal_mass<double>(diagonal); }
full_mass<double> mass(std::vector<std::vector<double>> const& rows) { return full_mass<double>(rows); }

} // namespace lento
