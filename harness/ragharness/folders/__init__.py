"""A folder of the user's own files as documents: found, decoded, cleaned, named; nothing of it is changed.

``reading.py`` is the way of a file; each format has a module. What cannot be read is named and left out.
"""

from ragharness.folders.reading import Contents, folder_name, folder_path, is_folder, read_folder, state_of

__all__ = ["Contents", "folder_name", "folder_path", "is_folder", "read_folder", "state_of"]
