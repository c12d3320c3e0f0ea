/** What IPython would start a process for, in words for whoever wrote the cell. They stand in texts of Python as they are. */
export const NO_SHELL =
  'A kernel starts no other process, and so there is no shell: use Python itself, such as os.listdir() for !ls';
export const NO_PACKAGES =
  'A kernel has no network, and so installs no packages: those of its environment are what whoever runs the platform has put there';
