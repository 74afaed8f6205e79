"""The demo runs, and counts what does not hold."""

import pytest

from lton import demo
from lton.demo import CALLS
from lton.errors import Code, MissingExtraError


def test_without_its_extra_the_demo_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is named before anything is shown."""
    monkeypatch.setattr(demo, "PACKAGES", ("no_such_package",))
    with pytest.raises(MissingExtraError) as caught:
        demo.run()
    assert caught.value.code == Code.EXTRA
    assert "lton[demo]" in str(caught.value)


def test_the_json_array_has_every_value_at_its_place() -> None:
    """The strongest JSON is by position, in nested objects too, with null for a gap."""
    tools = demo.demo_tools()
    arrays = [demo.json_array(call, tools) for call in CALLS]
    assert arrays[0] == ["weather.v1", "San Leandro", 7, "C"]
    assert arrays[1][5:] == [None, ["type-bug", "3.13 blocker"]]
    assert arrays[3][4:] == [["Blue Hall", "Denver"], ["ada@example.org"]]


@pytest.mark.model
def test_every_claim_on_the_screen_holds(capfd: pytest.CaptureFixture[str]) -> None:
    """The whole path runs, and nothing that it shows is wrong."""
    assert demo.run() == 0
    shown = capfd.readouterr().out
    assert "✗" not in shown
    assert "26 of 26 checks held." in shown
