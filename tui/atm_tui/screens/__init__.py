"""The screens of the app, one file each; a screen consists of views and controllers."""
