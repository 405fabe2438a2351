"""Who agrees with whom: metrics, judges and people, each figure with an interval over people (METRICS, agreement and effect).

It stands beside `engine/ratings/`, not in it: what is compared here are scores and verdicts, whoever rated the entrants.

figure        what one figure is: value, interval, counts
ranks         midranks and Spearman's rank correlation
orders        Kendall's tau between orders of methods from two studies
levels        Spearman by case, within cases, and by system
concordance   Kendall's W a case
alpha         Krippendorff's alpha, for incomplete blocks
kappa         Cohen's kappa of two judges
top_two       three definitions of Top-2
preferences   what judges said of the same pairs
accuracy      a judge against the majority of humans
equivalence   the Turing test: fool rate, sensitivity, equivalence
calibration   a judge's scores on the humans' scale
Cohen's d     `engine.statistics.effect_sizes`
"""
