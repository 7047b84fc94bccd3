"""What `make bench` measures: one module `bench_<subject>` each, whose `main()` prints its tables."""
