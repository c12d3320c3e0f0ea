import { serveTasks } from '../models/serve-tasks.ts';

/** Does what the task says: a model that fails in every way there is. */
serveTasks(({ greeting }: { greeting: string }) => {
  const ballast: Buffer[] = [];
  return Promise.resolve(async ({ what }: { what: string }) => {
    if (what === 'crash') process.kill(process.pid, 'SIGSEGV');
    if (what === 'exit') {
      process.stderr.write('no more tokens\n');
      process.exit(3);
    }
    if (what === 'hang') await new Promise(() => setInterval(() => undefined, 1000));
    if (what === 'fail') throw new Error('no such word');
    if (what === 'grow') ballast.push(Buffer.alloc(300 * 2 ** 20, 1));
    return { greeting, pid: process.pid, secret: process.env['SERVICE_PRIVATE_KEY'] ?? null };
  });
});
