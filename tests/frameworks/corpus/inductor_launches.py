"""torch.compile: what Inductor makes of layers, a transformer's block, a convolution net, sorts and scans, with their gradients. All candidates
of its tuning run, once each. PyTorch's own kernels need machine code, so inputs are made on the host and every product is a Triton kernel."""
import torch
import torch._inductor.config as config

import inductor_settings  # noqa: F401
from tensors import Corpus, digest

config.max_autotune = True
torch.backends.cuda.matmul.allow_tf32 = True

corpus = Corpus()
torch.manual_seed(3)


def there(*shape, dtype=torch.float32, gradient=False):
    return torch.randn(*shape).to(dtype).cuda().requires_grad_(gradient)


def told(value):
    return digest(value.detach().cpu().float().numpy())


def forward(name, work, *inputs):
    def run():
        torch._dynamo.reset()
        results = torch.compile(work, fullgraph=True)(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        return " ".join(told(r) for r in results)

    corpus.step(name, run)


def trained(name, layers, value):
    def run():
        torch._dynamo.reset()
        there = layers.cuda()
        out = torch.compile(lambda v: (there(v).float() ** 2).mean(), fullgraph=True)(value)
        out.backward(torch.ones(()).cuda())
        return told(out) + " " + " ".join(told(p.grad) for p in there.parameters())[:60]

    corpus.step(name, run)


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.mix, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.mix(self.first(x)).chunk(3, dim=-1))
        s = q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5
        s = s.masked_fill(torch.ones(length, length, device=x.device).tril() == 0, float("-inf"))
        x = x + self.out((s.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.second(x))))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.norm, self.last = torch.nn.BatchNorm2d(16), torch.nn.Linear(32, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.a(x)))
        x = torch.nn.functional.max_pool2d(torch.relu(self.b(x)), 2)
        return torch.log_softmax(self.last(x.mean((2, 3))), -1)


x, y = there(64, 300), there(64, 300)
forward("element-wise", lambda a, b: torch.sin(a) * torch.exp(b) + torch.where(a > b, a, -b), x, y)
forward("softmax", lambda a: torch.softmax(a, 1), x)
forward("softmax of columns", lambda a: torch.softmax(a, 0), x)
forward("reductions", lambda a: (a.sum(), a.amax(0), a.argmin(1), a.var(1), a.prod(1)), x)
forward("large reduction", lambda a: (a.sum(), a.abs().max()), there(1 << 20))
forward("cumulative", lambda a: (a.cumsum(1), a.cumsum(0), torch.cumprod(a, 1), torch.logcumsumexp(a, 1)), x)
forward("sort", lambda a: torch.sort(a, dim=1)[0], x)
forward("sort and indices", lambda a: torch.sort(a, dim=1, stable=True), there(32, 100))
forward("gather", lambda a, i: a[i] + a.gather(0, i[:, None].expand(-1, 300) % 64), x, torch.randint(0, 64, (40,)).cuda())
forward("scatter", lambda a, i: torch.zeros(64, 300, device="cuda").index_add(0, i, a[:40]), x, torch.randint(0, 64, (40,)).cuda())
forward("embedding", torch.nn.functional.embedding, torch.randint(0, 64, (8, 20)).cuda(), x)
forward("transposes", lambda a: (a.t().contiguous() + 1, a.view(8, 8, 300).permute(2, 0, 1).contiguous()), x)
forward("concatenation", lambda a, b: torch.cat([a, b * 2, a[:, :7]], 1), x, y)
forward("upsampling", lambda a: torch.nn.functional.interpolate(a, scale_factor=2, mode="bilinear"), there(2, 3, 16, 16))
forward("pools", lambda a: torch.nn.functional.max_pool2d(a, 3, 2) + torch.nn.functional.avg_pool2d(a, 3, 2), there(2, 3, 17, 17))
forward("cross entropy", torch.nn.functional.cross_entropy, there(64, 1000), torch.randint(0, 1000, (64,)).cuda())
forward("quantise", lambda a: (a / a.abs().amax(1, keepdim=True) * 448).to(torch.float8_e4m3fn).float(), x)
for kind in (torch.float32, torch.float16, torch.bfloat16):
    forward(f"product {kind}", torch.mm, there(128, 192, dtype=kind), there(192, 128, dtype=kind))
    forward(f"product and activation {kind}", lambda a, b, c: torch.relu(torch.addmm(c, a, b)), there(100, 80, dtype=kind),
            there(80, 72, dtype=kind), there(72, dtype=kind))
forward("batched product", torch.bmm, there(4, 64, 64, dtype=torch.float16), there(4, 64, 64, dtype=torch.float16))
forward("convolution", torch.nn.functional.conv2d, there(2, 8, 18, 18), there(16, 8, 3, 3))
trained("gradient of a norm", torch.nn.LayerNorm(300), there(64, 300))
trained("gradient of layers", torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.GELU(), torch.nn.Linear(96, 32)), there(40, 64))
trained("transformer's block", Block(64, 2), there(2, 32, 64))
trained("transformer's block in halves", Block(64, 2).half(), there(2, 32, 64, dtype=torch.float16))
trained("convolution net", Net(), there(2, 3, 16, 16))


def flexible():
    from torch.nn.attention.flex_attention import flex_attention

    q, k, v = (there(1, 2, 128, 64, dtype=torch.float16, gradient=True) for _ in range(3))
    torch._dynamo.reset()

    def work(q, k, v):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where(i >= j, s, float("-inf"))).float().mean()

    out = torch.compile(work, fullgraph=True)(q, k, v)
    out.backward(torch.ones(()).cuda())
    return told(out) + " " + told(q.grad)


corpus.step("flexible attention", flexible)
corpus.end()
