"""What torch.compile makes of losses, layers, images and products for the set tests/data/unseen."""
import torch
import torch._inductor.config as config

from inductor_steps import run, there

F = torch.nn.functional


def tuned():
    """Element-wise work and reductions in all block sizes that Inductor would try."""
    config.max_autotune_pointwise = config.max_autotune = True
    x, y = there(1000, 1536), there(1000, 1536)
    yield lambda a, b: torch.lerp(a, b, 0.3) * torch.sin(a), x, y
    yield lambda a: F.mish(a) + F.hardswish(a), x
    yield lambda a, b: torch.where(a > b, a * a, b.abs().sqrt()), x, y
    yield lambda a: torch.linalg.vector_norm(a, dim=1), x
    yield lambda a: (a - a.mean(0)).abs().mean(0), x
    yield lambda a: a.t().contiguous() * 0.5 + 1, x


def layers():
    x, y = there(1100, 1300), there(1100, 1300)
    yield lambda a, b: F.instance_norm(a.view(10, 110, 1300)) + b.view(10, 110, 1300), x, y
    yield lambda a, w: a / a.norm(dim=1, keepdim=True).clamp(min=1e-6) * w, x, there(1300)
    yield lambda a, b: F.huber_loss(a, b), x, y
    yield lambda a, b: F.binary_cross_entropy_with_logits(a, torch.sigmoid(b)), x, y
    yield lambda a: torch.softmax(a / 0.7, 1).square().sum(1), x
    yield lambda a: F.log_softmax(a, 0), x
    yield lambda a: F.glu(a, 1), x
    yield lambda a: F.normalize(a.clamp(-2, 2), p=1.0, dim=0), x
    yield lambda a: torch.cummax(a, 1).values, there(800, 1000)
    yield lambda a: a.prod(1), there(2000, 300)


def images():
    x = there(4, 24, 120, 120)
    yield lambda a: F.pixel_shuffle(a, 2), x
    yield lambda a: F.unfold(a, 3, padding=1), there(2, 16, 64, 64)
    yield lambda a: F.adaptive_avg_pool2d(a, 10), x
    yield lambda a: F.max_pool2d(a, 2), x
    yield lambda a: F.pad(a, (2, 2, 2, 2), mode="reflect"), x
    yield lambda a: F.interpolate(a, size=(90, 90), mode="bicubic"), x
    yield lambda a: a.permute(0, 2, 3, 1).contiguous().to(torch.float16), x
    yield lambda a: (a[:, :, 1:] - a[:, :, :-1]).abs().mean() + (a[:, :, :, 1:] - a[:, :, :, :-1]).abs().mean(), x
    yield lambda a, w: (a * w).sum(1), x, there(1, 24, 1, 1)


def products():
    config.max_autotune = True
    half = torch.float16
    yield torch.bmm, there(16, 256, 64, dtype=half), there(16, 64, 256, dtype=half)
    yield lambda a, b: F.gelu(a @ b), there(384, 512, dtype=torch.bfloat16), there(512, 640, dtype=torch.bfloat16)


run({"tuned": tuned, "layers": layers, "images": images, "products": products})
