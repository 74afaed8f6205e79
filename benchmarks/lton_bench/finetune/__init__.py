"""Fine-tuning: LoRA on calls in JSON, Python and LTON, base against tuned models.

- `__main__`: the command, and `report`, the tables that it writes
- `data`: examples in each form, and `models`: models and tokenizers from packages
- `train`: the training, and `evaluate`: the answers of a model, and their judgement
"""
