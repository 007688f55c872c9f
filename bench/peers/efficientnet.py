"""EfficientNet-B0 as a PyTorch module, for PyTorch 1.13 and later: torchvision's structure, names, initialisation and
economy (SiLU in place), with its stochastic depth and dropout, written here as models.py says why."""
import torch
from torch import nn
from torch.nn import functional

STAGES = [  # expansion, kernel, stride, outputs, blocks
    (1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
    (6, 3, 1, 320, 1),
]
BLOCKS = sum(stage[-1] for stage in STAGES)


def unit(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1, active: bool = True) -> nn.Sequential:
    made = [nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs)]
    return nn.Sequential(*made, *([nn.SiLU(inplace=True)] if active else []))


class SqueezeExcitation(nn.Module):
    def __init__(self, channels: int, squeezed: int):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeezed, 1)
        self.fc2 = nn.Conv2d(squeezed, channels, 1)
        self.activation = nn.SiLU(inplace=True)
        self.scale_activation = nn.Sigmoid()

    def forward(self, x):
        return self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x))))) * x


class StochasticDepth(nn.Module):
    """A branch of a sample is left out as a whole with probability p."""

    def __init__(self, p: float):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        kept = torch.empty([x.shape[0], 1, 1, 1], dtype=x.dtype, device=x.device).bernoulli_(1 - self.p)
        return x * kept.div_(1 - self.p)


class MBConv(nn.Module):
    def __init__(self, inputs: int, outputs: int, expansion: int, size: int, stride: int, drop: float):
        super().__init__()
        inner = inputs * expansion
        layers = [unit(inputs, inner, 1)] if expansion != 1 else []
        layers.append(unit(inner, inner, size, stride, groups=inner))
        layers.append(SqueezeExcitation(inner, max(1, inputs // 4)))
        layers.append(unit(inner, outputs, 1, active=False))
        self.block = nn.Sequential(*layers)
        self.stochastic_depth = StochasticDepth(drop)
        self.use_res_connect = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.block(x)
        if self.use_res_connect:
            y = self.stochastic_depth(y)
            y += x
        return y


class EfficientNet(nn.Module):
    def __init__(self, classes: int, drop: float = 0.2):
        super().__init__()
        self.classes = classes
        features, channels, block = [unit(3, 32, 3, 2)], 32, 0
        for expansion, size, stride, outputs, count in STAGES:
            stage = []
            for i in range(count):
                stage.append(MBConv(channels, outputs, expansion, size, stride if i == 0 else 1, drop * block / BLOCKS))
                channels, block = outputs, block + 1
            features.append(nn.Sequential(*stage))
        features.append(unit(channels, 4 * channels, 1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(drop, inplace=True), nn.Linear(4 * channels, classes))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Linear):
                nn.init.uniform_(module.weight, -classes**-0.5, classes**-0.5)
                nn.init.zeros_(module.bias)

    def forward(self, x):
        x = functional.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))
