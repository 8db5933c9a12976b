"""The sessions of this process: started, limited, parked, woken, restarted and ended, without any screen."""
