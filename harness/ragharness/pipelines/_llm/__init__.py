"""The parts of ``--pipeline llm``: prompts, service APIs, prices, the answer cache."""
