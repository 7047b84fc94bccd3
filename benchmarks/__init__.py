"""What `make bench` measures: one module `bench_<subject>` each, whose `figures()` are rows of one table."""
