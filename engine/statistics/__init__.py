"""What figures can be said to mean: intervals, comparisons and agreement, as pure functions of arrays.

estimates          what an estimate is, and intervals from resamples
cluster_bootstrap  one-way resamples of people
two_way            resamples of people and query families at once
simultaneous       all pairs of methods at once, and Holm's p values
multiple_testing   Holm, Benjamini and Hochberg
effect_sizes       Cohen's d, and wins
shares             shares of cases won
missing_bounds     what missing units could change
length_matching    methods compared at equal prompt length
order_agreement    Kendall's tau-b between two orders of methods
confidence_sequence  intervals that may be looked at at any time
"""
