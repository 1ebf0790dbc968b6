"""The keys of all commands as the user set them: names of keys, presets, `[keys]` of the configuration, and conflicts."""
