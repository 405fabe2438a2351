"""The report of a run: tables, charts and one page, from committed rows.

data.py        what goes in: score rows, ceilings, facts, circumstances
cases.py       rows -> grids of cases by methods
statistics.py  cluster bootstrap;  effects.py  Cohen's d, wins;  shares.py  intervals of win shares
summary.py     everything that is said, as typed rows (rows.py)
verdict.py     what may be concluded;  prompt_length.py  whether longer prompts score higher
write.py       summary.json, report.md, tables/, index.html, run.json
"""
