import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that the account of the database server can reach, with nothing kept afterwards. */
export function benchDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
