"""The screens of the app, one file each; a screen holds views and controllers."""
