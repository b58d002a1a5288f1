"""Sphinx configuration: Markdown pages, the furo theme, docstrings as the reference."""
import mindsim

project = "mindsim"
author = "The mindsim authors"
copyright = "2026, the mindsim authors"
version = release = mindsim.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "mindsim"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Two games have a Rules and a Games of their own; a bare name in a docstring means the one beside it.
suppress_warnings = ["myst.header", "ref.python"]
