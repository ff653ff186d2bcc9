"""Finds runs of katakana, which are the words of Japanese that are written without spaces."""

import re

KATAKANA_RUN = re.compile("[\u30a1-\u30fa\u30fc]+")
"""Katakana and length marks, without middle dots."""
DOTTED_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]+(?:[・＝][\u30a1-\u30fa\u30fc]+)+")
"""Runs of katakana that middle dots join, as in a person's name."""
