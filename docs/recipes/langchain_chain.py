"""A LangChain retrieval chain as it is: ``--pipeline docs/recipes/langchain_chain.py:chain``."""

from langchain_classic.chains import create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding  # put your embedding model here
from langchain_core.language_models import FakeListChatModel  # put your chat model here
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from ragharness import load_corpus

texts = [
    Document(page_content=each.text, metadata={"source": each.id}) for each in load_corpus("sample").documents
]
splitter = RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=50, add_start_index=True)
index = InMemoryVectorStore.from_documents(
    splitter.split_documents(texts), DeterministicFakeEmbedding(size=64)
)

model = FakeListChatModel(responses=["The documents do not say. The nearest passage is [1]."])
prompt = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "Answer from these documents alone and cite them as [1], [2] in this order:\n{context}",
        ),
        ("human", "{input}"),
    ]
)
chain = create_retrieval_chain(
    index.as_retriever(search_kwargs={"k": 5}), create_stuff_documents_chain(model, prompt)
)
