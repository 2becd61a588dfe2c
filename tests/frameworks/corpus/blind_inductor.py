"""What torch.compile makes of layers, losses, optimizers and codes for the set tests/data/blind."""
import torch

from inductor_steps import run, there, whole

F = torch.nn.functional


def layers():
    x, y = there(1200, 1024), there(1200, 1024)
    yield lambda a, r, w: (a + r) * torch.rsqrt((a + r).pow(2).mean(1, keepdim=True) + 1e-6) * w, x, y, there(1024)
    yield lambda a: F.silu(a[:, :512]) * a[:, 512:], x
    yield lambda a: torch.logsumexp(a, 1), x
    yield lambda a, g: g - torch.exp(a) * g.sum(1, keepdim=True), x, y
    yield lambda a: F.group_norm(a, 8), there(16, 64, 40, 40)
    yield lambda a: F.batch_norm(a, None, None, training=True), there(16, 48, 40, 40)
    yield lambda a: torch.softmax(a.masked_fill(torch.ones(256, 256, device=a.device).tril() == 0, -1e9), -1), there(16, 256, 256)
    yield lambda a, c, s: torch.cat([a[..., :32] * c - a[..., 32:] * s, a[..., 32:] * c + a[..., :32] * s], -1), there(8, 16, 128, 64), there(128, 32), there(128, 32)


def losses():
    x, y = there(900, 1500), there(900, 1500)
    yield lambda a, b: F.mse_loss(a, b), x, y
    yield lambda a, b: F.smooth_l1_loss(a, b, reduction="none").mean(0), x, y
    yield lambda a, b: F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1), reduction="batchmean"), x, y
    yield lambda a, b: F.cosine_similarity(a, b, dim=1), x, y
    yield lambda a: a.argmax(1), x
    yield lambda a: a.amax(0) - a.amin(0), x
    yield lambda a: a.std(0), x
    yield lambda a: (a.abs().amax(1, keepdim=True) / 127, torch.round(a / (a.abs().amax(1, keepdim=True) / 127)).to(torch.int8)), x


def moves():
    x = there(1100, 1000)
    yield lambda a: F.pad(a, (3, 5, 2, 4)), x
    yield lambda a: a.flip(1) + a.roll(7, 0), x
    yield lambda a: a.view(50, 22, 1000).permute(2, 0, 1).contiguous() * 2, x
    yield lambda t, i: F.layer_norm(t[i], (256,)), there(8000, 256), whole(8000, 3000)
    yield lambda a, i, v: a.index_add(0, i, v), there(2000, 256), whole(2000, 3000), there(3000, 256)
    yield lambda a, i: a.gather(1, i), x, whole(1000, 1100, 500)
    yield lambda a: F.avg_pool2d(a, 3, 1, 1), there(4, 32, 96, 96)
    yield lambda a: F.interpolate(a, scale_factor=2, mode="nearest"), there(4, 32, 80, 80)


def steps():
    yield lambda a: a.cumsum(0), there(512, 2000)
    yield lambda p, m, v, g: (p - 0.001 * m / (v.abs().sqrt() + 1e-8), 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g), *[there(1500000) for _ in range(4)]
    yield lambda q, s: ((torch.stack([q & 15, q >> 4], -1).flatten(1).to(torch.float32) - 8) * s).to(torch.float16), torch.randint(0, 255, (800, 1024), dtype=torch.uint8).cuda(), there(800, 1)
    yield lambda a: torch.where(a > 0, a, torch.expm1(a)) + torch.erf(a), there(2000000)
    yield lambda a: F.gelu(a.to(torch.float32), approximate="tanh").to(torch.bfloat16), there(1500, 1400, dtype=torch.bfloat16)
    yield lambda a, b: ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1), there(400, 64), there(400, 64)
    yield lambda a, b: (a[:, :, :, None] * b[:, None, :, :]).sum(2), there(600, 16, 16), there(600, 16, 16)
    yield lambda a: a.view(100, 30, 500).sum((0, 2)), there(3000, 500)


run({"layers": layers, "losses": losses, "moves": moves, "steps": steps})
