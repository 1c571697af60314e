// The one place that knows which Catch2 this is (Debian 12 ships version 2, a single header).
#pragma once

#include <catch2/catch.hpp>
