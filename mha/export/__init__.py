"""What a page shows, as files that stand alone: a script, the same as a notebook, arrays, a table.

`script` has a script in cells and its notebook, `source` the app's own functions as a script can
hold them, `literals` and `words` a visitor's words as data; `heads`, `training`, `fused`, `layout`,
`parameters`, `models`, `pitfall`, `mask` and `anatomy` make a page's script each, `asked` what more
a run's script is asked, and `files` arrays and tables.
"""

from mha.export.script import Cell, Script

__all__ = ["Cell", "Script"]
