#include "problem/kinds/split_structure.hpp"
#include "problem/methods/flows.hpp"
#include "problem/period.hpp"

#include <lento/effective/interaction.hpp>
#include <lento/effective/path_picard.hpp>

namespace lento::detail {
namespace {

/// There is no other way to sample phases than from the frame that turns with the fast part.
enum class turning_picture { interaction };
constexpr std::array<std::string_view, 1> names_of(turning_picture) { return {"interaction"}; }

struct sample_settings {
    window_kernel_choice kernel{};
    static constexpr auto options() {
        return std::tuple{option{"kernel", &sample_settings::kernel, "samples a period: picard"}};
    }
    [[nodiscard]] picard const* spectral() const {
        return kernel.value ? std::get_if<picard>(&*kernel.value) : nullptr;
    }
};

/// The spectral mean of a split system in the frame that turns with its fast part.
struct spectral_path {
    static constexpr std::string_view name = "hmm";
    static constexpr std::string_view sentence =
        "follows the slow motion of a split system: the spectral mean over one period of its linear fast part";
    static constexpr unsigned kinds = for_kinds<split_kind>;

    struct settings {
        macro_settings macro{};
        sample_settings window{};
        std::optional<double> period{};
        turning_picture seen = turning_picture::interaction;
        engine_kind engine = engine_kind::automatic;
        static constexpr auto options() {
            using own = settings;
            return std::tuple{option{"macro", &own::macro, "steps the slow motion"},
                              option{"window", &own::window, "what a slow evaluation looks at: the picard kernel"},
                              option{"period", &own::period,
                                     "of the fast motion, where the system does not say it; left out: found", positive,
                                     "time"},
                              option{"picture", &own::seen, "the frame from which the system is seen"},
                              option{"engine", &own::engine, "what computes formulas"}};
        }
    };

    static std::string why_not(problem const& what) { return resonates_with_time(what); }
    static std::vector<closure> closures(problem const& what) {
        std::vector<closure> all;
        if (what.as<split_kind>()->fast_matrix.empty()) return all;
        for (int const order : {0, 2, 4}) {
            settings made;
            made.window.kernel.value = picard{.order = order};
            all.push_back({described(made)});
        }
        return all;
    }
    static void read(method_text& from, settings& into) {
        from.read(fields_of(into));
        into.macro.complete(from, false);
        auto const* spectral = into.window.spectral();
        if (spectral == nullptr)
            throw does_not_apply("of a split system hmm has the picard kernel only: window = { kernel = \"picard\" }; "
                                 "with other kernels the method is backward-forward");
        if (from.what().as<split_kind>()->fast_matrix.empty())
            throw does_not_apply("the picard kernel samples the phases of a fast part that is linear in the variables, "
                                 "and this one is not");
        if (into.period && from.what().as<split_kind>()->period > 0)
            from.fail("period", "The system says its period itself; leave this out.");
        from.guarded("window", [&] { spectral->check(); });
    }
    static prepared_run make(problem const& what, settings& chosen, bool) {
        std::vector<std::string> reasons;
        auto const& kind = *what.as<split_kind>();
        chosen.window.kernel.value = chosen.window.spectral()->filled();
        if (kind.period == 0 && !chosen.period) chosen.period = found_period_of(what, chosen.engine, reasons);
        double const period = kind.period > 0 ? kind.period : *chosen.period;
        chosen.macro.choose(what, reasons);
        auto turning = interaction_picture(make_split<true>(what, kind, period, chosen.engine));
        prepared_run made =
            start_of(what, any_system(effective(std::move(turning), *chosen.window.spectral())), chosen.macro);
        made.reasons = std::move(reasons);
        return made;
    }
};

} // namespace

method_row spectral_path_row() { return row_of<spectral_path>(); }

} // namespace lento::detail
