"""Hard to break: checks that hold for every text, and programs that look for one that fails."""
