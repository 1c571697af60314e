// Copies between the device and the host.
#pragma once

namespace standin {

// From now on Paddle copies to and from the device directly.  By itself it makes a stream for every copy, with a thread that
// waits for work and gets none: 80 steps of the recogniser with adam black-listed made 26,691 threads, which was a third of
// their processor time, and of all their time three quarters where others wanted the processors, too.
void copy_without_threads();

}  // namespace standin
