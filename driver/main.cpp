// Entry point: everything is in commands/.
#include "driver/commands/commands.hpp"

int main(int argc, char** argv) { return bisectd::driver::commands::dispatch(argc, argv); }
