// What the logs of a training that died say of why.
#include "driver/trial/last_words.hpp"

#include <fstream>

#include "tests/catch.hpp"
#include "tests/driver/temporary_folder.hpp"

namespace bisectd::driver {
namespace {

std::string words(const std::string& said, bool at_once = true, const std::string& printed = "") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.path() / "out") << printed;
  std::ofstream(folder.path() / "err") << said;
  return last_words(folder.path() / "out", folder.path() / "err", at_once);
}

const std::string kTraceback = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    main()\n";

}  // namespace

TEST_CASE("the exception that a program of Python ended by is found, also in stdout and among other lines") {
  CHECK(words(kTraceback + "ValueError: bad batch\nsys:1: ResourceWarning: unclosed\n") == "ValueError: bad batch");
  CHECK(words("", false, "step 1 loss 2\n" + kTraceback + "KeyError: 'x'\n") == "KeyError: 'x'");
  CHECK(words(kTraceback + "OSError: first\n\nDuring handling of the above exception, another exception occurred:\n\n" +
              kTraceback + "RuntimeError: second\n") == "RuntimeError: second");
}

TEST_CASE("lines of ranks are told apart, and a launcher's exception is not that of the training") {
  CHECK(words("[rank1]: Traceback (most recent call last):\n[rank0]: noise\n[rank1]:   File \"t.py\", line 1\n[rank1]: "
              "RuntimeError: HCCL\n" +
              kTraceback + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\n") ==
        "RuntimeError: HCCL");
  CHECK(words(kTraceback + "subprocess.CalledProcessError: Command returned 1\n") ==
        "subprocess.CalledProcessError: Command returned 1");
}

TEST_CASE("without an exception the last line that names an error counts, and at once any last line") {
  CHECK(words("loading\ntrain.py: error: unrecognized arguments: --x\n\n", false) ==
        "train.py: error: unrecognized arguments: --x");
  CHECK(words("sh: 1: nopython: not found\n") == "sh: 1: nopython: not found");
  CHECK(words("sh: 1: nopython: not found\n", false).empty());
  CHECK(words("10%|#\r20%|##\r\x1b[31mfatal\x1b[0m: no device\x07\r\n") == "fatal: no device");
  CHECK(words("").empty());
  CHECK(words(std::string(200'000, 'x') + "\n" + kTraceback + "MemoryError\n") == "MemoryError");
  CHECK(words(kTraceback + "ValueError: " + std::string(900, 'y')).size() == 300);
}

}  // namespace bisectd::driver
