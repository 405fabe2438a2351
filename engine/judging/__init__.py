"""Judging by models: what a judge is asked, what it is shown, and how its reply becomes a verdict. No model library.

rubric.py      what is asked: a file with criteria, levels and the form of the reply
subject.py     what is shown of a person
candidates.py  what is judged: a text, a picture, or what was seen in it
asking.py      one question, and its messages
reading.py     the one place where a reply becomes a verdict
verdicts.py    verdicts on two candidates, in one order or both
held_post.py   the Turing test's held-out post
family.py      which models are of one family
"""
