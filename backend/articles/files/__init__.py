"""Files and archives of articles, scanned and corrected from the command line."""
