"""Bent space: rough broken faces and patterns on sheets, by cutting a bent body with flat partitions."""
