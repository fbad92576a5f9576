"""A folder of the user's files as documents: found, decoded, cleaned, named; the files are not changed.

``paths.py`` tells a path from the name of a corpus, ``reading.py`` is the way of a file; each format has a
module. What cannot be read is named and left out. Few runs read a folder, so nothing is imported here.
"""
