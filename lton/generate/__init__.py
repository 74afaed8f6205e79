"""Models that write calls: in a form under its grammar, or values alone, guided by the schema."""

from lton.generate._direct import direct
from lton.generate._guided import Answer, guided, stream
from lton.generate.chat import Shot
from lton.generate.engine import Engine
from lton.generate.llama import LlamaEngine, load
from lton.generate.outlines import OutlinesEngine
from lton.generate.scaffolds import SCAFFOLDS, Scaffold
from lton.generate.server import ServerEngine
from lton.generate.session import Spent

__all__ = [
    "SCAFFOLDS",
    "Answer",
    "Engine",
    "LlamaEngine",
    "OutlinesEngine",
    "Scaffold",
    "ServerEngine",
    "Shot",
    "Spent",
    "direct",
    "guided",
    "load",
    "stream",
]
