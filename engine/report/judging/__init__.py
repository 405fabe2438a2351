"""The judges' part of a report: who judged, leaderboards, who beats whom, whether to trust it, the Turing test."""
