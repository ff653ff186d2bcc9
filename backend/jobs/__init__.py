"""Work done elsewhere than in a request: schedules, and the jobs that callers submit."""
