"""What a process takes, as Linux counts it: memory and processor time."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Resident memory in MB (10⁶ bytes)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"A process must have memory; got none for pid={pid}.")


def cpu_seconds(pid: int) -> float:
    """Processor time so far, in all its threads, in seconds."""
    # The name may hold spaces and brackets; what follows its last bracket is fields 3, 4, …
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
