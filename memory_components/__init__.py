"""What Tansaku remembers: rated searches, concepts of the domain, and how both change later searches."""
