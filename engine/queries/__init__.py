"""Queries: the built-in pool of the four tasks, query files, and each person's draw. Source: VPTT, Queries."""

from engine.queries.builtin import TASKS, Scene, builtin_queries, builtin_scenes
from engine.queries.drawing import DRAW_RULE, draw
from engine.queries.reading import read_queries

__all__ = ["DRAW_RULE", "TASKS", "Scene", "builtin_queries", "builtin_scenes", "draw", "read_queries"]
