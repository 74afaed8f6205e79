"""What is known of the APIs of models, each in one place; nothing here knows the gateway.

- `members` reads members of what a server sent.
- `names` lists the APIs, and the path of each.
- `media` reads and writes images, documents and sounds of each.
- `translation` makes a message of one API one of another.

Nothing here does input or output.
"""
