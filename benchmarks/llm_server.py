"""Serve a GGUF model on loopback with llama.cpp's server, which speaks OpenAI's API, from xllamacpp.

    pip install xllamacpp
    python benchmarks/llm_server.py MODEL.gguf [--context 4096] [--slots 1] [--threads 2] [--no-repack]

The first line printed is the base URL. It is the same as ``llama-server -m MODEL.gguf -c 4096 -np 1 -t 2``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("model", type=Path)
    parser.add_argument("--context", type=int, default=4096, help="tokens, shared among the slots")
    parser.add_argument("--slots", type=int, default=1, help="requests at the same time")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--no-repack",
        action="store_true",
        help="leave the weights as they lie in the file: faster on some machines",
    )
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    chosen = parser.parse_args()

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(chosen.model)
    params.hostnames = ["127.0.0.1"]
    params.port = chosen.port
    params.n_ctx = chosen.context
    params.n_parallel = chosen.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = chosen.threads
    params.n_gpu_layers = 0
    params.no_extra_bufts = chosen.no_repack
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    # Whoever started this process and is gone needs no server any more.
    parent = os.getppid()
    with contextlib.suppress(KeyboardInterrupt):
        while os.getppid() == parent:
            time.sleep(0.5)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
