"""The tests on machines that are not like the developer's: `make environments`."""
