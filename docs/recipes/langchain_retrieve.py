"""A LangChain model and the harness's retriever: ``--pipeline docs/recipes/langchain_retrieve.py:answer``."""

from langchain_core.language_models import FakeListChatModel  # put your chat model here
from langchain_core.prompts import ChatPromptTemplate

model = FakeListChatModel(responses=["The documents do not say. The nearest passage is [1]."])
prompt = ChatPromptTemplate.from_messages(
    [("system", "Answer from these passages alone, citing their ids:\n{context}"), ("human", "{input}")]
)


async def answer(question, retrieve):
    """Return the chat message: its text, and its tokens where the model tells them."""
    context = "\n\n".join(f"[{each.id}] {each.text}" for each in retrieve(question, 5))
    return await (prompt | model).ainvoke({"input": question, "context": context})
