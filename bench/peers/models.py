"""The networks of the comparison as PyTorch modules, for PyTorch 1.13 and later.

Written here because Debian's python3-torch comes without torchvision: its structure, names and initialisation
(v1.5: the stride of a bottleneck in its 3x3), and its economy (ReLU and the sum in place), which the networks of
tests/fixtures, made to be compared digit by digit, do not have. CIFAR: He et al. 2015, section 4.2, shortcut A.
EfficientNet: efficientnet.py. SSD: ssd.py."""
import re

import torch
from torch import nn
from torch.nn import functional

from efficientnet import EfficientNet
from ssd import ssd_resnet34

RESNETS = {  # blocks of the four stages, bottlenecks or not, times as many channels inside a bottleneck, groups there
    "resnet18": ((2, 2, 2, 2), False, 1, 1),
    "resnet34": ((3, 4, 6, 3), False, 1, 1),
    "resnet50": ((3, 4, 6, 3), True, 1, 1),
    "resnet101": ((3, 4, 23, 3), True, 1, 1),
    "resnet152": ((3, 8, 36, 3), True, 1, 1),
    "wide_resnet50_2": ((3, 4, 6, 3), True, 2, 1),
    "wide_resnet101_2": ((3, 4, 23, 3), True, 2, 1),
    "resnext50_32x4d": ((3, 4, 6, 3), True, 2, 32),
    "resnext101_32x4d": ((3, 4, 23, 3), True, 2, 32),
    "resnext101_32x8d": ((3, 4, 23, 3), True, 4, 32),
}


def convolution(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, groups=groups, bias=False)


class Subsample(nn.Module):
    """Shortcut A: every second pixel, zero channels added at the end; no parameters."""

    def __init__(self, added: int, stride: int):
        super().__init__()
        self.added, self.stride = added, stride

    def forward(self, x):
        return functional.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.added))


class Basic(nn.Module):
    def __init__(self, inputs: int, width: int, stride: int, shortcut):
        super().__init__()
        self.conv1 = convolution(inputs, width, 3, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = convolution(width, width, 3)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = shortcut

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class Bottleneck(nn.Module):
    def __init__(self, inputs: int, inner: int, outputs: int, stride: int, groups: int, shortcut):
        super().__init__()
        self.conv1 = convolution(inputs, inner, 1)
        self.bn1 = nn.BatchNorm2d(inner)
        self.conv2 = convolution(inner, inner, 3, stride, groups)
        self.bn2 = nn.BatchNorm2d(inner)
        self.conv3 = convolution(inner, outputs, 1)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = shortcut

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class Network(nn.Module):
    """Stem, stages layer1, layer2 ... (the image halves in each but the first), pooling, a dense head."""

    def __init__(self, stem_width: int, stem_size: int, classes: int):
        super().__init__()
        photographs = stem_size == 7
        self.conv1 = convolution(3, stem_width, stem_size, 2 if photographs else 1)
        self.bn1 = nn.BatchNorm2d(stem_width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1) if photographs else nn.Identity()
        self.stages, self.channels, self.classes = [], stem_width, classes

    def add_stage(self, blocks: int, outputs: int, make_block) -> None:
        made = []
        for block in range(blocks):
            made.append(make_block(self.channels, 2 if self.stages and block == 0 else 1))
            self.channels = outputs
        self.stages.append(f"layer{len(self.stages) + 1}")
        setattr(self, self.stages[-1], nn.Sequential(*made))

    def finish(self) -> "Network":
        self.fc = nn.Linear(self.channels, self.classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        return self

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for stage in self.stages:
            x = getattr(self, stage)(x)
        return self.fc(torch.flatten(functional.adaptive_avg_pool2d(x, 1), 1))


def resnet(name: str, classes: int) -> Network:
    stages, bottleneck, inside, groups = RESNETS[name]
    net = Network(64, 7, classes)
    for stage, blocks in enumerate(stages):
        planes = 64 << stage
        outputs = 4 * planes if bottleneck else planes

        def block(inputs: int, stride: int) -> nn.Module:
            shortcut = None
            if stride != 1 or inputs != outputs:
                shortcut = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
            if bottleneck:
                return Bottleneck(inputs, planes * inside, outputs, stride, groups, shortcut)
            return Basic(inputs, planes, stride, shortcut)

        net.add_stage(blocks, outputs, block)
    return net.finish()


def cifar_resnet(depth: int, classes: int) -> Network:
    blocks, rest = divmod(depth - 2, 6)
    if rest or blocks < 1:
        raise ValueError(f"no such depth: {depth}; try: 6n+2, as cifar_resnet20")
    net = Network(16, 3, classes)
    for stage in range(3):
        width = 16 << stage

        def block(inputs: int, stride: int) -> nn.Module:
            shortcut = Subsample(width - inputs, stride) if inputs != width else None
            return Basic(inputs, width, stride, shortcut)

        net.add_stage(blocks, width, block)
    return net.finish()


def by_name(name: str) -> nn.Module:
    """The network and its usual number of classes: 10 for CIFAR, else 1000. Raises ValueError."""
    cifar = re.fullmatch(r"cifar_resnet(\d+)", name)
    if cifar:
        return cifar_resnet(int(cifar[1]), 10)
    if name == "efficientnet_b0":
        return EfficientNet(1000)
    if name == "ssd_resnet34":
        return ssd_resnet34(resnet("resnet34", 1000))
    if name not in RESNETS:
        raise ValueError(f"no such model: {name}; try: {' '.join(RESNETS)} efficientnet_b0 ssd_resnet34 cifar_resnet20")
    return resnet(name, 1000)
