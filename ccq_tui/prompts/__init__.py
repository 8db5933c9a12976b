"""The parts of a prompt before it is sent: completion, history, folded pastes, images, drafts. No Textual."""
