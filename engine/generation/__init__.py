"""Language models as the engine sees them: the contract of a call, no model library.

chat.py       a request, its outcome, what it used
"""
