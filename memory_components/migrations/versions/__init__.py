"""One step a file, in order."""
