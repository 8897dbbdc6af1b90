"""`python -m overture` is `overture`."""

from .cli.main import run_program

if __name__ == "__main__":
    run_program()
