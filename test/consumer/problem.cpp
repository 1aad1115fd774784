// A problem file solved from outside with an integrator of SUNDIALS, which may or may not be there.
#include <exception>
#include <iostream>

#include <lento/io/problem_file.hpp>
#include <lento/problem/run.hpp>
#include <lento/stepper/foreign_code.hpp>

int main() {
    std::cout << "SUNDIALS: " << (lento::has_sundials() ? "yes" : "no") << '\n';
    try {
        auto const pendulum = lento::load_problem("vibrated-pendulum", {"method.macro={ scheme = 'cvode-adams' }"});
        std::cout << lento::run_problem(pendulum).message << '\n';
    } catch (std::exception const& error) {
        std::cout << error.what() << '\n';
    }
}
