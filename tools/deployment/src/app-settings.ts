import { ConfigurationError } from '@platform-backend/core';
import type { AppSettings } from './check-compose.ts';

/**
 * Finds out which variables an app's configuration reads and which it cannot do without, by letting
 * it read an empty environment that takes notes.
 */
export const settingsReadBy = (read: (env: NodeJS.ProcessEnv) => unknown): AppSettings => {
  const known = new Set<string>();
  const notebook = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_target, name) => {
        if (typeof name === 'string') known.add(name);
        return undefined;
      },
    },
  );
  const required: string[] = [];
  try {
    read(notebook);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const problem of error.problems) {
      const name = /^(\w+) is missing/.exec(problem)?.[1];
      if (name !== undefined) required.push(name);
    }
  }
  return { known: [...known], required };
};
