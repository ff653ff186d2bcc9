"""Backs up the application's data to one archive and restores it.

An archive contains a snapshot of the application's tables, in one form for both databases, and the user's
files in the data folder. It does not contain data that the service rebuilds: the full-text indexes and the
state of the job engine. A job is accepted when its row is stored, so a snapshot of the tables contains every
accepted job exactly once. The engine's state (completed steps of unfinished jobs) is excluded, because a
copy of an earlier or later moment could contradict the rows. After a restore, unfinished jobs start again.
"""
