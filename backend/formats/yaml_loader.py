"""Exports PyYAML's safe loader and dumper: those of libyaml if available, which are ten times faster."""

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from yaml import CSafeDumper as SafeDumper
    from yaml import CSafeLoader as SafeLoader
else:
    SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

__all__ = ["SafeDumper", "SafeLoader"]
