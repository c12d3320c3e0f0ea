import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The names of all files that an organisation has in the object store of a service's own. */
export const storedFiles = ({ directory }: { readonly directory: string }, organisationId = ''): readonly string[] => {
  try {
    return readdirSync(join(directory, 'objects', organisationId), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch {
    return [];
  }
};
