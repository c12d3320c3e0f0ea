import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

export default async function stopSharedPlatform() {
  const file = process.env['E2E_PLATFORM_FILE'];
  if (file !== undefined) rmSync(dirname(file), { recursive: true, force: true });
  const platform = await globalThis.sharedPlatform?.catch(() => undefined);
  await platform?.stop();
  platform?.forget();
}
