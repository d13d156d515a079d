# The name of the file is the name of the tool. Signature and docstring describe it; they are read
# without running the file, and `toolscout {{name}} --help` shows them. A comment such as
# "timeout: 2m" at the top sets the time limit.


def run(text: str, times: int = 1, loud: bool = False) -> str:
    """{{description}}

    Args:
        text: The text to print
        times: How often to print it
        loud: Print it in capitals
    """
    # A string is text, a dict or a list is structured content, an exception is a failure.
    line = text.upper() if loud else text
    return "\n".join([line] * times)
