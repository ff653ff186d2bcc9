"""Topics that are written from market figures and from the archive, by templates, in three languages."""
