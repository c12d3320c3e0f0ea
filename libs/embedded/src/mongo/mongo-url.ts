import { MongoClient } from 'mongodb';

/** Scheme with user and hosts, of which there may be several; the database; the options. */
const PARTS = /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/;

/**
 * The address of a database on the server that `url` names. A database in that address begins its name, so that several
 * platforms can share a server, and is still where the user is known.
 */
export function mongoDatabaseUrl(url: string, name: string): string {
  const [, server, given = '', query = ''] = PARTS.exec(url) ?? [];
  if (server === undefined) throw new Error('MONGO_URL has to begin with mongodb:// and name a host.');
  const options = new URLSearchParams(query);
  if (server.includes('@') && given !== '' && !options.has('authSource')) options.set('authSource', given);
  const prefix = given === '' || given === 'admin' ? '' : `${given}_`;
  return `${server}/${prefix}${name}${options.size === 0 ? '' : `?${options.toString()}`}`;
}

/** The version that a server says it has, and its address. Throws where none answers, or none with transactions. */
export async function describeMongo(
  url: string,
  timeoutMs = 10_000,
): Promise<{ readonly version: string; readonly address: string }> {
  await using client = new MongoClient(url, { serverSelectionTimeoutMS: timeoutMs });
  const admin = client.db('admin');
  const { setName, msg } = await admin.command({ hello: 1 });
  const { version } = await admin.command({ buildInfo: 1 });
  if (setName === undefined && msg !== 'isdbgrid')
    throw new Error(
      'MongoDB runs without a replica set, so that it has no transactions; one of a single node will do.',
    );
  return { version: String(version), address: client.options.hosts.map((host) => host.toString()).join(',') };
}
