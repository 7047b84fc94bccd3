"""What `make bench` measures: one module `bench_<subject>` each, whose `measures()` are rows of one table."""
