#include "driver/suite/suite_state.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::suite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "suite.jsonl";

struct PastSuite {
  std::vector<std::string> only;
  bool finished = false;
};

PastSuite past_suite(const fs::path& folder) {
  PastSuite suite;
  keep::read_journal(folder / kFile, [&](const nlohmann::json& record) {
    suite.finished = record.value("finished", suite.finished);
    if (record.value("kind", "") == "suite") suite.only = record.value("only", std::vector<std::string>{});
  });
  return suite;
}

}  // namespace

bool SuiteState::is_one(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kFile, ignored);
}

void SuiteState::read() {
  std::size_t line = 0;
  whole_bytes_ = keep::read_journal(folder_ / kFile, [&](const nlohmann::json& record) {
    ++line;
    try {
      const std::string kind = record.at("kind");
      if (kind == "suite") {
        record.at("started_utc").get_to(started_utc_);
        record.at("tag").get_to(tag_);
      } else if (kind == "ended") {
        codes_[record.at("model")] = record.at("code");
      } else if (kind == "session") {
        record.at("elapsed_s").get_to(elapsed_s_);
      } else {
        throw std::invalid_argument("unknown kind of record: " + kind);
      }
    } catch (const std::exception& error) {
      throw keep::JournalDamaged(folder_ / kFile, line, error.what());
    }
  });
}

SuiteState SuiteState::open(const fs::path& out, const std::string& name, const std::vector<std::string>& only, bool fresh) {
  SuiteState state;
  std::vector<fs::path> past = fresh ? std::vector<fs::path>{} : keep::begun_in(out, name, kFile);
  std::erase_if(past, [&](const fs::path& folder) { return past_suite(folder).only != only; });
  if (!past.empty() && !past_suite(past.back()).finished) {  // one before it would tell of an older day
    state.folder_ = fs::canonical(past.back());
    state.goes_on_ = true;
    state.lock_ = std::make_unique<keep::Lock>(state.folder_);  // before it is read: another ci may be writing it
    state.read();
    state.journal_ = std::make_unique<keep::Journal>(state.folder_ / kFile, state.whole_bytes_);
    return state;
  }
  state.folder_ = keep::RunDirectory::create(out, name).folder();
  state.lock_ = std::make_unique<keep::Lock>(state.folder_);
  state.started_utc_ = keep::utc_now();
  state.tag_ = keep::make_run_tag(state.folder_);
  const fs::path file = state.folder_ / kFile;
  state.whole_bytes_ = keep::begin_journal(
      file, {{"kind", "suite"}, {"started_utc", state.started_utc_}, {"tag", state.tag_}, {"only", only}});
  state.journal_ = std::make_unique<keep::Journal>(file, state.whole_bytes_);
  return state;
}

std::optional<int> SuiteState::code_of(const std::string& model) const {
  const auto found = codes_.find(model);
  return found == codes_.end() ? std::nullopt : std::optional(found->second);
}

void SuiteState::model_ended(const std::string& model, int code) {
  codes_[model] = code;
  journal_->append({{"kind", "ended"}, {"model", model}, {"code", code}});
}

void SuiteState::session_ended(double elapsed_s, bool finished) {
  journal_->append({{"kind", "session"}, {"elapsed_s", elapsed_s}, {"finished", finished}});
}

}  // namespace bisectd::driver::suite
