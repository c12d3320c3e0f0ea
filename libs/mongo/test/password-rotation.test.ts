import { afterAll, expect, it } from '@jest/globals';
import { freePort, supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { hasSharedPrograms, sharedProgram } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import mongoose, { type mongo } from 'mongoose';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), 'utf8');

interface Sent {
  readonly database: string;
  readonly command: mongo.Document;
}

/** The commands that a script for mongosh sends, of those that ours use. */
function commandsOf(script: string, name: string, env: NodeJS.ProcessEnv = {}): Sent[] {
  const sent: Sent[] = [];
  const databaseOf = (database: string): object => ({
    getSiblingDB: databaseOf,
    createRole: ({ role, ...rest }: { role: string }) =>
      sent.push({ database, command: { createRole: role, ...rest } }),
    createUser: ({ user, ...rest }: { user: string }) =>
      sent.push({ database, command: { createUser: user, ...rest } }),
    updateUser: (user: string, change: object) => sent.push({ database, command: { updateUser: user, ...change } }),
    dropUser: (user: string) => sent.push({ database, command: { dropUser: user } }),
  });
  runInNewContext(script, { db: databaseOf(name), process: { env } });
  return sent;
}

const stepsUnder = (heading: string): string[] => {
  const [, section = ''] = read('docs/runbooks.md').split(`## ${heading}\n`);
  const [, block = ''] = /```js\n([^]*?)```/.exec(section) ?? [];
  return block.split('\n').filter((line) => line.startsWith('db.'));
};

describeWhere(
  hasSharedPrograms ? undefined : 'there is no server with users of the protocol of MongoDB beside the repository',
  'the passwords of content and of root at MongoDB',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'mongo-rotation-'));
    const opened: mongoose.Connection[] = [];
    let server: SupervisedProcess<string> | undefined;
    afterAll(async () => {
      await Promise.all(opened.map((connection) => connection.close(true)));
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('are replaced as the runbook says while one replica after the other goes on, and the old ones are nobody’s then', async () => {
      const port = await freePort();
      const start = (...more: string[]) =>
        supervise({
          name: 'secantusd-rs',
          command: sharedProgram('secantusd-rs'),
          args: ['--port', String(port), '--storage-path', join(folder, 'data'), '--cache-size', '256M', ...more],
          env: {},
          logFile: join(folder, 'log'),
          stopSignal: 'SIGTERM',
          keepsUsAlive: false,
          ready: (line) => /listening on (\S+)/.exec(line)?.[1],
        });
      const connect = async (user?: string, pass?: string, authSource = 'content') => {
        const credentials = user === undefined ? {} : { user, pass: pass ?? '', authSource };
        const options = { directConnection: true, dbName: 'content', serverSelectionTimeoutMS: 10_000, ...credentials };
        const connection = mongoose.createConnection(`mongodb://127.0.0.1:${String(port)}/`, options);
        opened.push(connection);
        return connection.asPromise();
      };
      const send = async (by: mongoose.Connection, commands: readonly Sent[]) => {
        for (const { database, command } of commands) await by.getClient().db(database).command(command);
      };
      const works = ({ db }: mongoose.Connection) => db?.collection('documents').insertOne({ at: new Date() });

      server = await start();
      const nobody = await connect();
      await send(nobody, [
        { database: 'admin', command: { createUser: 'root', pwd: 'root', roles: ['root'] } },
        ...commandsOf(read('deploy/mongo/create-service-databases.js'), 'test', {
          CONTENT_OWNER_PASSWORD: 'owner',
          CONTENT_APP_PASSWORD: 'OLD',
        }),
      ]);
      await nobody.close();
      await server.stop();
      server = await start('--auth');

      const root = await connect('root', 'root', 'admin');
      const before = await connect('content_app', 'OLD');
      await works(before);
      const [create = '', change = '', drop = ''] = stepsUnder('A password of MongoDB');
      await send(root, commandsOf(create, 'content'));
      const between = await connect('content_app_other', 'NEW');
      await Promise.all([works(before), works(between)]);
      await send(root, commandsOf(change, 'content'));
      await Promise.all([works(before), works(between)]);
      const after = await connect('content_app', 'NEW');
      await send(root, commandsOf(drop, 'content'));
      await works(after);
      await expect(connect('content_app', 'OLD')).rejects.toThrow(/auth/i);
      await expect(connect('content_app_other', 'NEW')).rejects.toThrow(/auth/i);

      const [changeOfRoot = ''] = stepsUnder('Passwords of the servers, and certificates');
      await send(root, commandsOf(changeOfRoot, 'content'));
      await Promise.all([works(after), works(await connect('content_app', 'NEW'))]);
      await expect(connect('root', 'root', 'admin')).rejects.toThrow(/auth/i);
      const rootAfter = await connect('root', 'NEW', 'admin');
      expect((await rootAfter.getClient().db('admin').command({ usersInfo: 'root' }))['users']).toHaveLength(1);
      // As the health check asks, once the replica set is made.
      const anybody = await connect();
      expect(await anybody.getClient().db('admin').command({ hello: 1 })).toMatchObject({ isWritablePrimary: true });
    });
  },
);
