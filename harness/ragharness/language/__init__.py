"""Reading plain text: sentences, tokens, citations, numbers, dates, polarity, declines."""
