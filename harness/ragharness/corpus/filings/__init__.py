"""SEC filings: Inline XBRL pages to readable text.

tree       bytes to elements, mended where they are malformed
layout     elements to paragraphs and rows of tables: collapsed text, and the places of elements in it
cover      what the page tags of itself: company, form, period
reading    all of it together: one filing, without page numbers and running heads
"""
