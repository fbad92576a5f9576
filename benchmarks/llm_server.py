"""Serve a GGUF model on loopback with llama.cpp's server, which speaks OpenAI's API, from xllamacpp.

    pip install xllamacpp
    python benchmarks/llm_server.py MODEL.gguf [--context 4096] [--slots 1] [--threads 2] [--no-repack]

The first line printed is the base URL. It is the same as ``llama-server -m MODEL.gguf -c 4096 -np 1 -t 2``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import time


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("model")
    arguments.add_argument("--context", type=int, default=4096, help="tokens, shared among the slots")
    arguments.add_argument("--slots", type=int, default=1, help="requests at the same time")
    arguments.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("--no-repack", action="store_true", help="weights as in the file: often faster")
    arguments.add_argument("--port", type=int, default=0, help="0: any that is free")
    options = arguments.parse_args()

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.model
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.n_ctx = options.context
    params.n_parallel = options.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.n_gpu_layers = 0
    params.no_extra_bufts = options.no_repack
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    # Whoever started this process and is gone needs no server any more.
    parent = os.getppid()
    with contextlib.suppress(KeyboardInterrupt):
        while os.getppid() == parent:
            time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    main()
