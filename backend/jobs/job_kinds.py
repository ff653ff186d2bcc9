"""Names the kinds of jobs.

A new kind gets its name here, a :class:`backend.jobs.runner.JobType` in the ``tasks.py`` of its domain, a
place in the list of :mod:`backend.worker`, and routes like those of :mod:`backend.extraction.router`.
"""

from typing import Literal

JobKind = Literal["sources", "extraction"]
