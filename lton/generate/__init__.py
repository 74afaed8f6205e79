"""Models that write calls: in a form under its grammar, or values alone, guided by the schema."""

from lton.generate._direct import direct
from lton.generate._guided import GuidedOptions, guided, stream
from lton.generate.chat import Shot
from lton.generate.scaffolds import SCAFFOLDS, Scaffold

__all__ = ["SCAFFOLDS", "GuidedOptions", "Scaffold", "Shot", "direct", "guided", "stream"]
