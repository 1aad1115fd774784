#include <lento/version.hpp>

#include <iostream>

int main() {
    std::cout << "lento " << lento::version << '\n';
}
