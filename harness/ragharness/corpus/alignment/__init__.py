"""Locates passages of the user's pipeline or retriever in the corpus: by id, by offsets, by text.

Whoever splits the corpus in another way (a pipeline with its own index, a retriever of the user's) brings
passages with names and boundaries of their own. Placed, they are judged like ours: evidence is a place.
"""
