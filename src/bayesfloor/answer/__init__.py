"""The answer: a best estimate, a range and a verdict, of the whole, of pairs and of classes."""
