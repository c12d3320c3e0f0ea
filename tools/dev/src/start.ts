/**
 * `npm start`: everything the platform needs on this machine, in one terminal. `npm run dev` is the
 * same with `--watch`.
 */
import { command, runCommand } from '@platform-backend/command-line';

await runCommand(
  command({
    name: 'npm start --',
    usage: `npm start [-- --watch]

Starts the platform with everything it needs on this machine, until Ctrl-C. npm run dev is the same with --watch.
  --watch         restarts a service when its source changes
  PLATFORM_PORT   where the gateway listens; 8080 unless given
  PLATFORM_HOME   where data, secrets and logs are; .platform unless given`,
    options: { watch: { type: 'boolean', default: false } },
    async run({ values: { watch } }) {
      const [{ readSettings }, { runStarter }] = await Promise.all([import('./settings.ts'), import('./starter.ts')]);
      process.exit(await runStarter({ settings: () => readSettings(process.env), env: process.env, watch }));
    },
  }),
);
