"""What a prompt is made of before it goes: completion, history, folded pastes, images, drafts. No Textual."""
