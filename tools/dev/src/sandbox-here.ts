import { openSandbox } from '@platform-backend/sandbox';
import { join } from 'node:path';

/** What whoever starts the platform is told where there is no sandbox: which programs lack one, and what becomes of them. */
export async function sandboxHere(home: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { BWRAP_BINARY: binary, NOTEBOOKS_WITHOUT_SANDBOX: choice, JUPYTER_URL: elsewhere } = env;
  const { kind, reason = 'there is none' } = await openSandbox({ binary, cacheDirectory: join(home, 'programs') });
  if (kind !== 'none') return [];
  const readers = `Documents are read and recordings decoded without a sandbox: ${reason}. Readers have Node's own permissions then; ffmpeg reads what you may read.`;
  if (elsewhere !== undefined) return [readers];
  const trouble = `Programs of notebooks and pipelines have no sandbox: ${reason}.`;
  const kernels =
    choice === 'allow'
      ? `${trouble} They run as you, with all that you may read, for the first organisation that starts one.`
      : `${trouble} They are refused; NOTEBOOKS_WITHOUT_SANDBOX=allow npm start runs them as you, with all that you may read.`;
  return [kernels, readers];
}
