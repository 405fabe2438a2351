"""Synthetic people from a seeded grammar over the project's own lexicon."""

from engine.profiles.grammar.builder import GRAMMAR_VERSION, build_profile, build_profiles, grammar_id, skeletons

__all__ = ["GRAMMAR_VERSION", "build_profile", "build_profiles", "grammar_id", "skeletons"]
