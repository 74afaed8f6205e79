"""Share the scripted upstream of the tests with real agents."""

from collections.abc import Iterator

import pytest

from tests.extra.agents.upstream import Scripted
from tests.gateway.conftest import Served


@pytest.fixture
def upstream() -> Iterator[tuple[Scripted, str]]:
    """Serve a scripted upstream on a port of its own."""
    scripted = Scripted()
    served = Served(scripted.app)
    yield scripted, served.url
    served.close()
