/**
 * The journeys share one platform. It starts while other tests run, and test files wait for it (`await-platform.mjs`); the
 * platform of `E2E_PLATFORM`, where that is set, is used as it is. Node reads the TypeScript below by itself; Jest's own
 * loader is not involved.
 */
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default async function startSharedPlatform() {
  if (process.env['E2E_PLATFORM'] !== undefined) return;
  const { startPlatform } = await import('./src/platform.ts');
  const { terminal } = await import('./src/terminal.ts');
  // Test files run in contexts and processes of their own: what they need travels by environment and file.
  const file = join(mkdtempSync(join(tmpdir(), 'platform-e2e-facts-')), 'platform.json');
  process.env['E2E_PLATFORM_FILE'] = file;
  const tell = (/** @type {object} */ facts) => {
    writeFileSync(`${file}.new`, JSON.stringify(facts));
    renameSync(`${file}.new`, file);
  };
  // Tests count credits from nothing.
  const starting = startPlatform({ environment: { ...terminal(), BILLING_WELCOME_CREDITS: '0' } });
  globalThis.sharedPlatform = starting;
  globalThis.stoppingPlatform = undefined;
  starting.then(
    ({ facts }) => tell({ facts }),
    (error) => tell({ error: String(error) }),
  );
}
