"""Obtains the files of a corpus from a local folder or archive, the cache, or the network.

Whatever the way, a file is used only when its bytes are those that the manifest pins. The one package
that speaks to the network for data; ``transfer``, ``sec`` and ``remote`` are its modules that do.

    pinned     what is wanted, and what a file's content must be
    storage    the cache folder: space, locks, whole files or none, errors in words
    transfer   one URL into one file, resumable
    sec        filings from the SEC, by its rules
    remote     folders behind URLs of fsspec, copied whole
    archives   the wanted files out of a zip that is not trusted
    obtaining  the way through all of them
"""
