"""The way in: what people have becomes numbers, names and labels."""
