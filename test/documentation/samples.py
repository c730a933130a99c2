"""Runs samples of the reference, each as it is printed; prints what is no answer of the API."""

import json
import sys

from countinghouse import ApiError

with open(sys.argv[1], encoding="utf-8") as file:
    samples = json.load(file)
for code in samples:
    try:
        exec(code, {})
    except ApiError:
        pass
    except Exception as error:
        print(code, repr(error), sep="\n")
