"""SSD-ResNet34 as a PyTorch module, with matching and loss, for PyTorch 1.13 and later.

SSD300 on the first three stages of ResNet-34, the third at stride 1; 8,732 default boxes. Matching and loss are part of
a step, as they are in Convoy's: they are written over whole batches of tensors, without loops over images but for the
matching, where images have different numbers of objects."""
import math

import torch
from torch import nn
from torch.nn import functional

CLASSES = 81  # with the background
# Of each map: cells per side, distance of two centres, size, next size (pixels of 300), ratios beside 1.
MAPS = [(38, 8, 21, 45, (2,)), (19, 16, 45, 99, (2, 3)), (10, 32, 99, 153, (2, 3)), (5, 64, 153, 207, (2, 3)),
        (3, 100, 207, 261, (2,)), (1, 300, 261, 315, (2,))]
IMAGE = 300


def default_boxes() -> torch.Tensor:
    """[8732, 4]: centre y, x, height, width as fractions; map, shape, row, column."""
    rows = []
    for cells, step, size, following, ratios in MAPS:
        shapes = [(size, size), (math.sqrt(size * following),) * 2]
        for ratio in ratios:
            longer, shorter = size * math.sqrt(ratio), size / math.sqrt(ratio)
            shapes += [(shorter, longer), (longer, shorter)]
        for height, width in shapes:
            for cell in range(cells * cells):
                y, x = (cell // cells + 0.5) * step / IMAGE, (cell % cells + 0.5) * step / IMAGE
                rows.append([y, x, height / IMAGE, width / IMAGE])
    return torch.tensor(rows).clamp_(0, 1)


class Extra(nn.Sequential):
    """One of the blocks behind the trunk: it halves the map."""

    def __init__(self, inputs: int, inner: int, outputs: int, stride: int):
        super().__init__(nn.Conv2d(inputs, inner, 1), nn.ReLU(inplace=True),
                         nn.Conv2d(inner, outputs, 3, stride, padding=1 if stride == 2 else 0), nn.ReLU(inplace=True))


class Ssd(nn.Module):
    """Trains on images [n, 3, 300, 300] and, for each image, the objects' corners [k, 4] and classes [k]."""
    classes = CLASSES

    def __init__(self, trunk: nn.Module):
        super().__init__()
        self.trunk = trunk
        widths = (256, 512, 512, 256, 256, 256)
        inner = (256, 256, 128, 128, 128)
        self.extras = nn.ModuleList(Extra(widths[i], inner[i], widths[i + 1], 2 if i < 3 else 1) for i in range(5))
        shapes = [2 + 2 * len(ratios) for *_, ratios in MAPS]
        self.class_heads = nn.ModuleList(nn.Conv2d(w, s * CLASSES, 3, padding=1) for w, s in zip(widths, shapes))
        self.box_heads = nn.ModuleList(nn.Conv2d(w, s * 4, 3, padding=1) for w, s in zip(widths, shapes))
        self.register_buffer("boxes", default_boxes())
        half = self.boxes[:, 2:] / 2
        self.register_buffer("corners", torch.cat([self.boxes[:, :2] - half, self.boxes[:, :2] + half], 1))

    def forward(self, x):
        maps = [self.trunk(x)]
        for extra in self.extras:
            maps.append(extra(maps[-1]))

        def joined(heads, size):
            rows = [head(m).unflatten(1, (-1, size)).permute(0, 1, 3, 4, 2).flatten(1, 3) for head, m in zip(heads, maps)]
            return torch.cat(rows, 1)

        return joined(self.class_heads, CLASSES), joined(self.box_heads, 4)

    def match(self, corners, classes):
        """Class [8732] and code [8732, 4] of the default boxes of an image."""
        low = torch.maximum(corners[:, None, :2], self.corners[None, :, :2])
        high = torch.minimum(corners[:, None, 2:], self.corners[None, :, 2:])
        common = (high - low).clamp_(min=0).prod(2)
        area = lambda b: (b[:, 2:] - b[:, :2]).prod(1)
        overlap = common / (area(corners)[:, None] + area(self.corners)[None] - common)
        best, which = overlap.max(0)
        chosen = overlap.argmax(1)
        which[chosen] = torch.arange(len(corners))
        best[chosen] = 1
        found = best >= 0.5
        size = (corners[:, 2:] - corners[:, :2])[which]
        centre = (corners[:, :2] + corners[:, 2:])[which] / 2
        code = torch.cat([(centre - self.boxes[:, :2]) / self.boxes[:, 2:] * 10, (size / self.boxes[:, 2:]).log() * 5], 1)
        return torch.where(found, classes[which], 0), torch.where(found[:, None], code, 0.0)

    def targets(self, objects):
        matched = [self.match(*each) for each in objects]
        return torch.stack([m[0] for m in matched]), torch.stack([m[1] for m in matched])

    @staticmethod
    def loss(logits, codes, target_classes, target_codes):
        logits, codes = logits.float(), codes.float()
        positive = target_classes > 0
        count = positive.sum(1)
        box = functional.smooth_l1_loss(codes, target_codes, reduction="none").sum(2)
        entropy = functional.cross_entropy(logits.flatten(0, 1), target_classes.flatten(), reduction="none").view_as(box)
        with torch.no_grad():
            wanted = (3 * count).clamp_(max=box.shape[1])
            hardest = entropy.masked_fill(positive, 0).topk(int(wanted.max()), dim=1).indices
            taken = (torch.arange(hardest.shape[1]) < wanted[:, None]).float()
            weight = positive.float().scatter_add_(1, hardest, taken)
        return (((box * positive).sum(1) + (entropy * weight).sum(1)) / count).mean()


def some_objects(images: int) -> list:
    """Seven objects in each image, as COCO has them on average."""
    made = []
    for _ in range(images):
        size = torch.rand(7, 2) * 0.5 + 0.05
        low = torch.rand(7, 2) * (1 - size)
        made.append((torch.cat([low, low + size], 1), torch.randint(1, CLASSES, (7,))))
    return made


def ssd_resnet34(resnet34: nn.Module) -> Ssd:
    """From a ResNet-34: without its last stage and its head, and without the stride of stage 3."""
    first = resnet34.layer3[0]
    first.conv1.stride = first.downsample[0].stride = (1, 1)
    return Ssd(nn.Sequential(resnet34.conv1, resnet34.bn1, resnet34.relu, resnet34.maxpool, resnet34.layer1,
                             resnet34.layer2, resnet34.layer3))
