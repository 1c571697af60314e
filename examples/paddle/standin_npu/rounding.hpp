// The rounding of an honest device.  No two devices add up in the same order or take the same exponential, so each is off by
// a little in every operator, at every step, and always by the same little.  Pure arithmetic on float arrays; knows no
// tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace standin {

// What the error of an operator's numbers is measured against.
enum class Rounds {
  never,    // it moves, selects or counts numbers, and later operators may look for equal ones
  number,   // the number itself
  tensor,   // a sum of terms that cancel: the number, or the root mean square of its tensor where that is larger
  sum,      // as tensor, but no less than the sum of the largest input comes to when its terms do not cancel
  mean,     // the same, of a mean
  product,  // the same, of a matrix product, a convolution, or the gradient of one
};

struct Rounding {
  double size = 3e-6;   // root mean square over the operators: they spread log-uniformly from size / 300 to size * 10 / 3
  double products = 0;  // the same for those that round as a product; 0: they are like the others
};

// How coarsely one operator of one make of device rounds.
struct Rounder {
  float size = 0;  // the largest error is this much of what it is measured against; 0: none
  float bias = 0;  // -1 or 1: all numbers come out too small or too large by about the size; 0: errors of both signs
  std::uint64_t key = 0;
};

// make: of the device; every make gives every operator another size, bias and errors.
Rounder rounder(const std::string& make, std::uint64_t seed, const std::string& op, double size);

struct Measure {  // of an array, in one look
  double rms = 0;
  bool both_signs = false;
};
Measure measure(const float* x, std::size_t count);

// What the numbers of an output come to when their terms do not cancel: with a gradient that is zero but for rounding, like
// that of a bias before a normalisation, the result itself does not tell.  Terms of random signs add up to the square root
// of their number.  Of a sum of `added` numbers to `count` of them, and of their mean:
double uncancelled_sum(double rms, double added, double count);
double uncancelled_mean(double rms, double added, double count);
// Of a matrix product or a convolution of two factors; counts: the numbers of both and of their product, multiplied.  The
// gradients of the factors are such products, too, with the same counts.
double uncancelled_product(double rms, double other_rms, double counts, double count);

// Rounds x in place.  An error follows from the key, the output, the place and the value, and from nothing else: an operator
// given the same numbers again gives the same numbers again.  before: what each number was before an updating operator
// changed it; the error is then of the change.  Null for all other operators.  least: what errors are measured against where
// a number is smaller.  Whole numbers up to 65536 stay: they are counts, masks, or sums without a term.
void round_off(const Rounder& rounder, std::size_t output, float least, float* x, const float* before, std::size_t count);

}  // namespace standin
