"""Has a language model write texts of topics, checks them against stored facts, stores and labels them."""
