"""PIPBench: so far the files of its release, read and written (PIPBENCH, files compatible with the release).

pair_files  pairs of images to compare, and people of the data's samples
making      pairs from outputs: all, or a balanced share; a seeded swap, or both orders
verdicts    a judge's rows, and their verdicts as battles
results     elo_scores.json and win_rates.json
"""
