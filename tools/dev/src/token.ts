/** `npm run -s token -- --email ada@example.com [--name Ada] [--org ID] [--assertion]` prints an access token, or a caller assertion. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { accessToken } from './access-token.ts';
import { readSettings } from './settings.ts';

await runCommand(
  command({
    name: 'npm run token --',
    usage: `npm run -s token -- --email ada@example.com [--name Ada] [--org ID] [--assertion]

Prints an access token of the local OpenID provider of npm start.
  --email         whose it is; whoever is new becomes a user with the first request
  --name          what the person is called
  --org           the organisation it is about, for whoever belongs to several
  --assertion     a header for buf curl or grpcurl instead, good for five minutes: what the gateway tells services about this
                  person; their addresses are in run.json of PLATFORM_HOME
  PLATFORM_HOME   the platform that runs on this folder; .platform unless given`,
    options: {
      email: { type: 'string' },
      name: { type: 'string' },
      org: { type: 'string' },
      assertion: { type: 'boolean', default: false },
    },
    async run({ values: { email, name, org, assertion } }) {
      if (email?.includes('@') !== true) throw new WrongUsage('Say whose token it is: --email ada@example.com.');
      try {
        const settings = readSettings(process.env);
        const holder = { email, name, organisationId: org };
        if (!assertion) console.log(await accessToken(settings, holder));
        else {
          // What only this needs takes longer to load than a token to print.
          const { assertionHeader } = await import('./caller-assertion.ts');
          console.log(await assertionHeader(settings, holder));
        }
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        process.exitCode = 1;
      }
    },
  }),
);
