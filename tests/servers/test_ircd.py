"""The servers of the tests start as they are meant to."""

from pathlib import Path


def test_the_parameters_of_a_key_exchange_are_in_the_form_that_gnutls_reads(
    server_keys: Path,
) -> None:
    """`X9.42 DH PARAMETERS` it does not read, and ngircd makes its own for seconds."""
    assert (server_keys / "dh.pem").read_text().startswith("-----BEGIN DH PARAMETERS-----\n")
