"""The parts of the grader ``judge``: prompts and fences, replies, votes."""
