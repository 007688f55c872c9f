#!/usr/bin/env python3
"""PyTorch's DistributedDataParallel over gloo as a peer of bench/compare_processes: one of several processes that train a
network together, each on its own generated batch. Rank 0 prints `{"seconds": [...]}`, warm-up left out."""
import argparse, json, os, time

import torch
import torch.distributed
from torch.nn import functional

import models, pytorch

WARM_UP_STEPS = 3


def main() -> None:
    o = argparse.ArgumentParser()
    o.add_argument("--model", required=True)
    o.add_argument("--batch-size", type=int, required=True, help="of one process")
    o.add_argument("--image-size", type=int, default=224)
    o.add_argument("--threads", type=int, default=1)
    o.add_argument("--steps", type=int, required=True)
    given = o.parse_args()
    torch.set_num_threads(given.threads)
    torch.set_flush_denormal(True)
    torch.distributed.init_process_group("gloo")  # by the environment
    rank = torch.distributed.get_rank()
    torch.manual_seed(rank)
    net = models.by_name(given.model).to(memory_format=torch.channels_last).train()
    together = torch.nn.parallel.DistributedDataParallel(net)
    x = torch.randn(given.batch_size, 3, given.image_size, given.image_size).to(memory_format=torch.channels_last)
    y = torch.randint(net.classes, (given.batch_size,))
    optimizer = pytorch.sgd(net.parameters())
    seconds = []
    for step in range(WARM_UP_STEPS + given.steps):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(together(x), y).backward()
        optimizer.step()
        torch.distributed.barrier()
        if step >= WARM_UP_STEPS:
            seconds.append(time.perf_counter() - begin)
    if rank == 0:
        print(json.dumps({"seconds": seconds}), file=pytorch.answers)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
