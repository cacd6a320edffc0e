"""The report: one HTML file that asks the network for nothing."""
