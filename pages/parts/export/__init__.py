"""What a page shows, to take away: a row at its end, the same on every page.

Nothing is made until a button is pressed. `row` draws the row; the others say what is in it, each
for a page: `heads`, `module`, `layout`, `parameters`, `models`, `training`, and of the pitfalls
`pitfall`, `mask` and `anatomy`.
"""

from pages.parts.export.row import Takeaway, offer

__all__ = ["Takeaway", "offer"]
