"""A LlamaIndex query engine as it is: ``--pipeline docs/recipes/llamaindex_engine.py:engine``."""

from llama_index.core import Document, MockEmbedding, VectorStoreIndex  # put your embedding model here
from llama_index.core.llms import MockLLM  # put your model here
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import CitationQueryEngine

from ragharness import load_corpus

texts = [Document(text=each.text, doc_id=each.id) for each in load_corpus("sample").documents]
index = VectorStoreIndex.from_documents(
    texts,
    transformations=[SentenceSplitter(chunk_size=128, chunk_overlap=16)],
    embed_model=MockEmbedding(embed_dim=64),
)
engine = CitationQueryEngine.from_args(
    index, llm=MockLLM(max_tokens=64), similarity_top_k=5, citation_chunk_size=512
)
