"""Run tasks, report progress, and read and write files safely.

Input: tasks, files, and rows of numbers that may not fit in memory.
Output: results, progress, checkpoint files, and short text that is safe to print.
Must not know about: the meaning of trees and labels.
"""
