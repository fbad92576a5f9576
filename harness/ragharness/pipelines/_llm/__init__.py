"""What ``--pipeline llm`` is made of: prompts, the APIs of services, prices, answers kept between runs."""
