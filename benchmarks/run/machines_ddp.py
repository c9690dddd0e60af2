#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times the steps of machines.cpp with PyTorch: DistributedDataParallel on Gloo, one thread each, the same networks, batches and
data. A line of JSON for each, from rank 0; machines.py --tables takes its file beside its own.

    machines_ddp.py [--ranks 1 2] [--networks small large lenet] [--rounds 3] [--output FILE]
"""
import argparse
import gzip
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

NETWORKS = ("small", "large", "lenet")


def digits(records=9000):
    import numpy
    import torch
    folder = pathlib.Path(__file__).resolve().parents[2] / "data/mnist"
    read = lambda name, skip: numpy.frombuffer(gzip.decompress((folder / name).read_bytes())[skip:], dtype=numpy.uint8)
    images = read("t10k-images-idx3-ubyte.gz", 16).reshape(-1, 784)[:records].astype(numpy.float32) / 255
    labels = read("t10k-labels-idx1-ubyte.gz", 8)[:records].astype(numpy.int64)
    return torch.from_numpy(images), torch.from_numpy(labels)


def made(name):
    from torch import nn
    if name == "lenet":
        return nn.Sequential(nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                             nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(),
                             nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    if name == "small":
        return nn.Sequential(nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
    return nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))


def train(network, rank, ranks, batch, port, seconds=2):
    import torch
    import torch.distributed as distributed
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=ranks)
    images, labels = digits()
    torch.manual_seed(1)
    model = made(network)
    if ranks > 1:
        model = torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, foreach=True)
    loss_of = torch.nn.CrossEntropyLoss()
    took, order = [], torch.Generator().manual_seed(1)
    for epoch in range(100):
        places = torch.randperm(len(images), generator=order)
        for begin in range(0, len(images) - batch + 1, batch):
            start = time.perf_counter()
            own = places[begin + batch * rank // ranks:begin + batch * (rank + 1) // ranks]
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(model(images[own]), labels[own])
            loss.backward()
            optimizer.step()
            loss.item()
            took.append(time.perf_counter() - start)
        over = torch.tensor([float(sum(took) > seconds and len(took) > 70)])
        distributed.broadcast(over, 0)
        if over.item():
            break
    if rank == 0:
        took = sorted(took[5:])
        print(json.dumps({"what": "step", "network": network, "how": "PyTorch", "ranks": ranks, "threads": 1, "batch": batch,
                          "median": took[len(took) // 2], "least": took[0]}))
    distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=120)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--rank", nargs=4, help=argparse.SUPPRESS)  # of a process that this one starts
    options = parser.parse_args()
    if options.rank:
        network, rank, ranks, port = options.rank
        return train(network, int(rank), int(ranks), options.batch, int(port))
    import machines
    results = json.loads(options.output.read_text()) if options.output and options.output.exists() else []
    for _ in range(options.rounds):
        for network in options.networks:
            for ranks in options.ranks:
                machines.wait_for_quiet()
                with socket.socket() as free:
                    free.bind(("127.0.0.1", 0))
                    port = free.getsockname()[1]
                words = [sys.executable, __file__, "--batch", str(options.batch), "--rank", network]
                processes = [subprocess.Popen([*words, str(r), str(ranks), str(port)], text=True, stdout=subprocess.PIPE,
                                              env={**os.environ, "OMP_NUM_THREADS": "1"}) for r in range(ranks)]
                text = "".join(p.communicate()[0] for p in processes)
                results += [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    results = list(machines.least(results))
    if options.output:
        options.output.write_text("[\n" + ",\n".join(json.dumps(x) for x in results) + "\n]\n")
    for x in results:
        print(f"{x['network']:6} {x['ranks']} processes: {1e3 * x['least']:.3f} ms a step (median {1e3 * x['median']:.3f})")


if __name__ == "__main__":
    main()
