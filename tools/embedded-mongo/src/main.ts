import { parseArgs } from 'node:util';
import { startServer } from './server/server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, directory: { type: 'string' } } });
if (values.directory === undefined || !/^\d{1,5}$/.test(values.port)) {
  process.stderr.write('usage: node tools/embedded-mongo/src/main.ts --directory DIRECTORY [--port PORT]\n');
  process.exit(2);
}

try {
  const server = await startServer({ directory: values.directory, port: Number(values.port) });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      server.close().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`);
          process.exit(1);
        },
      );
    });
  process.stdout.write(`listening on 127.0.0.1:${server.port}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
