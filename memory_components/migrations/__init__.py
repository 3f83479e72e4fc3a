"""The steps that bring a memory's tables to the present form."""
