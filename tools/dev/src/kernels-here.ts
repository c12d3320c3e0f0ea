import { openSandbox } from '@platform-backend/sandbox';
import { join } from 'node:path';

/** What whoever starts the platform is told of kernels where there is no sandbox for them; nothing where there is one. */
export async function kernelsHere(home: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { BWRAP_BINARY: binary, NOTEBOOKS_WITHOUT_SANDBOX: choice, JUPYTER_URL: elsewhere } = env;
  if (elsewhere !== undefined) return [];
  const { kind, reason = 'there is none' } = await openSandbox({ binary, cacheDirectory: join(home, 'programs') });
  if (kind !== 'none') return [];
  const trouble = `Programs of notebooks and pipelines have no sandbox: ${reason}.`;
  return choice === 'allow'
    ? [`${trouble} They run as you, with all that you may read, for the first organisation that starts one.`]
    : [
        `${trouble} They are refused; NOTEBOOKS_WITHOUT_SANDBOX=allow npm start runs them as you, with all that you may read.`,
      ];
}
