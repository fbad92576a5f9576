"""SEC filings, Inline XBRL pages, as readable text: bytes to elements, to blocks of text, to one filing."""
