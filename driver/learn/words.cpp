#include "driver/learn/words.hpp"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <initializer_list>
#include <set>
#include <utility>

namespace bisectd::driver::learn {
namespace {

using Set = std::set<std::string, std::less<>>;

// Longer ones first: a shorter one may be their part.
constexpr std::array<std::pair<const char*, const char*>, 27> kEnglish{
    {{"损失函数", "loss"}, {"损失值", "loss"}, {"损失", "loss"},  {"損失", "loss"}, {"손실", "loss"},    {"学习率", "lr"},
     {"学習率", "lr"},     {"学習", "train"},  {"训练", "train"}, {"验证", "val"},  {"检验", "val"},     {"検証", "val"},
     {"评估", "eval"},     {"测试", "test"},   {"平均", "avg"},   {"总", "total"},  {"当前", "current"}, {"批次", "batch"},
     {"步数", "step"},     {"步", "step"},     {"迭代", "iter"},  {"次数", "step"}, {"轮次", "epoch"},   {"轮数", "epoch"},
     {"轮", "epoch"},      {"周期", "epoch"},  {"第", " "}}};

const Set kValidation{"val",        "valid",    "validation", "validate",  "validating", "validated", "eval",
                      "evaluation", "evaluate", "evaluating", "test",      "testing",    "dev",       "holdout",
                      "testset",    "valset",   "devset",     "inference", "infer"};
const Set kTraining{"train", "training", "trn"};
const Set kTotal{"total", "sum", "overall", "all", "combined", "joint", "full"};
const Set kNow{"step", "batch", "iter", "iteration", "minibatch", "current", "cur"};
// They say nothing of which loss it is.
const Set kNeutral{"loss", "losses", "now", "the", "this", "info", "debug", "warning", "reduced", "global"};
const std::set<Words> kOtherNames{{"cost"}, {"objective"}, {"xent"}, {"nll"}, {"crossentropy"}, {"cross", "entropy"}};
const Set kMean{"avg", "average", "averaged", "mean",  "smooth", "smoothed",
                "ema", "running", "median",   "epoch", "window", "moving"};
const Set kSide{
    "entropy",     "kl",     "aux",        "auxiliary", "balance", "balancing", "z",       "reg", "regularization",
    "regularizer", "commit", "commitment", "router",    "moe",     "decay",     "penalty", "mtp"};
const Set kNoLoss{"scale",  "scaling",  "scaler", "scaled",      "norm",   "gnorm", "grad", "lr",     "ppl",
                  "weight", "weights",  "coef",   "coefficient", "time",   "mem",   "best", "min",    "lowest",
                  "final",  "function", "fn",     "func",        "of",     "type",  "id",   "target", "threshold",
                  "delta",  "change",   "diff",   "improvement", "factor", "std",   "var",  "lambda"};
const Set kStep{"step", "steps", "iter", "iters", "iteration", "iterations", "it", "update", "updates"};
const Set kBatch{"batch", "batches", "minibatch", "idx", "index", "i", "n", "no", "number"};
const Set kEpoch{"epoch", "epochs", "ep"};
const Set kNoStep{"time",  "s",      "sec",      "secs",     "second",  "seconds", "ms",       "sample", "samples",
                  "token", "tokens", "seq",      "seqs",     "per",     "elapsed", "eta",      "mem",    "memory",
                  "lr",    "size",   "loss",     "wall",     "skipped", "nan",     "consumed", "warmup", "remaining",
                  "left",  "save",   "saved",    "interval", "speed",   "rate",    "gb",       "mb",     "seed",
                  "world", "acc",    "accuracy", "length",   "len",     "seqlen",  "overflow"};
const Set kWhich{"local", "global", "world", "id", "idx", "index", "no"};
const Set kProcess{"rank", "worker",  "gpu", "npu",  "device",  "node", "host",
                   "proc", "process", "pid", "card", "replica", "cuda"};

bool is_in_any(const std::string& word, std::initializer_list<const Set*> sets) {
  return std::ranges::any_of(sets, [&](const Set* set) { return set->contains(word); });
}
bool any_in(const Words& words, std::initializer_list<const Set*> sets) {
  return std::ranges::any_of(words, [&](const std::string& word) { return is_in_any(word, sets); });
}
bool all_in(const Words& words, std::initializer_list<const Set*> sets) {
  return std::ranges::all_of(words, [&](const std::string& word) { return is_in_any(word, sets); });
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }

std::size_t run_of(std::string_view text, bool (*is)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

/// Length of the word that `text` begins with; 0: none. "CTCLoss" begins with "CTC", "Loss" is one.
std::size_t word_length(std::string_view text) {
  if (const std::size_t digits = run_of(text, is_figure)) return digits;
  if (const std::size_t foreign = run_of(text, is_foreign)) return foreign;
  const std::size_t upper = run_of(text, is_upper), lower = run_of(text.substr(upper), is_lower);
  if (lower == 0) return upper;
  return upper > 1 ? upper - 1 : upper + lower;
}

}  // namespace

Words words_of(std::string_view key) {
  std::string english(key);
  if (std::ranges::any_of(key, is_foreign))
    for (const auto& [foreign, word] : kEnglish) boost::replace_all(english, foreign, std::string(" ") + word + " ");
  Words words;
  for (std::string_view rest = english; !rest.empty();) {
    const std::size_t length = word_length(rest);
    if (length > 0) {
      std::string word(rest.substr(0, length));
      std::ranges::transform(word, word.begin(), [](char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; });
      if (word.size() > 4 && word.ends_with("loss")) {  // dloss
        words.push_back(word.substr(0, word.size() - 4));
        word = "loss";
      }
      words.push_back(std::move(word));
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return words;
}

std::optional<LossRank> loss_rank(std::string_view key) {
  Words words = words_of(key);
  const auto said = [&](const char* word) { return std::ranges::count(words, word) > 0; };
  Words rest = words;
  std::erase_if(rest, [](const std::string& word) { return is_in_any(word, {&kTraining, &kTotal}); });
  if (kOtherNames.contains(rest)) return LossRank{LossRank::other_word};
  if (words.size() > 1 && words.back() == "function" && words[words.size() - 2] == "loss") words.pop_back();
  if (!(said("loss") || said("losses")) || any_in(words, {&kNoLoss}) || key.ends_with("()")) return std::nullopt;
  const bool value = words.back() == "value";
  if (!value && !is_in_any(words.back(), {&kNeutral, &kTraining, &kTotal, &kNow, &kMean}) && words.front() != "loss" &&
      words.front() != "losses")
    return std::nullopt;  // logits for loss view
  rest = words;
  if (value) rest.pop_back();
  std::erase_if(rest, [](const std::string& word) {
    return word != "losses" && is_in_any(word, {&kNeutral, &kTraining, &kTotal, &kNow, &kValidation});
  });
  if (any_in(rest, {&kSide})) return LossRank{LossRank::side};
  const bool mean = any_in(rest, {&kMean});
  if (!all_in(rest, {&kMean})) return LossRank{LossRank::part, mean};
  const int preference = any_in(words, {&kTotal}) ? 0 : any_in(words, {&kNow}) ? 1 : any_in(words, {&kTraining}) ? 3 : 2;
  return LossRank{mean ? LossRank::mean : LossRank::named, preference};
}

std::optional<StepRank> step_rank(std::string_view key, bool counted, bool in_bar) {
  const Words words = words_of(key);
  Words not_seconds = words;
  std::erase(not_seconds, "s");  // epoch(s)
  if (any_in(words, {&kEpoch}) && !any_in(not_seconds, {&kStep, &kNoStep})) return StepRank::epoch;
  if (key.size() > 1 && key[0] == '#' && std::ranges::all_of(key.substr(1), is_figure))
    return counted && in_bar ? StepRank::bar : counted ? StepRank::counted : StepRank::nameless;
  if (any_in(words, {&kNoStep, &kProcess})) return std::nullopt;
  const bool global = std::ranges::count(words, "global") > 0 && std::ranges::count(words, "step") > 0;
  if (!words.empty() && (kStep.contains(words.back()) || global)) return StepRank::step;
  return counted ? StepRank::counted : any_in(words, {&kBatch}) ? StepRank::batch : StepRank::other;
}

bool says_validation(const Words& words) { return any_in(words, {&kValidation}); }
bool says_training(const Words& words) { return any_in(words, {&kTraining}); }
bool says_step_batch_or_epoch(const Words& words) {
  return !words.empty() && is_in_any(words.back(), {&kStep, &kBatch, &kEpoch});
}
bool only_training_or_validation(const Words& words) { return all_in(words, {&kTraining, &kValidation}); }
bool only_epoch_or_training(const Words& words) { return all_in(words, {&kEpoch, &kTraining}); }
bool only_process(const Words& words) { return any_in(words, {&kProcess}) && all_in(words, {&kProcess, &kWhich}); }

bool ends_with_words(const Words& words, const Words& end) {
  return end.size() <= words.size() && std::equal(end.rbegin(), end.rend(), words.rbegin());
}

}  // namespace bisectd::driver::learn
