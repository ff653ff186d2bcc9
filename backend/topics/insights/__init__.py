"""What a topic means: who confirms it, where figures differ, what the market did, what came before."""
