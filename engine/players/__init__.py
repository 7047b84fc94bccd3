"""Who decides from a view (engine/views.py): players of different strength, each a pure function."""
