#include <lento/problem/fields.hpp>

namespace lento {

field::field(field_words const& about, place where) : field_words(about), value(std::move(where)) {}
field::field(field const& other) = default;
field::field(field&& other) noexcept = default;
field& field::operator=(field const& other) = default;
field& field::operator=(field&& other) noexcept = default;
field::~field() = default;

namespace detail {

template <class Where> void add_field(fields& all, field_words const& about, Where where) {
    all.emplace_back(about, field::place(std::move(where)));
}

template void add_field(fields&, field_words const&, double*);
template void add_field(fields&, field_words const&, int*);
template void add_field(fields&, field_words const&, std::uint64_t*);
template void add_field(fields&, field_words const&, bool*);
template void add_field(fields&, field_words const&, std::string*);
template void add_field(fields&, field_words const&, std::optional<double>*);
template void add_field(fields&, field_words const&, std::optional<int>*);
template void add_field(fields&, field_words const&, std::optional<std::uint64_t>*);
template void add_field(fields&, field_words const&, std::optional<bool>*);
template void add_field(fields&, field_words const&, std::optional<std::string>*);
template void add_field(fields&, field_words const&, std::vector<double>*);
template void add_field(fields&, field_words const&, number_by_name*);
template void add_field(fields&, field_words const&, words);
template void add_field(fields&, field_words const&, choice*);
template void add_field(fields&, field_words const&, table_or_none);
template void add_field(fields&, field_words const&, fields);

} // namespace detail
} // namespace lento
