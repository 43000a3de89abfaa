"""Files are read in a process of their own: one that crashes, hangs or fills the memory costs one file, never the app."""

from ingest.sandbox.process import Sandbox

__all__ = ["Sandbox"]
