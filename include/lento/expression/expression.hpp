#pragma once

/// All of the room: formulas that are read, differentiated, printed, evaluated and compiled.

#include "lento/expression/bytecode.hpp"
#include "lento/expression/compiled_formula.hpp"
#include "lento/expression/derivative.hpp"
#include "lento/expression/engine.hpp"
#include "lento/expression/error.hpp"
#include "lento/expression/evaluate.hpp"
#include "lento/expression/formula.hpp"
#include "lento/expression/formula_reader.hpp"
#include "lento/expression/graph.hpp"
#include "lento/expression/parameters.hpp"
#include "lento/expression/schedule.hpp"
