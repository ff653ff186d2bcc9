"""What is doubtful in rules that are right in form."""
