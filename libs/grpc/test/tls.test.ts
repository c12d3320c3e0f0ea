import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { tlsFrom, tlsSettings, type GrpcServer, type TlsFiles } from '@platform-backend/grpc';
import { certificates, type CertificateFiles } from '@platform-backend/testing';
import { asAda, thingClient, thingServer } from './thing-server.ts';

describe('TLS between services', () => {
  let ours: Awaited<ReturnType<typeof certificates>>;
  let theirs: typeof ours;
  let server: GrpcServer;
  let client: CertificateFiles;
  let stranger: CertificateFiles;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([certificates(), certificates()]);
    [client, stranger] = await Promise.all([ours.issue('client'), theirs.issue('stranger')]);
    server = await thingServer(
      { getThing: (request) => Promise.resolve(request) },
      { tls: await ours.issue('server') },
    );
  });
  afterAll(async () => {
    await server.drain();
    await Promise.all([ours.remove(), theirs.remove()]);
  });

  const call = async (tls: TlsFiles | undefined): Promise<string> => {
    const connected = thingClient(server.address.replace('127.0.0.1', 'localhost'), { tls });
    try {
      return (await connected.getThing({ id: 'private' }, asAda)).id;
    } finally {
      connected.close();
    }
  };

  it('carries calls between services that the same authority vouches for', async () => {
    expect(await call(client)).toBe('private');
  });

  it('refuses a caller without a certificate, and one of another authority', async () => {
    await expect(call(undefined)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(call({ ...stranger, authority: client.authority })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('refuses a server of another authority', async () => {
    await expect(call({ ...client, authority: stranger.authority })).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('the TLS configuration', () => {
  const read = (env: Record<string, string>) => tlsFrom(readConfiguration(env, tlsSettings));

  it('is off when nothing is set', () => {
    expect(read({})).toBeUndefined();
  });

  it('names the three files', () => {
    const env = { GRPC_TLS_CERTIFICATE: 'a.pem', GRPC_TLS_KEY: 'a.key', GRPC_TLS_AUTHORITY: 'ca.pem' };
    expect(read(env)).toEqual({ certificate: 'a.pem', key: 'a.key', authority: 'ca.pem' });
  });

  it('is refused when it is half set, so that nobody believes to be encrypted', () => {
    expect(() => read({ GRPC_TLS_CERTIFICATE: 'a.pem' })).toThrow('GRPC_TLS_KEY must both be set');
    expect(() => read({ GRPC_TLS_AUTHORITY: 'ca.pem' })).toThrow('must both be set');
  });
});
