"""The parts of presentations: shapes, tables, charts, diagrams, comments."""
