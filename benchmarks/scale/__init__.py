"""What an index of a million chunks and more takes: sizes, rates and search times."""
