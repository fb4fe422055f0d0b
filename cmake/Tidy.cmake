# The house rules that a machine can check, as tests (scripts/tidy).
