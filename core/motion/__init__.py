"""Rigid-body motion of the fragments."""
