#pragma once

#include <lento/effective/asynchronous.hpp>
#include <lento/effective/backward_forward.hpp>
#include <lento/effective/interaction.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/split_picard.hpp>
#include <lento/effective/stroboscopic.hpp>
#include <lento/effective/synchronous.hpp>
