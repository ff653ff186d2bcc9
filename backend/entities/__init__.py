"""The catalogue of names: who and what articles and statements speak of."""
