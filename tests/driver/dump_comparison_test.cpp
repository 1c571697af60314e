#include <catch2/catch.hpp>

#include "driver/align/dump_comparison.hpp"
#include "driver/neutralise/odds.hpp"

using namespace bisectd;
using driver::align::hints_in_dump_comparison;

namespace {

/// As a line of text: "gelu 20", "conv2d backward 5", "norm 20 module".
std::vector<std::string> hints_of(const std::string& rows,
                                  const std::string& header = "NPU Name,Bench Name,Cosine,MaxAbsErr,Result") {
  std::vector<std::string> said;
  for (const configs::Hint& hint : hints_in_dump_comparison(header + "\n" + rows))
    said.push_back(hint.name + (hint.backward ? " backward " : " ") + (hint.odds > 10 ? "first" : "other") +
                   (hint.computes ? "" : " module"));
  return said;
}

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("dump comparison: the documents' rules") {
  const std::string name = "Functional.gelu.0.forward.output.0,Functional.gelu.0.forward.output.0,";
  CHECK(hints_of(name + "0.995,0.5,pass").empty());
  CHECK(hints_of(name + "0.98,0.0009,pass").empty());
  CHECK(hints_of(name + "0.98,0.002,pass") == Said{"gelu first"});
  CHECK(hints_of(name + "0.8,N/A,pass") == Said{"gelu first"});
  CHECK(hints_of(name + "0.8,0.0001,pass") == Said{"gelu first"});
  CHECK(hints_of(name + "1.0,1.5,pass") == Said{"gelu first"});
  CHECK(hints_of(name + "1.0,0.1,error") == Said{"gelu first"});
  CHECK(hints_of(name + "unsupported,unsupported,pass").empty());
}

TEST_CASE("dump comparison: the first in the order of execution, then who deviates by itself") {
  CHECK(hints_of("Functional.conv2d.0.forward.output.0,x,1,0,pass\n"
                 "Module.conv.Conv2d.forward.0.output.0,x,1,0,pass\n"
                 "Functional.batch_norm.0.forward.input.0,x,1,0,pass\n"
                 "Functional.batch_norm.0.forward.output.0,x,0.5,2,error\n"
                 "Module.body.norm.BatchNorm2d.forward.0.input.0,x,1,0,pass\n"
                 "Module.body.norm.BatchNorm2d.forward.0.output.0,x,0.5,2,error\n"
                 "Functional.gelu.0.forward.input.0,x,0.5,2,error\n"
                 "Functional.gelu.0.forward.output.0,x,0.5,2,error\n"
                 "Tensor.__mul__.0.forward.input.0,x,1,0,pass\n"
                 "Tensor.__mul__.0.forward.output.0,x,0.5,2,error\n"
                 "Tensor.__mul__.0.backward.output.0,x,0.5,2,error\n") ==
        Said{"body.norm first module", "batch_norm first", "__mul__ other", "__mul__ backward other"});
  CHECK(hints_of("Functional.gelu.0.forward.output.0,x,1,0,pass\n"
                 "Functional.gelu.0.backward.input.0,x,1,0,pass\n"
                 "Functional.gelu.0.backward.output.0,x,0.5,2,error\n"
                 "Module.head.Linear.parameters_grad.0.weight,x,0.5,2,error\n") ==
        Said{"head backward first module", "gelu backward first"});
}

TEST_CASE("dump comparison: names as ptdbg writes them, its verdict, quoted cells, and a byte order mark") {
  const std::string header = "\xef\xbb\xbfNPU Name,Bench Name,Cosine,MaxAbsErr,Accuracy Reached or Not,NPU_Stack_Info\r";
  CHECK(hints_of("Functional_conv2d_0_forward_output.0,x,1,0.1,No,\"File a, line 1,\n File b\"\r\n"
                 "Module_layer1_bn_BatchNorm2d_0_forward_output.0,x,1,0.1,No,\r\n",
                 header) == Said{"layer1_bn first module", "conv2d first"});
}

TEST_CASE("dump comparison: what is none is refused") {
  CHECK_THROWS_AS(hints_in_dump_comparison(""), std::invalid_argument);
  CHECK_THROWS_AS(hints_in_dump_comparison("step,loss\n1,2\n"), std::invalid_argument);
  CHECK(hints_of("no name of a tensor,x,0,9,error\n").empty());
}

TEST_CASE("odds: an operator that computes what a class or a function does") {
  using driver::neutralise::computes;
  CHECK(computes("batch_norm", "BatchNorm2D", false));
  CHECK(computes("batch_norm_grad", "BatchNorm2D", true));
  CHECK_FALSE(computes("batch_norm_grad", "BatchNorm2D", false));
  CHECK(computes("native_layer_norm_backward", "LayerNorm", true));
  CHECK(computes("hard_swish", "Hardswish", false));
  CHECK(computes("conv2d", "Conv2D", false));
  CHECK(computes("convolution", "conv2d", false));
  CHECK(computes("mul.Tensor", "__mul__", false));
  CHECK(computes("gelu@float16", "GELU", false));
  CHECK_FALSE(computes("group_norm", "BatchNorm2D", false));
  CHECK_FALSE(computes("addmm", "Linear", false));
}

TEST_CASE("odds: the experiment's own before those of a file") {
  configs::Selection selection;
  selection.likely["gelu"] = {3, {}};
  selection.hints = {{.name = "GELU", .computes = true, .backward = false, .odds = 20}, {.name = "stem", .odds = 5}};
  using driver::neutralise::odds_of;
  CHECK(odds_of(selection, "gelu") == 3);
  CHECK(odds_of(selection, "gelu_backward") == 1);
  CHECK(odds_of(selection, "stem") == 5);
  selection.likely.clear();
  CHECK(odds_of(selection, "gelu") == 20);
}
