import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** Behind the last journey, and for whoever asks once more at the end of the run. */
export default function stopSharedPlatform() {
  return (globalThis.stoppingPlatform ??= stop());
}

async function stop() {
  const file = process.env['E2E_PLATFORM_FILE'];
  if (file !== undefined) rmSync(dirname(file), { recursive: true, force: true });
  const platform = await globalThis.sharedPlatform?.catch(() => undefined);
  await platform?.stop();
  platform?.forget();
}
