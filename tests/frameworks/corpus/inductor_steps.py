"""Tensors on the GPU for the steps of a set by Inductor, and their run. For `haul replay --record`, as inductor_launches.py."""
import torch

import inductor_settings  # noqa: F401
import steps

torch.manual_seed(3)


def there(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype).cuda()


def whole(below, *shape):
    return torch.randint(0, below, shape).cuda()


def work(step):
    function, *inputs = step
    torch._dynamo.reset()
    torch.compile(function, fullgraph=True)(*inputs)
    torch.cuda.synchronize()


def run(parts):
    steps.run(parts, work)
