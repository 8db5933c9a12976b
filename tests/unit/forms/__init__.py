"""Tests of questionnaires without an agent."""
