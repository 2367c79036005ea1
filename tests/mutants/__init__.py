"""Mutation testing: does a test fail when one line of the package is wrong?

mutmut makes the mutants (its operators, applied to whole files). Running them is done here, in
copies of the project and in processes forked after the libraries were imported, so that a mutant
of a module's constants, or one that a child process of a test imports, is really what runs.
"""
