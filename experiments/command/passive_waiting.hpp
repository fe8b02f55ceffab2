// How do threads wait that have nothing to do? Asleep, unless the user's environment says otherwise.
//
// By default libgomp's threads spin at every barrier, for milliseconds. On a machine that has other work they spin on
// the cores that the thread which they wait for needs, and four threads take longer than one. libgomp reads its
// environment when it is loaded, before main and before any constructor of this program; what a function of the preinit
// array adds to the environment, the C library drops again. So the program starts itself once more.
// Noticed by tests/experiments/waiting_policy.cmake, which asks libgomp what it read.
#pragma once

namespace skt {

// Starts the program again with passive waiting where nothing says how threads wait. Does not return then; returns where
// something does, and where the program cannot be started again, which costs speed only.
void wait_passively(char** argv);

}  // namespace skt
