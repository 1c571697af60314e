// What a person has the loop do without a search: one discovery, one trial. Methods of Loop.
#include "driver/loop/loop.hpp"
#include "driver/record/record_keeping.hpp"
#include "reports/progress.hpp"

namespace bisectd::driver {

const reports::Record& Loop::run_trial() {
  try {
    measure_reference();
    catalogue_ = neutralise::make_catalogue(experiment_, {}, {});
    for (const neutralise::Member& member : catalogue_.members()) record_.suspects.push_back({member.family, member.name});
    const bool as_is = catalogue_.size() == 0;
    start_or_go_on(plan_for(as_is ? Role::as_is : Role::everything, strategies::SuspectSet(catalogue_.size()).set(), "by hand"));
    while (trials_.any_open())
      for (const FinishedTrial& finished : wait()) take_in(finished);
  } catch (const Infrastructure& error) {
    record_.outcome = reports::Outcome::infrastructure;
    record_.advice = error.what();
  }
  return record_;
}

neutralise::Discovered Loop::discover() {
  start_or_go_on(plan_for(Role::discovery, {}, "which members a run uses"));
  for (const FinishedTrial& finished : wait()) {
    take_in(finished);
    return discovered_in(finished);
  }
  throw Infrastructure("the discovery run gave nothing");
}

}  // namespace bisectd::driver
