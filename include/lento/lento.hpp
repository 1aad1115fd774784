#pragma once

/// All of Lento's library: systems, kernels, constraints, steppers, effective systems, solve.
#include <lento/constraint/constrained.hpp>
#include <lento/constraint/family.hpp>
#include <lento/constraint/stiff.hpp>
#include <lento/effective/averaging.hpp>
#include <lento/effective/effective.hpp>
#include <lento/effective/slow_manifold.hpp>
#include <lento/kernel/kernel.hpp>
#include <lento/solve/adaptors.hpp>
#include <lento/solve/solve.hpp>
#include <lento/stepper/adams.hpp>
#include <lento/stepper/composition.hpp>
#include <lento/stepper/drift_kick.hpp>
#include <lento/stepper/flavors.hpp>
#include <lento/stepper/lobatto.hpp>
#include <lento/stepper/nystrom.hpp>
#include <lento/stepper/rattle.hpp>
#include <lento/stepper/runge_kutta.hpp>
#include <lento/stepper/shake.hpp>
#include <lento/stepper/stormer.hpp>
#include <lento/stepper/trigonometric.hpp>
#include <lento/stepper/verlet.hpp>
#include <lento/system/oscillatory.hpp>
#include <lento/system/plain.hpp>
#include <lento/system/split.hpp>
#include <lento/system/vibrated.hpp>
