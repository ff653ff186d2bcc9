"""``python -m chainproof_scan``: the same as ``chainproof-scan``."""

from chainproof_scan import main

if __name__ == "__main__":  # worker processes import this module
    main()
