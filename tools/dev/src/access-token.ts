import { commandClient, developmentGrant } from '@platform-backend/embedded/development-grant';
import { homePaths, readOwnJson } from './home.ts';
import { readRunFile } from './run-file.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

export interface TokenHolder {
  readonly email: string;
  readonly name?: string | undefined;
  /** The organisation that the token is about. */
  readonly organisationId?: string | undefined;
}

/** An access token of the OpenID provider of the platform that runs on this home; an Error says what to do where there is none. */
export async function accessToken(
  { home, homeAsTyped }: Pick<Settings, 'home' | 'homeAsTyped'>,
  { email, name, organisationId }: TokenHolder,
): Promise<string> {
  const run = readRunFile(home);
  if (!run) throw new Error(`The platform does not run on ${homeAsTyped}; start it with npm start.`);
  if (run.tokenEndpoint === undefined)
    throw new Error(`Tokens come from ${run.issuer}; this command cannot make them.`);
  const { identityProvider } = readOwnJson(homePaths(home).secrets) as Secrets;
  const credentials = Buffer.from(`${commandClient}:${identityProvider.commandSecret}`).toString('base64');
  const body = new URLSearchParams({ grant_type: developmentGrant, email });
  if (name !== undefined) body.set('name', name);
  if (organisationId !== undefined) body.set('org_id', organisationId);
  const { tokenEndpoint } = run;
  const ask = () => fetch(tokenEndpoint, { method: 'POST', headers: { authorization: `Basic ${credentials}` }, body });
  // A connection that was kept may be closed at this very moment: it is asked once more, by a new one.
  const response = await ask()
    .catch(ask)
    .catch(() => undefined);
  if (!response)
    throw new Error(`The identity provider at ${tokenEndpoint} does not answer; is npm start still running?`);
  const answer = (await response.json()) as { access_token?: string; error_description?: string };
  if (answer.access_token === undefined)
    throw new Error(`The identity provider refused: ${String(answer.error_description)}.`);
  return answer.access_token;
}
