#pragma once

#include <lento/effective/asynchronous.hpp>
#include <lento/effective/picard.hpp>
#include <lento/effective/synchronous.hpp>
