"""What sessions cost: prices, usage, context and cost figures, limits and budgets."""
