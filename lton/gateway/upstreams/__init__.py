"""Where answers come from: what each kind of server needs, and how it is asked."""
