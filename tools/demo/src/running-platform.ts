import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../..');

export type RunningPlatform = {
  url: string;
  /** An access token of the local identity provider for this person. */
  token(email: string, name: string): Promise<string>;
};

/**
 * The platform that `npm start` runs on this machine, found by PLATFORM_HOME.
 *
 * @throws Error saying what to do when there is none.
 */
export const findRunningPlatform = async (env: NodeJS.ProcessEnv): Promise<RunningPlatform> => {
  const home = resolve(ROOT, env['PLATFORM_HOME'] ?? '.platform');
  const advice = `Start it with "npm start" in another terminal${env['PLATFORM_HOME'] === undefined ? '' : ', with the same PLATFORM_HOME'}, then run the demo again.`;
  let url: string;
  try {
    ({ url } = JSON.parse(readFileSync(resolve(home, 'run.json'), 'utf8')) as { url: string });
  } catch {
    throw new Error(`No platform is running on ${home}. ${advice}`);
  }
  await fetch(`${url}/healthz`).catch(() => {
    throw new Error(`The platform on ${home} does not answer at ${url} any more. ${advice}`);
  });
  return {
    url,
    token: async (email, name) => {
      const { stdout } = await promisify(execFile)(
        'npm',
        ['run', '-s', 'token', '--', '--email', email, '--name', name],
        { cwd: ROOT, env },
      );
      return stdout.trim();
    },
  };
};
