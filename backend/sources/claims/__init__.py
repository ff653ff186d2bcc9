"""What a statement says that can be checked: its claims, and the slots of each."""
