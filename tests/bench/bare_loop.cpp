// The rival of the driver's overhead: starts a command N times with nothing but fork, exec and wait; its output goes to
// FILE, as the driver's does to files.
//   bare_loop N FILE COMMAND...      prints the seconds it took
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto began = std::chrono::steady_clock::now();
  for (long left = std::atol(argv[1]); left > 0; --left) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setsid();  // as the driver's attempts: else the two would be in different scheduling groups of the kernel
      const int sink = ::open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(sink, STDOUT_FILENO);
      ::dup2(sink, STDERR_FILENO);
      ::execv(argv[3], argv + 3);
      ::_exit(127);
    }
    int status = 0;
    if (pid < 0 || ::waitpid(pid, &status, 0) != pid || status != 0) return 1;
  }
  std::printf("%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
}
