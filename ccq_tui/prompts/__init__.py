"""What a prompt is made of before it is sent: completion, history, folded pastes, drafts. No Textual."""
