"""The commands of `mien`, one file each; imported when called, so that `mien --help` answers at once."""
