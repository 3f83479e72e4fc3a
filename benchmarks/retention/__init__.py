"""What a memory with little room should keep: simulated streams, the gate's training, the comparison of policies."""
