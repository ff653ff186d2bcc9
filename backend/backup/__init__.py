"""One archive of all that cannot be made again, and the way back from it.

It holds the tables of the application as one snapshot, in a form that is the same for both databases,
and the files that a user has put into the data folder. It does not hold what is made again by itself: the
full-text indexes, and the state of the job engine. A job is accepted when its row is stored, so that one
snapshot of the tables holds every accepted job exactly once; what the engine knows beside (which steps of
unfinished jobs are done) is left out on purpose, since a copy of it, taken a moment earlier or later,
could contradict the rows. After a restore the unfinished jobs begin anew.
"""
