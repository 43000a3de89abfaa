"""The parts of the page, each drawn from JSON shapes or from the services, one part a file."""
