// The whole search behind one ask/tell interface: both ends, suspects that cannot be neutralised, an engine, the
// certificate. A pure function of the problem and of the evidence in the order it was told, so resuming is telling the
// journal again; only that signatures which are told with no question between are weighed together (docs/search.md,
// "Phases"). Knows no time, files or processes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strategies/answer.hpp"

namespace bisectd::strategies {

/// Which engine leads. `automatic`: `signatures` where trials have them (nobody asks for it by name, as it cannot do
/// without); else `ordered` for one slot and exact verdicts, `causes` otherwise. All but `ordered` hand over when they
/// misfit.
enum class EngineKind { automatic, ordered, causes };

class Search {
 public:
  explicit Search(Problem problem, EngineKind engine = EngineKind::automatic);
  ~Search();
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;

  /// Takes in one judged trial; also evidence that nobody asked for (a trial run by hand).
  void tell(const Evidence& evidence);

  /// Up to `slots` trials worth running now beside `pending` ones (asked, not yet told). Empty while it must wait for
  /// pending trials or when answer().state is final. A set that is pending or already judged only when a repeat is meant
  /// (noise, contradiction). The same calls, with the same seed, give the same trials on any build.
  std::vector<Trial> ask(std::size_t slots, std::span<const Neutralised> pending);

  const Answer& answer() const;
  /// The same where another minimal fix of its causes is the culprit set; what it rests on then is told in the certificate,
  /// proved or not. As it is, if it is not proved or that fix leaves a cause active.
  Answer answer_with(const std::vector<SuspectId>& fix) const;

  /// An unfinished search in words, with ids as #3: what is proved, what is likely with which odds, what is untouched,
  /// what the next trial would be.
  std::string so_far() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bisectd::strategies
