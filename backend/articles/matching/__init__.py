"""The heart: packs compiled into one automaton, texts matched against it, corrections settled."""
