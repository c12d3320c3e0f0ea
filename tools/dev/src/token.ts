/** `npm run -s token -- --email ada@example.com [--name Ada] [--org ID]` prints an access token. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { homePaths, readOwnJson } from './home.ts';
import { commandClient, developmentGrant } from './identity-provider.ts';
import { readRunFile } from './run-file.ts';
import type { Secrets } from './secrets.ts';
import { readSettings } from './settings.ts';

interface Person {
  readonly email: string;
  readonly name: string | undefined;
  /** The organisation that the token is about. */
  readonly org: string | undefined;
}

await runCommand(
  command({
    name: 'npm run token --',
    usage: `npm run -s token -- --email ada@example.com [--name Ada] [--org ID]

Prints an access token of the local OpenID provider of npm start.
  --email         whose it is; whoever is new becomes a user with the first request
  --name          what the person is called
  --org           the organisation it is about, for whoever belongs to several
  PLATFORM_HOME   the platform that runs on this folder; .platform unless given`,
    options: { email: { type: 'string' }, name: { type: 'string' }, org: { type: 'string' } },
    async run({ values: { email, name, org } }) {
      if (email?.includes('@') !== true) throw new WrongUsage('Say whose token it is: --email ada@example.com.');
      try {
        console.log(await accessToken({ email, name, org }));
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        process.exitCode = 1;
      }
    },
  }),
);

async function accessToken({ email, name, org }: Person): Promise<string> {
  const { home, homeAsTyped } = readSettings(process.env);
  const run = readRunFile(home);
  if (!run) throw new Error(`The platform does not run on ${homeAsTyped}; start it with npm start.`);
  if (run.tokenEndpoint === undefined)
    throw new Error(`Tokens come from ${run.issuer}; this command cannot make them.`);
  const { identityProvider } = readOwnJson(homePaths(home).secrets) as Secrets;
  const credentials = Buffer.from(`${commandClient}:${identityProvider.commandSecret}`).toString('base64');
  const body = new URLSearchParams({ grant_type: developmentGrant, email });
  if (name !== undefined) body.set('name', name);
  if (org !== undefined) body.set('org_id', org);
  const response = await fetch(run.tokenEndpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body,
  }).catch(() => undefined);
  if (!response)
    throw new Error(`The identity provider at ${run.tokenEndpoint} does not answer; is npm start still running?`);
  const answer = (await response.json()) as { access_token?: string; error_description?: string };
  if (answer.access_token === undefined)
    throw new Error(`The identity provider refused: ${String(answer.error_description)}.`);
  return answer.access_token;
}
