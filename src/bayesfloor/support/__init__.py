"""Run tasks, report progress, and read and write files safely.

Input: tasks, files and addresses.
Output: results, progress, whole files, and short text that is safe to print.
Must not know about: data, and the meaning of trees and labels.
"""
