"""What is tracked from commit to commit; `tools/compare_peers.py` compares with other packages."""
