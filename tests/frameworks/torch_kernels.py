"""PyTorch: kernels of its own, which it must hold as PTX. Prints the same on the virtual GPU and on a real one."""
import torch

x = torch.arange(4096, dtype=torch.float32, device="cuda")
print("sum", float((x * 2 + 1).sum()))
print("where", float(torch.where(x > 100, x, -x).sum()))
