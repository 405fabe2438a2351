"""The one door to storage: immutable results, plans, leases and journals; the same code on a folder and on S3.

names.py      what every file is called; nothing from data ever becomes a name
backend.py    the few operations a storage medium must offer
folder.py     a folder on disk
opening.py    URI -> probed backend
results.py    one immutable Parquet file per (stage, shard), with overlays
plans.py      immutable plans and the names bound to them
lease.py      one driver at a time
journal.py    what the driver saw, in chunks
"""
