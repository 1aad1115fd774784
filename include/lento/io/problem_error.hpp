#pragma once

#include <lento/problem/problem_error.hpp>
