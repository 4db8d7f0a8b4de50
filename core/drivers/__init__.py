"""Drivers own the time loop: they let rules break and bodies move."""
