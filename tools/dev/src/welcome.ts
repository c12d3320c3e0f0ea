import type { RunFile } from './run-file.ts';
import type { Settings } from './settings.ts';

/** What to paste next. Every line works as it stands in a shell in the repository. */
export function welcome(settings: Settings, run: RunFile): string {
  const home = settings.isDefault ? '' : `PLATFORM_HOME=${quoted(settings.home)} `;
  const token =
    run.tokenEndpoint === undefined
      ? [`  TOKEN=...   # an access token of ${run.issuer} for the audience ${run.audience}`]
      : [`  TOKEN=$(${home}npm run -s token -- --email ada@example.com --name Ada)`];
  return [
    '',
    'Get a token:',
    ...token,
    '',
    'Make an organisation, then read it:',
    `  curl -s ${run.url}/organisations/ -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `    -d '{"email":"office@example.com","name":"Example","image_url":"https://example.com/logo.png"}'`,
    `  curl -s ${run.url}/organisations/current/ -H "Authorization: Bearer $TOKEN"`,
    '',
    `The whole interface: ${run.url}/docs    Logs: ${settings.homeAsTyped}/logs    Ctrl-C stops everything.`,
    '',
  ].join('\n');
}

const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
