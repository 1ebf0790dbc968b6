"""The app in a browser: a web server on this machine, and the app as each viewer of it gets it."""
