"""From records to numbers and decisions: scores, metrics, statistics, gate, calibration, labels."""
