import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@platform-backend/embedded';
import { throwawayMongo } from '@platform-backend/mongo/testing';
import { MongoClient } from 'mongodb';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFile } from '../src/run-file.ts';
import { descendantsOf, spawnStarter, type StarterProcess } from './starter-process.ts';

/** Stands in for mongod, as far as becoming a replica set goes. */
const mongod = join(import.meta.dirname, '../../../libs/embedded/test/fixtures/mongod.ts');
const away = { PLATFORM_MONGO_DOWNLOAD: 'off', MONGOMS_DOWNLOAD_DIR: '/nowhere' };

describe('MongoDB for services that need it', () => {
  let home: string;
  let starter: StarterProcess | undefined;
  const servers: Server[] = [];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'platform-home-'));
  });
  afterEach(async () => {
    await stop();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(home, { recursive: true, force: true });
  });

  async function begin(env: Record<string, string>): Promise<StarterProcess> {
    const own = { PLATFORM_HOME: home, PLATFORM_PORT: String(await freePort()) };
    return (starter = spawnStarter({ ...own, ...env }, 'start-documents.ts'));
  }
  /** Starts, and answers the line that says which engine it is. */
  async function started(env: Record<string, string>): Promise<string> {
    const { printed, output } = await begin({ ...away, ...env });
    await printed('platform ready on');
    return /^ {2}MongoDB +\d+\.\d s +(.*)$/m.exec(output())?.[1] ?? '';
  }
  async function stop(): Promise<void> {
    starter?.signal('SIGTERM');
    await starter?.ended;
    starter = undefined;
  }
  async function refusal(env: Record<string, string>): Promise<string> {
    const { ended, output } = await begin({ ...away, ...env });
    await expect(ended).resolves.toBe(1);
    return output().trim().split('\n').at(-1) ?? '';
  }
  const run = (): RunFile => JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as RunFile;
  const engineFile = (): string => readFileSync(join(home, 'mongo/engine.json'), 'utf8');
  /** A folder with a program called mongod, before all others. */
  function onPath(program: string): Record<string, string> {
    const folder = join(home, 'bin');
    mkdirSync(folder, { recursive: true });
    symlinkSync(program, join(folder, 'mongod'));
    return { PATH: `${folder}:${String(process.env['PATH'])}` };
  }
  async function serve(listener: RequestListener): Promise<Record<string, string>> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const mirror = `http://127.0.0.1:${String(port)}`;
    return {
      ...{ PLATFORM_MONGO_DOWNLOAD: 'on', MONGOMS_DOWNLOAD_DIR: join(home, 'cache') },
      ...{ MONGOMS_DOWNLOAD_MIRROR: mirror, MONGOMS_USE_HTTP: 'true', NO_PROXY: '127.0.0.1' },
    };
  }

  it('is a mongod that is named, made a replica set of one node, with a database for each service', async () => {
    const line = await started({ MONGOD_BINARY: mongod });
    expect(line).toMatch(/^127\.0\.0\.1:\d+ +mongod 8\.0\.99 \(MONGOD_BINARY\)$/);
    const { databases, services } = run();
    const [address] = line.split(' ');
    expect(databases['notes']).toEqual({ app: `mongodb://${address}/notes`, owner: `mongodb://${address}/notes` });
    const answer = await fetch(`http://${String(services['notes']?.address)}`);
    expect(await answer.text()).toBe(`mongodb://${address}/notes`);
  });

  it('is the mongod on PATH, started again on its port after a crash', async () => {
    const [address] = (await started(onPath(mongod))).split(' ');
    const server = descendantsOf(starter?.pid ?? 0).find((pid) =>
      readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes('--replSet'),
    );
    process.kill(server ?? 0, 'SIGKILL');
    await starter?.printed('MongoDB is running again');
    expect(run().databases['notes']?.app).toContain(address);
  });

  it('stays the one that wrote the data of a home, and says when another would be taken', async () => {
    await started({ MONGOD_BINARY: mongod });
    await stop();
    expect(await started(onPath(mongod))).toContain('mongod 8.0.99 (as before)');
    expect(starter?.output()).toMatch(/were written by mongod 8\.0\.99 \(as before\), which stays; move .* \(PATH\)/);
    await stop();
    writeFileSync(join(home, 'mongo/engine.json'), engineFile().replace(mongod, '/gone/mongod'));
    rmSync(join(home, 'bin'), { recursive: true });
    expect(await refusal({})).toMatch(
      /mongo was written by mongod 8\.0\.99, and there is none here; set MONGOD_BINARY/,
    );
  });

  it('is not what is named and does not run, but is passed over on PATH', async () => {
    const broken = join(home, 'broken');
    writeFileSync(broken, '#!/bin/sh\necho no such instruction >&2; exit 132\n', { mode: 0o755 });
    expect(await refusal({ MONGOD_BINARY: broken })).toMatch(/^MONGOD_BINARY .*broken does not run \(/);
  });

  it('is downloaded where there is none, checked, and found again', async () => {
    const archive = archiveOf(mongod, home);
    const asked: string[] = [];
    const mirror = await serve((request, response) => {
      asked.push(`${String(request.method)} ${String(request.url).split('.').at(-1)}`);
      const md5 = createHash('md5').update(archive).digest('hex');
      const body = request.url?.endsWith('.md5') ? `${md5}  mongodb.tgz` : archive;
      response.setHeader('content-length', body.length).end(request.method === 'HEAD' ? undefined : body);
    });
    expect(await started(mirror)).toContain('mongod 8.0.99 (downloaded)');
    expect(asked).toEqual(['HEAD tgz', 'GET tgz', 'GET md5']);
    await stop();
    expect(await started(mirror)).toContain('mongod 8.0.99 (as before)');
    expect(asked).toHaveLength(3);
  });

  it('is the engine of our own where there is no other, which stays although a mongod is there later', async () => {
    expect(await started({})).toMatch(/^127\.0\.0\.1:\d+ +the embedded engine, as MongoDB \d+\.\d+\.\d+$/);
    await using client = await MongoClient.connect(run().databases['notes']?.app ?? '');
    await client.db().collection<{ _id: string }>('notes').insertOne({ _id: 'kept' });
    const server = descendantsOf(starter?.pid ?? 0).find((pid) =>
      readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes('embedded-mongo'),
    );
    process.kill(server ?? 0, 'SIGKILL');
    await starter?.printed('MongoDB is running again');
    expect(await client.db().collection('notes').countDocuments()).toBe(1);
    await stop();
    expect(await started(onPath(mongod))).toContain('the embedded engine');
    expect(starter?.output()).toMatch(
      /were written by the embedded engine, which stays; move .* mongod 8\.0\.99 \(PATH\)/,
    );
    await using again = await MongoClient.connect(run().databases['notes']?.app ?? '');
    expect(await again.db().collection('notes').countDocuments()).toBe(1);
  });

  it('is the engine of our own where nobody answers who could give another, after five seconds', async () => {
    const asked: string[] = [];
    const mirror = await serve(({ method = '' }) => void asked.push(method));
    expect(await started(mirror)).toContain('the embedded engine');
    expect(starter?.output()).toMatch(/no MongoDB could be downloaded \(127\.0\.0\.1:\d+ does not answer\)/);
    expect(asked).toEqual(['HEAD']);
    await stop();
    // Once in the life of a home.
    await started(mirror);
    expect(asked).toEqual(['HEAD']);
  });

  it('is a server that is named, which the home keeps nothing of', async () => {
    const database = await throwawayMongo();
    const expected = new URL(database.url);
    expected.pathname += '_notes';
    expect(await started({ MONGO_URL: database.url })).toMatch(/ MongoDB \d+\.\d+\.\d+ \(MONGO_URL\)$/);
    expect(run().databases['notes']?.app).toBe(expected.href);
    expect(engineFile).toThrow('ENOENT');
    await stop();
    await database.drop();
  });

  it('is refused in a sentence where nothing answers at the address that is named', async () => {
    const nowhere = `mongodb://127.0.0.1:${await freePort()}/`;
    expect(await refusal({ MONGO_URL: nowhere })).toMatch(/^MONGO_URL cannot be used: .*ECONNREFUSED/);
  });
});

/** As MongoDB's archives are, and as large as the library wants a program to be. */
function archiveOf(program: string, folder: string): Buffer {
  const bin = join(folder, 'mongodb/bin');
  mkdirSync(bin, { recursive: true });
  const started = `import(${JSON.stringify(program)});\n//${' '.repeat(1_100_000)}\n`;
  writeFileSync(join(bin, 'mongod'), `#!/usr/bin/env node\n${started}`, { mode: 0o755 });
  const file = join(folder, 'mongodb.tgz');
  execFileSync('tar', ['-czf', file, '-C', folder, 'mongodb']);
  return readFileSync(file);
}
