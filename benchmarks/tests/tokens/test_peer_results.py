"""Test the table of five results in the formats of peers."""

from lton.results import read
from lton_bench.tokens.peer_results import (
    SETS,
    Counted,
    Peer,
    encoded,
    lead_of_peers,
    rows,
    written_by,
)


def test_the_results_are_always_the_same() -> None:
    """Each result has the size in its name, and is made anew with equal values."""
    for name, make in SETS.items():
        assert str(len(make())) in name
        assert make() == make()


def test_the_encoder_is_read_back() -> None:
    """The reader of results reads what the encoder writes."""
    for make in SETS.values():
        value = make()
        assert read(encoded(value)) == value


def test_a_peer_that_fails_to_read_is_named() -> None:
    """A value that a package reads differently, or not at all, is not read back."""
    assert written_by(Peer(str, int), 1) == ("1", True)
    assert written_by(Peer(str, len), 12) == ("12", False)
    assert written_by(Peer(repr, int), "x") == ("'x'", False)


def test_losses_come_first() -> None:
    """A shorter peer puts a result first, unless the peer does not read it back."""
    own = {"`any`": 100, "`small`": 100, "`large`": 60, "encoder": 60}
    ahead = Counted("ahead", 100, own | {"SOON": 90}, [])
    behind = Counted("behind", 100, own | {"SOON": 50}, [])
    broken = Counted("broken", 100, own | {"SOON": 70, "TWIG": 10}, ["TWIG"])
    assert round(lead_of_peers(broken), 2) == -0.1
    assert [row[0] for row in rows([ahead, broken, behind])] == ["behind", "broken", "ahead"]
    assert next(rows([behind]))[-2:] == ["**0.500**", "-"]
    assert next(rows([broken]))[-3:] == ["0.700", "0.100", "TWIG"]
