import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a terminal has: the Node that is installed on the machine, and not the one that the project brings. */
export const terminal = (): Record<string, string> => {
  const { PATH = '', HOME = '' } = process.env;
  const ours = ['node_modules/.bin', 'node_modules/node/bin'].map((folder) => join(ROOT, folder));
  return {
    HOME,
    PATH: PATH.split(delimiter)
      .filter((folder) => !ours.includes(folder))
      .join(delimiter),
  };
};
