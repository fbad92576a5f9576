"""Questions about a user's documents, written by a language model and accepted only if verified.

One call writes a question about a passage, a second must not be able to answer it without any passage, a
third must find no answer in the passages that are most like it. Services, prices, keys and the cache of
answers are those of the pipeline ``llm``.
"""
