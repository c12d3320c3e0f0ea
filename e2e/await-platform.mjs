/** Before each file of journeys: the platform that they share is there. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const file = process.env['E2E_PLATFORM_FILE'];
if (process.env['E2E_PLATFORM'] === undefined && file !== undefined) {
  // The start has a limit of its own, and tells of its failure in the same file.
  while (!existsSync(file)) await delay(50);
  const { facts, error } = JSON.parse(readFileSync(file, 'utf8'));
  if (facts === undefined) throw new Error(error);
  process.env['E2E_PLATFORM'] = JSON.stringify(facts);
}
