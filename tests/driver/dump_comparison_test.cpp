#include <catch2/catch.hpp>

#include "driver/align/dump_comparison.hpp"
#include "driver/neutralise/catalogue.hpp"

using namespace bisectd;
using driver::align::findings_in_dump_comparison;

namespace {

/// As a line of text: "gelu 20", "conv2d backward 5", "norm 20 module".
std::vector<std::string> hints_of(const std::string& rows,
                                  const std::string& header = "NPU Name,Bench Name,Cosine,MaxAbsErr,Result") {
  std::vector<std::string> said;
  for (const configs::Hint& hint : findings_in_dump_comparison(header + "\n" + rows).hints)
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

TEST_CASE("dump comparison: statistics of both sides") {
  const std::string header =
      "NPU Name,Bench Name,NPU Tensor Shape,Bench Tensor Shape,MeanRelativeErr,NormRelativeErr,NPU max,NPU min,NPU mean,NPU "
      "l2norm,Bench max,Bench min,Bench mean,Bench l2norm,Result";
  const auto said = [&](const std::string& figures, const std::string& result = "pass") {
    return hints_of(
               "Functional.gelu.0.forward.input.0,x,[4],[4],0,0,1,-1,0,2,1,-1,0,2,pass\n"
               "Functional.gelu.0.forward.output.0,x,\"[2, 2]\",\"[2, 2]\",0,0," +
                   figures + "," + result,
               header) == Said{"gelu first"};
  };
  CHECK_FALSE(said("1,-1,0.1,2,1,-1,0.1,2"));
  CHECK(said("1,-1,0.1,2.03,1,-1,0.1,2"));        // the norm
  CHECK(said("1,-1,0.12,2,1,-1,0.1,2"));          // the mean, relative to the size of an element
  CHECK_FALSE(said("1,-1,1e-9,2,1,-1,-2e-9,2"));  // means that cancel are rounding: 150 % of nothing
  CHECK(said("1.5,-1,0.1,2,1,-1,0.1,2"));         // a largest element, as after a normalisation
  CHECK(said("Nan,Nan,Nan,Nan,1,-1,0.1,2"));
  CHECK_FALSE(said("inf,-1,inf,inf,inf,-1,inf,inf"));  // a mask
  CHECK(said("1,-1,0.1,2,1,-1,0.1,2", "error"));
  CHECK_FALSE(said("7,0,None,None,7,0,None,None"));  // integers
  CHECK(said("8,0,None,None,7,0,None,None"));
  CHECK_FALSE(said("True,True,True,True,True,True,True,True"));
}

TEST_CASE("dump comparison: large errors of large numbers, and statistics beside a cosine") {
  const std::string name = "Functional.gelu.0.forward.output.0,x,",
                    header = "NPU Name,Bench Name,Cosine,MaxAbsErr,MaxRelativeErr,Result";
  CHECK(hints_of(name + "1.0,8,0.002,pass", header).empty());
  CHECK(hints_of(name + "1.0,8,3,pass", header) == Said{"gelu first"});
  CHECK(hints_of(name + "1.0,8,0.002,error", header) == Said{"gelu first"});
  CHECK(
      hints_of(name + "1.0,0.1,0.1,[4],[4],1.1,-1,0,2.2,1,-1,0,2,pass",  // all of it 10 % too large: no angle between them
               "NPU Name,Bench Name,Cosine,MaxAbsErr,MaxRelativeErr,NPU Tensor Shape,Bench Tensor Shape,NPU max,NPU min,NPU "
               "mean,NPU l2norm,Bench max,Bench min,Bench mean,Bench l2norm,Result") == Said{"gelu first"});
}

TEST_CASE("dump comparison: what only the subject calls") {
  const std::string linear = "Functional.linear.0.forward.", gelu = "Functional.gelu.0.forward.output.0,x,1,0,pass\n";
  const std::string own =
      "Tensor.__mul__.0.forward.input.0,N/A,N/A,N/A,pass\nTensor.__mul__.0.forward.output.0,N/A,N/A,N/A,pass\n";
  CHECK(hints_of(gelu + own) == Said{"__mul__ other"});
  // Nothing that was compared returned the wrong input.
  CHECK(hints_of(gelu + own + linear + "input.0,x,0.5,2,error\n" + linear + "output.0,x,0.5,2,error\n") ==
        Said{"__mul__ first", "linear first"});
  CHECK(hints_of(gelu + own + linear + "input.0,x,1,0,pass\n" + linear + "output.0,x,0.5,2,error\n") ==
        Said{"__mul__ other", "linear first"});
  CHECK(hints_of(linear + "output.0,x,0.5,2,error\n" + own) == Said{"linear first"});
  const std::string header = "NPU Name,Bench Name,Cosine,MaxAbsErr,Result\n";
  CHECK(findings_in_dump_comparison(header + gelu).remark.empty());
  CHECK(findings_in_dump_comparison(header + gelu + own).remark ==
        "only the subject calls __mul__; this was compared with nothing");
}

TEST_CASE("dump comparison: names as ptdbg writes them, its verdict, quoted cells, and a byte order mark") {
  const std::string header = "\xef\xbb\xbfNPU Name,Bench Name,Cosine,MaxAbsErr,Accuracy Reached or Not,NPU_Stack_Info\r";
  CHECK(hints_of("Functional_conv2d_0_forward_output.0,x,1,0.1,No,\"File a, line 1,\n File b\"\r\n"
                 "Module_layer1_bn_BatchNorm2d_0_forward_output.0,x,1,0.1,No,\r\n",
                 header) == Said{"layer1_bn first module", "conv2d first"});
  CHECK(hints_of("Module.layers.0.feed_forward_norm.RMSNorm.forward.0.output.0,x,0.5,2,error\n") ==
        Said{"layers.0.feed_forward_norm first module"});
}

TEST_CASE("dump comparison: what is none is refused") {
  CHECK_THROWS_AS(findings_in_dump_comparison(""), std::invalid_argument);
  CHECK_THROWS_AS(findings_in_dump_comparison("step,loss\n1,2\n"), std::invalid_argument);
  CHECK_THROWS_WITH(findings_in_dump_comparison("NPU Name,Bench Name,NPU MD5,BENCH MD5\n"), Catch::Contains("checksums"));
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
