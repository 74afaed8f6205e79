"""The APIs of clients: requests as one record, answers of each API, events, errors."""
