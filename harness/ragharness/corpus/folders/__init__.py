"""Documents of a folder of the user's files, whatever their formats; imported only where a folder is read."""
