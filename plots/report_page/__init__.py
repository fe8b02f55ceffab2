"""Of what is report.html made? A module to each part of the page, beside the templates that lay it out; report.py puts
them together.
"""
