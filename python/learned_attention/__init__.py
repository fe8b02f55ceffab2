"""A small language model trained from its seed on text of the machine, so that the claims on keys can be tried on keys
that a model learned. Scripts: `train`; what they share stands beside them. Run with PYTHONPATH=python.
"""
