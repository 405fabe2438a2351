"""The one door to storage: immutable results, plans, leases and journals; the same code on a folder and on S3.

names.py      what every file is called; nothing from data ever becomes a name
backend.py    the few operations a storage medium must offer
folder.py     a folder on disk
s3.py         a bucket on S3
s3_address.py its URI: where it is, never who may use it
s3_client.py  one client a process, requests counted, patience with outages
s3_outage.py  what people hear of a server that is away
s3_errors.py  what a failed request means
s3_pace.py    how many requests may be in flight
opening.py    URI -> probed backend
results.py    one immutable Parquet file per (stage, shard), with overlays
plans.py      immutable plans and the names bound to them
lease.py      one driver at a time
lease_owner.py who it is, and when it is known to be dead
at_work.py    which drivers may be at work in a store
journal.py    what the driver saw, in chunks
"""
