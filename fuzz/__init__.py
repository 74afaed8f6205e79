"""Search for texts that break the library: checks that hold for every text, and programs that run
the checks.
"""
