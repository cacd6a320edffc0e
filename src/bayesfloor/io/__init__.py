"""The one way in: files, frames and streams as tables."""
