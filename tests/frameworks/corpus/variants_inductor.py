"""What torch.compile makes of layers on tensors that keep a GPU busy for some microseconds; products are tuned, so each has several variants. For
`haul replay --record`, as inductor_launches.py."""
import torch
import torch._inductor.config as config

from inductor_steps import run, there


def layers():
    x = there(1024, 1500)
    yield lambda a: torch.softmax(a, 1), x
    yield lambda a: torch.nn.functional.layer_norm(a, (1500,)), x
    yield lambda a: torch.nn.functional.gelu(a) * torch.sigmoid(a), x
    yield lambda a: a.sum(0), x
    yield lambda a: (a * a).mean(1), x
    yield lambda a: a.sum(), x
    yield lambda a: torch.softmax(a, 0), x


def more():
    x = there(1000, 1200)
    yield lambda a: a.t().contiguous() + 1, x
    yield lambda a: torch.cat([a, a * 2], 1), x
    yield lambda a, i: a[i], x, torch.randint(0, 1000, (1500,)).cuda()
    yield lambda a: a.cumsum(1), x
    yield lambda a: a.var(1), there(500, 8000)
    yield lambda a, i: torch.nn.functional.cross_entropy(a, i), there(500, 8000), torch.randint(0, 8000, (500,)).cuda()
    yield lambda a: torch.nn.functional.max_pool2d(a, 3, 2), there(8, 16, 129, 129)
    yield lambda a: torch.nn.functional.interpolate(a, scale_factor=2, mode="bilinear"), there(4, 16, 96, 96)


def products():
    config.max_autotune = True
    half = torch.float16
    yield torch.mm, there(256, 512, dtype=half), there(512, 256, dtype=half)
    yield lambda a, b, c: torch.relu(torch.addmm(c, a, b)), there(512, 256, dtype=half), there(256, 512, dtype=half), there(512, dtype=half)


run({"layers": layers, "more": more, "products": products})
