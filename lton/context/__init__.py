"""What a model is shown, within a budget: a pure function of what there is, but for stores."""
