"""The decision: from what a grader read to one bucket and the axes; and labelled cases to try it on."""
