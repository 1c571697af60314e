// Entry point: everything is in commands/.
#include "driver/commands/dispatch.hpp"

int main(int argc, char** argv) { return bisectd::driver::commands::dispatch(argc, argv); }
