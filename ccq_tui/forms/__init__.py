"""Questionnaires without an agent: their files, records, and commit reflections."""
