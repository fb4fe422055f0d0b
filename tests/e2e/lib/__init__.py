"""What the end-to-end tests, the demonstration and the benchmarks share. Python's standard library and psql only."""
