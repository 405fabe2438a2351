"""Persona sheets (a few first-person sentences) turned into people by the four steps of VPTT-Bench: d, E, scenarios, captions."""
