/** `npm run -s token -- --email ada@example.com [--name Ada] [--org ID]` prints an access token. */
import { parseArgs } from 'node:util';
import { homePaths, readOwnJson } from './home.ts';
import { commandClient, developmentGrant } from './identity-provider.ts';
import { readRunFile } from './run-file.ts';
import type { Secrets } from './secrets.ts';
import { readSettings } from './settings.ts';

const usage = 'Usage: npm run -s token -- --email ada@example.com [--name Ada] [--org ID]';

try {
  console.log(await accessToken());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function accessToken(): Promise<string> {
  const { email, name, org } = readArguments();
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

function readArguments(): { email: string; name: string | undefined; org: string | undefined } {
  const options = { email: { type: 'string' }, name: { type: 'string' }, org: { type: 'string' } } as const;
  let values: { email?: string | undefined; name?: string | undefined; org?: string | undefined };
  try {
    ({ values } = parseArgs({ options }));
  } catch {
    throw new Error(usage);
  }
  const { email, name, org } = values;
  if (email?.includes('@') !== true) throw new Error(usage);
  return { email, name, org };
}
