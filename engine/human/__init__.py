"""What people said of outputs: ratings from 0 to 5, choices of two, the best of several (VPTT, judging and agreement).

records     the three kinds of row, checked
reading     files of them: CSV, Parquet, JSON lines
writing     the same, written
checks      incomplete blocks, straight-lining, too few rows
columns     rows as arrays, for `engine.agreement` and `engine.ratings`
blinding    blank sheets for annotators, without method names, and their key
sheets      sheets written, and read back with the key
"""
