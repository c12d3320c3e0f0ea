/** `npm run -s token -- --email ada@example.com [--name Ada] [--org ID]` prints an access token. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { accessToken } from './access-token.ts';
import { readSettings } from './settings.ts';

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
        console.log(await accessToken(readSettings(process.env), { email, name, organisationId: org }));
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        process.exitCode = 1;
      }
    },
  }),
);
