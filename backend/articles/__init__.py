"""Articles: entity names found, naming rules checked, and corrections that touch nothing else."""
