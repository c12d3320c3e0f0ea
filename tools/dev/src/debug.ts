/** `npm run debug -- identity`: `npm start` with one service under the Node inspector. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { gateway } from './services.ts';
import { readSettings, repository } from './settings.ts';

await runCommand(
  command({
    name: 'npm run debug --',
    usage: `npm run debug -- SERVICE [--port 9229] [--break] [--watch]

Starts the platform like npm start, with one service, or the gateway, under the Node inspector. Breakpoints are set in
its .ts files. A call that is held at a breakpoint is answered by the gateway after some ten seconds; the service goes on.
  --port    where the inspector listens on this machine; 9229 unless given
  --break   the service waits for the debugger before its first line
  --watch   restarts a service when its source changes`,
    options: {
      port: { type: 'string', default: '9229' },
      break: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
    },
    words: true,
    async run({ values: { port, break: waits, watch }, positionals: [service, ...others] }) {
      const { declaredServices } = await import('@platform-backend/service/declared');
      const services = (await declaredServices(`${repository}/apps`)).map(({ declaration }) => declaration.name);
      const known = [...services.toSorted(), gateway];
      if (service === undefined || others.length > 0) throw new WrongUsage(`Name one of ${known.join(', ')}.`);
      if (!known.includes(service)) {
        throw new WrongUsage(`There is no service "${service}"; it is one of ${known.join(', ')}.`);
      }
      if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
        throw new WrongUsage(`--port must be a port between 1 and 65535, not "${port}".`);
      }
      const inspection = { service, port: Number(port), waits };
      const settings = () => readSettings(process.env);
      const { runStarter } = await import('./starter.ts');
      process.exit(await runStarter({ settings, env: process.env, watch, inspection }));
    },
  }),
);
