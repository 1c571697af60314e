// Recurrent layers and look-ups.
#include "../forward.hpp"
#include "paddle/phi/kernels/rnn_kernel.h"
#include "paddle/phi/kernels/rnn_grad_kernel.h"
#include "paddle/phi/kernels/embedding_kernel.h"
#include "paddle/phi/kernels/embedding_grad_kernel.h"
#include "paddle/phi/kernels/gather_kernel.h"
#include "paddle/phi/kernels/gather_grad_kernel.h"
#include "paddle/phi/kernels/where_kernel.h"
#include "paddle/phi/kernels/where_grad_kernel.h"

ON_NPU(rnn, RnnKernel, tensor)
ON_NPU(rnn_grad, RnnGradKernel, tensor)
ON_NPU(embedding, EmbeddingKernel, never)
ON_NPU(embedding_grad, EmbeddingGradKernel, tensor)
ON_NPU(gather, GatherKernel, never)
ON_NPU(gather_grad, GatherGradKernel, tensor)
ON_NPU(where, WhereKernel, never)
ON_NPU(where_grad, WhereGradKernel, never)
