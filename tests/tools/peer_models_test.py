#!/usr/bin/env python3
"""The networks PyTorch is measured with are the published ones, and its server answers. Needs torch in this Python or in
Debian's; without it, leaves with 77 and says so (ctest: Skipped)."""
import json, os, pathlib, subprocess, sys

PEERS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"
sys.dont_write_bytecode = True
try:
    import torch
except ImportError:
    debian = "/usr/bin/python3"
    if os.path.exists(debian) and os.environ.get("CONVOY_TRIED") is None:
        os.execve(debian, [debian, __file__], os.environ | {"CONVOY_TRIED": "1"})
    print("SKIPPED: no torch: the networks of bench/peers/models.py were not checked; try: bench/compare --install")
    sys.exit(77)
sys.path.insert(0, str(PEERS))
import models

PARAMETERS = {
    "resnet18": 11689512, "resnet34": 21797672, "resnet50": 25557032, "resnet101": 44549160, "resnet152": 60192808,
    "wide_resnet50_2": 68883240, "wide_resnet101_2": 126886696, "cifar_resnet20": 269722, "cifar_resnet56": 853018,
    "resnext50_32x4d": 25028904, "resnext101_32x4d": 44177704, "resnext101_32x8d": 88791336,
    "efficientnet_b0": 5288548,
}
for method in ("kaiming_normal_", "kaiming_uniform_", "uniform_"):  # values do not matter here, and take seconds
    setattr(torch.nn.init, method, lambda tensor, *_, **__: tensor)
for name, wanted in PARAMETERS.items():
    found = sum(p.numel() for p in models.by_name(name).parameters())
    assert found == wanted, (name, found, wanted)

shapes = {k: tuple(v.shape) for k, v in models.by_name("resnet50").state_dict().items()}
assert len(shapes) == 320, len(shapes)
assert shapes["layer4.0.downsample.0.weight"] == (2048, 1024, 1, 1)
assert shapes["layer1.0.downsample.1.running_var"] == (256,) and shapes["layer3.5.bn3.weight"] == (1024,)
stride = models.by_name("resnet50").layer2[0]
assert (stride.conv1.stride, stride.conv2.stride) == ((1, 1), (2, 2)), "v1.5: the stride in the 3x3"
assert models.by_name("resnext101_32x4d").layer1[0].conv2.weight.shape == (128, 4, 3, 3)
drops = [block.stochastic_depth.p for stage in models.by_name("efficientnet_b0").features[1:8] for block in stage]
assert drops == [0.2 * block / 16 for block in range(16)], drops


def by_torchvision(name: str) -> bool:
    """Same names, and the same logits of random weights and statistics."""
    try:
        import torchvision
    except ImportError:
        return False
    ours = models.by_name(name).double().eval()
    if name == "resnext101_32x4d":  # its weights have no such, its class can
        from torchvision.models.resnet import Bottleneck, ResNet
        theirs = ResNet(Bottleneck, [3, 4, 23, 3], groups=32, width_per_group=4)
    else:
        theirs = getattr(torchvision.models, name)()
    state = theirs.state_dict()
    for key, value in state.items():
        if value.ndim > 1:
            state[key] = torch.randn(value.shape).double() * (2 / value[0].numel()) ** 0.5
        elif value.ndim == 1:
            state[key] = (key.endswith(("weight", "var")) + torch.randn(value.shape).double() / 8).abs()
    ours.load_state_dict(state)
    theirs = theirs.double().eval()
    theirs.load_state_dict(state)
    x = torch.randn(2, 3, 65, 65).double()
    with torch.no_grad():
        found, wanted = ours(x), theirs(x)
    assert wanted.std() > 0 and (found - wanted).norm() <= 1e-9 * wanted.norm(), name
    return True


torch.manual_seed(0)
compared = [name for name in ("resnet18", "resnext101_32x4d", "efficientnet_b0") if by_torchvision(name)]
for wrong in ("resnet51", "resnext50", "efficientnet_b8", "cifar_resnet21", "cifar_resnet2", ""):
    try:
        models.by_name(wrong)
    except ValueError as why:
        assert "try:" in str(why)
    else:
        raise AssertionError(wrong)

options = ["--model", "cifar_resnet8", "--batch-size", "2", "--image-size", "32"]
for more in ([], ["--channels-last"]):
    run = subprocess.run([sys.executable, PEERS / "pytorch.py", *options, *more], input="step 2\nstep 1\n",
                         capture_output=True, text=True, check=True)
    ready, two, one = map(json.loads, run.stdout.splitlines())
    assert ready["threads"] == len(os.sched_getaffinity(0)), ready
    assert len(two["seconds"]) == 2 and len(one["seconds"]) == 1 and min(two["seconds"]) > 0
    # Not in order: the kernel keeps the peak in counters that it sums up now and then.
    assert min(one["peak_rss_bytes"], two["peak_rss_bytes"]) > 1 << 20
print(f"{len(PARAMETERS)} networks and the server, torch {torch.__version__}; compared with torchvision's: "
      f"{' '.join(compared) or 'none, as it is not installed'}")
