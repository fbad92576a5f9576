"""Files of a corpus from a local folder or archive, the cache, or the network.

Whatever the way, a file is used only when its bytes are those that the manifest pins. The one package
that speaks to the network for data; ``transfer``, ``sec``, ``hub`` and ``remote`` are its modules that do.
"""
