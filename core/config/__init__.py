"""What an artist chooses, declared once: defaults, limits, units and tooltips.

- `params`, `registry`: how a number is declared, and how methods are found by id
- `material`, `surface`, `repair`, `breakable`: matter, broken faces, permitted repairs, breaking on contact
- `look`: how a preset's material looks

Numbers alone: nothing here imports what uses them. `core.settings` puts them together with the choice of methods.
"""
