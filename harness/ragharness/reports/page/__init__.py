"""The page: one self-contained HTML file of one run or of several, and its pieces for notebooks."""

from ragharness.reports.page.rendering import notebook, page

__all__ = ["notebook", "page"]
