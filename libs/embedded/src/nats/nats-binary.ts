import { debianProgram } from '@platform-backend/system-programs';

/** The nats-server to run: the one on PATH; else the Debian package's, unpacked into `cacheDirectory`. */
export async function natsBinary(cacheDirectory: string, onProgress?: (text: string) => void): Promise<string> {
  const found = await debianProgram({
    program: 'nats-server',
    debianPackage: 'nats-server',
    cacheDirectory,
    onProgress,
  });
  if (found !== undefined) return found;
  throw new Error(
    'There is no nats-server on this machine: install it (on Debian or Ubuntu: apt-get install nats-server), or set NATS_URL.',
  );
}
