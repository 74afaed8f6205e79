"""Benchmarks of conversations: bills, pictures of them, and other libraries."""
