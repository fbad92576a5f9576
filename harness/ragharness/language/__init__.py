"""Plain English text: words, sentences, numbers, units, dates, polarity, citation marks."""
