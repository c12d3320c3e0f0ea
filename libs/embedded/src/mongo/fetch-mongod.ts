/* oxlint-disable no-console -- A program: its output is what it is for. */
/**
 * `node fetch-mongod.ts locate|download`: prints the path of the mongod that mongodb-memory-server-core has in its cache,
 * or downloads one into it; prints nothing where there is none to be had. A process of its own: the library writes to
 * the terminal, and a download that is no longer wanted is ended with it.
 */
import { writeSync } from 'node:fs';

const timeoutMs = 5_000;
// The library would take any certificate for the program that we are about to run.
process.env['npm_config_strict_ssl'] = 'true';
// Standard output is for the path.
console.log = console.error;

const { DryMongoBinary, MongoBinary } = await import('mongodb-memory-server-core');
const { MongoBinaryDownloadUrl } = await import('mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js');

const options = await DryMongoBinary.generateOptions();
try {
  const path = process.argv[2] === 'download' ? await download() : await DryMongoBinary.locateBinary(options);
  if (path !== undefined) writeSync(1, path);
  process.exit(0);
} catch (error) {
  console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

/** The library would ask a server that does not answer for minutes. */
async function download(): Promise<string> {
  const url = await new MongoBinaryDownloadUrl(options).getDownloadUrl();
  const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined);
  if (!answer?.ok)
    throw new Error(`${new URL(url).host} ${answer ? `answers ${String(answer.status)}` : 'does not answer'}`);
  return await MongoBinary.getPath();
}
