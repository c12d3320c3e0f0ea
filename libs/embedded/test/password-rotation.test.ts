import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createServiceDatabase, startPostgres, type Postgres, type ServiceDatabase } from '../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const page = readFileSync(new URL('../../../docs/runbooks.md', import.meta.url), 'utf8');

/** The statements that the runbook has below a heading, in its order. */
function statementsUnder(heading: string): string[] {
  const section = page.split(/^(?=## )/m).find((text) => text.startsWith(`## ${heading}\n`));
  return [...(section ?? '').matchAll(/psql -U postgres -c (["'])(.*)\1$/gm)].map(([, , sql = '']) => sql);
}

describe('the passwords of PostgreSQL', () => {
  const folder = temporaryFolder();
  const opened: pg.Client[] = [];
  let server: Postgres;
  let database: ServiceDatabase;
  beforeAll(async () => {
    await chmod(folder.path, 0o755);
    server = await startPostgres({ directory: join(folder.path, 'postgres'), logFile: join(folder.path, 'log') });
    const passwords = { ownerPassword: 'old-owner', appPassword: 'old-app' };
    database = await createServiceDatabase({ serverUrl: server.url, name: 'identity', ...passwords });
  });
  afterAll(async () => {
    await Promise.all(opened.map((client) => client.end()));
    await server.stop();
    folder.remove();
  });

  const connect = async (user: string, password: string): Promise<pg.Client> => {
    const url = new URL(database.appUrl);
    [url.username, url.password] = [user, password];
    const client = new pg.Client({ connectionString: url.href });
    opened.push(client);
    await client.connect();
    return client;
  };
  const expectRefused = async (user: string, password: string): Promise<void> =>
    expect(connect(user, password)).rejects.toThrow(/password authentication failed/);
  const write = (client: pg.Client) => client.query("INSERT INTO things VALUES ('made')");

  it('are replaced as the runbook says while a service and migrations go on, and the old ones are nobody’s then', async () => {
    const superuser = new URL(server.url);
    const as = async (sql: string, password = 'NEW') => {
      const client = await connect('postgres', decodeURIComponent(superuser.password));
      await client.query(sql.replace('$NEW', password));
    };
    const migrate = async (password: string, statement: string) => {
      const client = await connect('identity_owner', password);
      await client.query(statement);
    };
    await migrate('old-owner', 'CREATE TABLE things (name text); GRANT INSERT ON things TO identity_app');
    const [create = '', change = '', drop = '', ofOwner = ''] = statementsUnder('A password of PostgreSQL');
    const [ofSuperuser = ''] = statementsUnder('Passwords of the servers, and certificates');

    const before = await connect('identity_app', 'old-app');
    await write(before);
    await as(create, 'new-app');
    const between = await connect('identity_app_other', 'new-app');
    await Promise.all([write(before), write(between)]);
    await as(change, 'new-app');
    await Promise.all([write(before), write(between)]);
    const after = await connect('identity_app', 'new-app');
    await Promise.all([write(between), write(after)]);
    await as(drop);
    await expectRefused('identity_app', 'old-app');
    await expectRefused('identity_app_other', 'new-app');

    await as(ofOwner, 'new-owner');
    await write(await connect('identity_app', 'new-app'));
    await migrate('new-owner', 'ALTER TABLE things ADD COLUMN note text');
    await expectRefused('identity_owner', 'old-owner');

    await as(ofSuperuser, 'new-superuser');
    await expectRefused('postgres', decodeURIComponent(superuser.password));
    await connect('postgres', 'new-superuser');
    await Promise.all([write(after), write(await connect('identity_app', 'new-app'))]);
    await migrate('new-owner', 'ALTER TABLE things ADD COLUMN more text');
  });
});
