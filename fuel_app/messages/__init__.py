"""Messages: their texts, delivery by mail and text message, preferences and opt-outs."""
