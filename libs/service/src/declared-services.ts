import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Service } from './service.ts';

/** Every service under a folder such as apps/, as its `src/service.ts` declares it, by name. */
export async function declaredServices(apps: string): Promise<Service[]> {
  const modules = readdirSync(apps)
    .toSorted()
    .map((name) => join(apps, name, 'src/service.ts'))
    .filter((path) => existsSync(path));
  return Promise.all(
    modules.map(async (path) => ((await import(pathToFileURL(path).href)) as { service: Service }).service),
  );
}
