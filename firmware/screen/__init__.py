"""A page as pixels: where each piece goes, in which type, and how it is painted in one bit.

Here belongs all that knows of fonts and pixels. What a page says belongs in `views`, how it gets to the panel in
`hardware`.
"""
