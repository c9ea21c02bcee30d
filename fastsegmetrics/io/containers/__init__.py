"""What a file says about itself, read before any pixel is decoded: no OpenCV here.

Decoders return half of a truncated file as if it were whole, so completeness is checked first.
"""
