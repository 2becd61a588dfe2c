"""Sets torch.compile up to run on the virtual GPU: every product is a Triton kernel, nothing is cached, a candidate of its tuning runs
once, and its inputs and zeroed outputs come from the host, as PyTorch's own kernels need machine code."""
import torch
import torch._dynamo.testing
import torch._inductor.config as config
import torch._inductor.runtime.benchmarking as benchmarking
import torch._inductor.select_algorithm as select_algorithm

config.compile_threads = 1
config.max_autotune_gemm_backends = "TRITON"
config.max_autotune_conv_backends = "TRITON"
config.fx_graph_cache = False
config.autotune_local_cache = False
config.pattern_matcher = False
config.joint_graph_constant_folding = False
config.force_disable_caches = True


def once(self, work, *_, **__):
    work()
    return 1.0


def from_host(size, stride, dtype=torch.float32, device="cpu", extra_size=0):
    room = sum((n - 1) * s for n, s in zip(size, stride)) + 1 + extra_size
    values = torch.randn(room) if dtype.is_floating_point else torch.zeros(room)
    return torch.as_strided(values.to(dtype).to(device), size, stride)


def zero(self):
    return self.copy_(torch.zeros(self.shape, dtype=self.dtype))


for each in (benchmarking.Benchmarker, benchmarking.TritonBenchmarker, benchmarking.InductorBenchmarker):
    each.benchmark_gpu = once
torch.Tensor.zero_ = zero
torch._dynamo.testing.rand_strided = from_host
select_algorithm.rand_strided = from_host
